import type { Clock } from '../clock.js'
import type { ChainOutcome, ChainPosition } from '../domain/block.js'
import type { Network } from '../domain/network.js'
import type { ChainHead } from './network-reader.js'

/** The state of a watcher, for metrics and health. Counts are since the start of the process. */
export interface WatcherState {
  readonly network: Network
  /** The last report of a node; null before the first. */
  readonly head: ChainHead | null
  /** The last recorded block, and how far blocks are confirmed; null before the first. */
  readonly position: ChainPosition | null
  /** Blocks up to the head that are not recorded; null while either is unknown. */
  readonly lagBlocks: number | null
  /** The age of the last recorded block; null before the first. */
  readonly lagMs: number | null
  readonly reorganisations: number
  readonly confirmedBlocksUndone: number
  /** Transfers that differed from the first reading when their block was confirmed. */
  readonly repaired: number
  /** Failed attempts in a row. */
  readonly failures: number
  /** Why the last attempt failed; null when it succeeded. */
  readonly lastError: string | null
  /** What stops the watcher until an operator acts; null when nothing does. */
  readonly problem: string | null
}

/** Collects a watcher's state. */
export class WatcherRecord {
  head: ChainHead | null = null
  position: ChainPosition | null = null
  private reorganisations = 0
  private confirmedBlocksUndone = 0
  private repaired = 0
  private failures = 0
  private lastError: string | null = null
  private problem: string | null = null

  constructor(
    readonly network: Network,
    private readonly clock: Clock,
  ) {}

  /** Whether confirmed blocks are missing. */
  get isCatchingUp(): boolean {
    return this.head !== null && this.position !== null && this.position.tip.height < this.head.confirmed
  }

  reorganised(): void {
    this.reorganisations += 1
  }

  applied(outcome: Extract<ChainOutcome, { status: 'applied' }>): void {
    this.confirmedBlocksUndone += outcome.confirmedBlocksUndone
    this.repaired += outcome.repaired
  }

  succeeded(): void {
    this.failures = 0
    this.lastError = null
    this.problem = null
  }

  /** Returns how many attempts in a row have failed. */
  failed(message: string, isProblem: boolean): number {
    this.failures += 1
    this.lastError = message
    if (isProblem) this.problem = message
    return this.failures
  }

  state(): WatcherState {
    const { network, head, position } = this
    const tip = position?.tip ?? null
    return {
      network,
      head,
      position,
      lagBlocks: head === null || tip === null ? null : Math.max(0, head.latest - tip.height),
      lagMs: tip === null ? null : Math.max(0, this.clock.now() - tip.timeMs),
      reorganisations: this.reorganisations,
      confirmedBlocksUndone: this.confirmedBlocksUndone,
      repaired: this.repaired,
      failures: this.failures,
      lastError: this.lastError,
      problem: this.problem,
    }
  }
}
