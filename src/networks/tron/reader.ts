import { isObject } from '../../base/json-object.js'
import type { ObservedBlock } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { Logger } from '../../log.js'
import type { ChainHead, EndpointHealth, NetworkReader, WatchedAddresses } from '../network-reader.js'
import { WrongNode } from '../network-reader.js'
import type { EndpointAddress } from '../node/endpoint-url.js'
import { Endpoints } from '../node/endpoints.js'
import type { HttpJsonOptions } from '../node/http-json.js'
import { isPerhapsTooLarge, NodeFailure } from '../node/node-failure.js'
import { demand, objectOf } from '../node/values.js'
import { accountOfAddress } from './address.js'
import { readBlock, readBlockId, readNewestBlock, readReceipts, type TronBlock } from './block.js'
import { TronNode } from './node.js'
import { TronPace } from './pace.js'
import { checkToken } from './token.js'
import { transfersOf } from './transfers.js'
import { repeatedOf } from './values.js'

/** Blocks come every 3 s. When a node's newest one is this old, the node lags and another may know more. */
const NEWEST_AGE_MAX_MS = 60_000

export interface TronReaderOptions extends HttpJsonOptions {
  readonly network: Network
  /** Base addresses of the REST interface, without `/wallet`, in order of preference, at least one. */
  readonly addresses: readonly EndpointAddress[]
  /** The token's contract, base58check. */
  readonly token: string
  readonly tokenDecimals: number
  /** The id of the network's first block, 64 lower-case hex digits. */
  readonly genesisId: string
  /** From 0 to below 1, evenly. */
  readonly random: () => number
  readonly log: Logger
}

/** A node's interface for solidified blocks, and its full one. */
type Side = '/walletsolidity' | '/wallet'

/** Reads TRON through the REST interface of its nodes. Solidified blocks are confirmed. */
export class TronReader implements NetworkReader {
  readonly network: Network
  private readonly nodes: Endpoints<TronNode>
  private readonly token: string
  private readonly pace = new TronPace()
  /**
   * The highest height that any node called solidified; below it only the solidified side is believed. −1: not known
   * yet.
   */
  private solidified = -1

  constructor(private readonly options: TronReaderOptions) {
    const token = accountOfAddress(options.token)
    if (token === null) throw new TypeError(`not an address of TRON: ${options.token}`)
    this.token = token
    this.network = options.network
    this.nodes = new Endpoints({
      ...options,
      nodeOf: (http) => new TronNode(http),
      check: (node) => this.check(node),
    })
  }

  verify(): Promise<void> {
    return this.nodes.verify()
  }

  /** Queries further nodes while those queried so far lag. */
  async head(): Promise<ChainHead> {
    const { clock } = this.options
    const heads: ChainHead[] = []
    for await (const { head, timeMs } of this.nodes.answers(readHead)) {
      heads.push(head)
      if (clock.now() - timeMs <= NEWEST_AGE_MAX_MS) break
    }
    const best = heads.reduce((a, b) => (b.latest > a.latest ? b : a))
    const confirmed = Math.max(...heads.map((head) => head.confirmed))
    this.solidified = Math.max(this.solidified, confirmed)
    return { latest: Math.max(best.latest, confirmed), confirmed }
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    if (this.solidified < 0) await this.head()
    for await (const block of this.nodes.answers((node) => this.readOne(node, height, watched))) {
      if (block !== null) return block
    }
    return null
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    return await this.nodes.use(async (node) => {
      for (;;) {
        try {
          return await this.readSome(node, from, to, watched)
        } catch (error) {
          const mayBeNarrower = this.pace.blocks > 1 && isPerhapsTooLarge(error)
          this.pace.failed(error)
          if (!mayBeNarrower) throw error
        }
      }
    })
  }

  endpoints(): readonly EndpointHealth[] {
    return this.nodes.health()
  }

  close(): Promise<void> {
    return this.nodes.close()
  }

