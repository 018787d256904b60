import type { Clock } from '../clock.js'
import type { BlockHead } from '../domain/block.js'
import type { ChainPort } from '../store/chain.js'
import { type AgedHead, NetworkProblem, type NetworkReader } from './network-reader.js'
import { STANDING_MS } from './watcher-state.js'

export interface ShorterBranchOptions {
  readonly reader: NetworkReader
  readonly chain: Pick<ChainPort, 'blockAt' | 'watched'>
  readonly clock: Clock
}

/**
 * Nodes are now and then a few blocks behind, and a shorter branch is not followed. Where it stays shorter for long, the network was
 * reset, or a node of another one has come behind the address: neither is ever seen in the blocks to come.
 */
export class ShorterBranch {
  /** Since when the nodes have fewer blocks than were read, or when that was last looked into; null while they do not. */
  private known: { readonly sinceMs: number; readonly isOther: boolean } | null = null

  constructor(private readonly options: ShorterBranchOptions) {}

  /** The nodes have as many blocks as were read. */
  end(): void {
    this.known = null
  }

  /** The nodes have fewer blocks than were read. Rejects with `NetworkProblem` when they are those of another chain. */
  async check({ height: tip }: BlockHead, { latest }: AgedHead): Promise<void> {
    const { reader, chain, clock } = this.options
    const nowMs = clock.now()
    this.known ??= { sinceMs: nowMs, isOther: false }
    if (!this.known.isOther && Math.abs(nowMs - this.known.sinceMs) < STANDING_MS) return
    // The next query checks of which network each node is.
    if (!this.known.isOther) reader.distrust()
    const kept = await chain.blockAt(reader.network, latest)
    const block = kept === undefined ? null : await reader.block(latest, await chain.watched(reader.network))
    const isOther = block !== null && block.hash !== kept?.hash
    this.known = { sinceMs: nowMs, isOther }
    if (!isOther) return
    const fewer = `the nodes have fewer blocks than the ${tip} that were read`
    const other = `their newest, ${latest}, is another one than was read`
    const cause = 'the network was reset, or the nodes are of another one'
    throw new NetworkProblem('replaced', `${reader.network}: ${fewer}, and ${other}; ${cause}`)
  }
}
