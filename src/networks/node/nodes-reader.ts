import type { ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import type { Network } from '../../domain/network.js'
import type { ChainHead, EndpointHealth, NetworkReader } from '../network-reader.js'
import { type CheckedNode, Endpoints, type EndpointsOptions } from './endpoints.js'

/** The client of one node, for a kind of network. Its queries reject with `NodeFailure`. */
export interface ChainNode extends CheckedNode {
  /** The head that the node has, and the time of its newest block in Unix milliseconds. */
  head(): Promise<ChainHead & { readonly timeMs: number }>
  /** The block at a height, null when the node has none. `isConfirmed`: some node has reported the height as confirmed. */
  block(height: number, watched: WatchedAddresses, isConfirmed: boolean): Promise<ObservedBlock | null>
  /** The first of these blocks, each the parent of the next: at least one, and as many as the node returns at once. */
  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]>
}

export interface NodesReaderOptions extends EndpointsOptions<ChainNode> {
  /** When a node's newest block is older, the head is also read from the next node: this one may have stalled. */
  readonly headAgeMaxMs: number
}

/** Reads a network through the nodes at its endpoints. */
export class NodesReader implements NetworkReader {
  readonly network: Network
  private readonly nodes: Endpoints<ChainNode>
  /** The highest height that any node has reported as confirmed; null before the first head. */
  private confirmed: number | null = null

  constructor(private readonly options: NodesReaderOptions) {
    this.network = options.network
    this.nodes = new Endpoints(options)
  }

  verify(): Promise<void> {
    return this.nodes.verify()
  }

  async head(): Promise<ChainHead> {
    const { clock, headAgeMaxMs } = this.options
    const head = { latest: -1, confirmed: -1 }
    for await (const { latest, confirmed, timeMs } of this.nodes.answers((node) => node.head())) {
      head.confirmed = Math.max(head.confirmed, confirmed)
      head.latest = Math.max(head.latest, latest, confirmed)
      if (clock.now() - timeMs <= headAgeMaxMs) break
    }
    this.confirmed = Math.max(this.confirmed ?? -1, head.confirmed)
    return head
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    if (this.confirmed === null) await this.head()
    const isConfirmed = height <= (this.confirmed ?? -1)
    for await (const block of this.nodes.answers((node) => node.block(height, watched, isConfirmed))) {
      if (block !== null) return block
    }
    return null
  }

  blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    return this.nodes.use((node) => node.blocks(from, to, watched))
  }

  endpoints(): readonly EndpointHealth[] {
    return this.nodes.health()
  }

  close(): Promise<void> {
    return this.nodes.close()
  }
}