  private async check(node: TronNode): Promise<void> {
    // A node serves its two sides on two ports unless a proxy joins them, so the checks query both.
    const id = readBlockId(await node.query('/walletsolidity/getblockbynum', { num: 0 }))
    if (id !== this.options.genesisId) throw new WrongNode(`its first block is ${id}, not ${this.options.genesisId}`)
    await checkToken(node, this.token, this.options.tokenDecimals)
  }

  private async readOne(node: TronNode, height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    const side = height <= this.solidified ? '/walletsolidity' : '/wallet'
    const answer = await node.query(`${side}/getblockbynum`, { num: height })
    if (!isNothing(answer)) return await this.observe(node, side, readBlock(answer, height), watched)
    demand(side === '/wallet', `block ${height}: solidified elsewhere, but not here yet`)
    return null
  }

  /** The first of these blocks, and the following ones of one query, as far as their receipts can be read. */
  private async readSome(
    node: TronNode,
    from: number,
    to: number,
    watched: WatchedAddresses,
  ): Promise<ObservedBlock[]> {
    const blocks = await readConsecutive(node, from, Math.min(to - from + 1, this.pace.blocks))
    const observed: ObservedBlock[] = []
    while (observed.length < blocks.length) {
      const next = blocks.slice(observed.length, observed.length + this.pace.receipts)
      const ends = await Promise.allSettled(next.map((block) => this.observe(node, '/walletsolidity', block, watched)))
      for (const end of ends) {
        if (end.status === 'fulfilled') {
          observed.push(end.value)
          continue
        }
        // A node with a rate limit would never finish a long query, so the complete blocks count.
        if (observed.length === 0 || !(end.reason instanceof NodeFailure)) throw end.reason
        this.pace.failed(end.reason)
        return observed
      }
    }
    this.pace.succeeded(
      blocks.length,
      blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
    )
    return observed
  }

  /** Queries the side that reported the block for its receipts, and checks both together. */
  private async observe(
    node: TronNode,
    side: Side,
    block: TronBlock,
    watched: WatchedAddresses,
  ): Promise<ObservedBlock> {
    const { height, hash, parentHash, timeMs } = block
    const head = { height, hash, parentHash, timeMs }
    // The first block distributes the initial supply. It has no receipts, and is no payment.
    if (block.isEmpty || height === 0) return { ...head, transfers: [] }
    const answer = await node.query(`${side}/gettransactioninfobyblocknum`, { num: height })
    return { ...head, transfers: transfersOf(readReceipts(answer, block), this.token, watched) }
  }
}

async function readHead(node: TronNode): Promise<{ readonly head: ChainHead; readonly timeMs: number }> {
  const newest = readNewestBlock(await node.query('/wallet/getnowblock'))
  const solidified = readNewestBlock(await node.query('/walletsolidity/getnowblock'))
  return { head: { latest: newest.height, confirmed: solidified.height }, timeMs: newest.timeMs }
}

/** Up to this many solidified blocks, each the parent of the next. */
async function readConsecutive(node: TronNode, from: number, count: number): Promise<readonly TronBlock[]> {
  if (count === 1) return [readBlock(await node.query('/walletsolidity/getblockbynum', { num: from }), from)]
  const what = `blocks from ${from}`
  const answer = await node.query('/walletsolidity/getblockbylimitnext', { startNum: from, endNum: from + count })
  const entries = repeatedOf(objectOf(answer, what)['block'], what)
  demand(entries.length > 0 && entries.length <= count, `${what}: ${entries.length} for ${count}`)
  const blocks = entries.map((entry, i) => readBlock(entry, from + i))
  demand(
    blocks.every(({ parentHash }, i) => i === 0 || parentHash === blocks[i - 1]?.hash),
    `${what}: not a chain`,
  )
  return blocks
}

/** A node answers a query for something unknown with an empty object. */
function isNothing(answer: unknown): boolean {
  return isObject(answer) && Object.keys(answer).length === 0
}
