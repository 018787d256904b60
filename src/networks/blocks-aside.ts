import type { Intake } from '../actors/intake.js'
import { backOffMs } from '../base/back-off.js'
import type { Clock } from '../clock.js'
import type { BlockAside } from '../domain/aside.js'
import type { Logger } from '../log.js'
import { pause, type Scheduler } from '../scheduler.js'
import type { AsidePort } from '../store/aside.js'
import type { ChainPort } from '../store/chain.js'
import { type NetworkReader, NodeUnavailable } from './network-reader.js'

/** Pause between two rounds. */
const ROUND_MS = 5000
/** Blocks that are asked for in a round, so that the nodes have time for what is new. */
const ASKED_AT_ONCE = 3
/** The pause before a block is asked for again, doubled with every failure. */
const PAUSE_MIN_MS = 10_000
const PAUSE_MAX_MS = 5 * 60_000

export interface BlocksAsideOptions {
  readonly reader: Pick<NetworkReader, 'network' | 'again'>
  readonly aside: Pick<AsidePort, 'blocks'>
  readonly chain: Pick<ChainPort, 'watched'>
  readonly intake: Pick<Intake, 'observe'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random: () => number
  readonly log: Logger
}

/** Asks in the background for the blocks, or parts of them, that a network goes on without. Their deposits come late, but come. */
export class BlocksAside {
  /** By height: failures in a row, and when the block is asked for again. */
  private readonly tries = new Map<number, { readonly failures: number; readonly dueMs: number }>()

  private readonly stopping = new AbortController()
  private running: Promise<void> | null = null

  constructor(private readonly options: BlocksAsideOptions) {}

  start(): void {
    this.running = this.run()
  }

  /** Waits for the query, which the end of its reader ends, or the step in progress. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    const { scheduler, log, reader } = this.options
    const { signal } = this.stopping
    while (!signal.aborted) {
      await this.round().catch((error: unknown) =>
        log.warn({ network: reader.network, err: error }, 'blocks that are set aside cannot be asked for'),
      )
      await pause(scheduler, ROUND_MS, signal)
    }
  }

  private async round(): Promise<void> {
    const { aside, reader, clock } = this.options
    const rows = (await aside.blocks(reader.network)).filter(({ hash }) => hash !== null)
    const now = clock.now()
    const failuresAt = ({ height }: BlockAside): number => this.tries.get(height)?.failures ?? 0
    const due = rows
      .filter(({ height }) => (this.tries.get(height)?.dueMs ?? 0) <= now)
      // However many can never be read, they hold up no other one.
      .sort((a, b) => failuresAt(a) - failuresAt(b))
    for (const row of due.slice(0, ASKED_AT_ONCE)) {
      if (!this.stopping.signal.aborted) await this.ask(row)
    }
  }

  private async ask({ height, hash, since }: BlockAside): Promise<void> {
    const { reader, chain, intake, log } = this.options
    const { network } = reader
    const about = { network, block: height }
    try {
      const block = await reader.again(height, await chain.watched(network))
      if (block.hash !== hash) throw new NodeUnavailable(`block ${height} is ${block.hash} now, and was ${hash}`)
      const { status } = await intake.observe({ type: 'recover', network, blocks: [block] })
      // It may have left the chain meanwhile, or be settled by another process.
      if (status === 'applied' && block.untold !== undefined) {
        const reason = block.untold.reason
        this.failed(height)
        log.info(
          { ...about, reason },
          'transactions of a block still cannot be traced; its other deposits are recorded',
        )
        return
      }
      this.tries.delete(height)
      if (status === 'refused') return
      log.warn({ ...about, transfers: block.transfers.length, since }, 'a block that was set aside has been read')
    } catch (error) {
      if (!(error instanceof NodeUnavailable)) throw error
      if (this.stopping.signal.aborted) return
      this.failed(height)
      log.info({ ...about, reason: error.message }, 'a block that is set aside still cannot be read')
    }
  }

  private failed(height: number): void {
    const { clock, random } = this.options
    const failures = (this.tries.get(height)?.failures ?? 0) + 1
    const dueMs = clock.now() + backOffMs(failures, { firstMs: PAUSE_MIN_MS, maxMs: PAUSE_MAX_MS, random })
    this.tries.set(height, { failures, dueMs })
  }
}
