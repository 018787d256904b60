import type { Clock } from '../../clock.js'
import type { BlockHead, ObservedBlock } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import type { ChainHead, EndpointHealth, NetworkReader, WatchedAddresses } from '../network-reader.js'
import type { EndpointAddress } from '../node/endpoint-url.js'
import { Endpoints } from '../node/endpoints.js'
import type { HttpJsonOptions } from '../node/http-json.js'
import { JsonRpc } from '../node/json-rpc.js'
import { EthereumFilter } from './filter.js'
import { EthereumNode } from './node.js'
import type { EthereumToken } from './token.js'

/** When the newest block is older than this, the reader queries the other endpoints too: the node may have stalled. */
const OLD_HEAD_MS = 3 * 60_000

/**
 * When a block is confirmed: after this many blocks, itself included, or when the chain's consensus has finalised it.
 */
export type Confirmation = number | 'finalized'

export interface EthereumReaderOptions extends HttpJsonOptions {
  readonly network: Network
  /** In order of preference, at least one. */
  readonly addresses: readonly EndpointAddress[]
  readonly chainId: number
  readonly token: EthereumToken
  readonly confirmation: Confirmation
  /** Maximum calls in one request; 1 for nodes without batches. */
  readonly batchMax: number
  /** Maximum blocks read at once while catching up. */
  readonly rangeMax: number
  readonly clock: Clock
  /** From 0 to below 1, evenly. */
  readonly random: () => number
  readonly log: Logger
}

/**
 * Reads Ethereum: ether that transactions themselves send, and transfers of one ERC-20 token. Other ether is invisible:
 * contracts send it without a trace in what ordinary nodes store, and validators withdraw it without a transaction.
 */
export class EthereumReader implements NetworkReader {
  readonly network: Network
  private readonly nodes: Endpoints<EthereumNode>
  private readonly token: string

  constructor(private readonly options: EthereumReaderOptions) {
    const { network, chainId, token, batchMax, rangeMax } = options
    this.network = network
    this.token = token.address.toLowerCase()
    this.nodes = new Endpoints({
      ...options,
      nodeOf: (http) => new EthereumNode(new JsonRpc(http, batchMax), rangeMax),
      check: (node) => node.check(chainId, token),
    })
  }

  verify(): Promise<void> {
    return this.nodes.verify()
  }

  async head(): Promise<ChainHead> {
    let best: ChainHead | null = null
    for await (const { latest, confirmed } of this.nodes.answers((node) => this.headsOf(node))) {
      if (best === null || latest.height > best.latest) best = { latest: latest.height, confirmed }
      if (this.options.clock.now() - latest.timeMs < OLD_HEAD_MS) break
    }
    // Without an answer the iteration rejects.
    return best ?? { latest: -1, confirmed: -1 }
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    const filter = new EthereumFilter(this.token, watched)
    for await (const block of this.nodes.answers((node) => node.block(height, filter))) {
      if (block !== null) return block
    }
    return null
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    if (to < from) throw new RangeError(`no blocks from ${from} to ${to}`)
    const filter = new EthereumFilter(this.token, watched)
    return await this.nodes.use((node) => node.blocks(from, to, filter))
  }

  endpoints(): readonly EndpointHealth[] {
    return this.nodes.health()
  }

  close(): Promise<void> {
    return this.nodes.close()
  }

  private async headsOf(node: EthereumNode): Promise<{ readonly latest: BlockHead; readonly confirmed: number }> {
    const { confirmation } = this.options
    const latest = await node.latest()
    if (confirmation !== 'finalized') return { latest, confirmed: Math.max(-1, latest.height - confirmation + 1) }
    const finalized = await node.finalized()
    return { latest, confirmed: Math.min(latest.height, finalized?.height ?? -1) }
  }
}
