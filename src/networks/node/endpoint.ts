import { backOffMs } from '../../base/back-off.js'
import type { Clock } from '../../clock.js'
import type { HttpJson } from './http-json.js'
import { HttpFailure } from './node-failure.js'

/** The pause after a failure, doubled with every failure in a row. */
export const PAUSE_MIN_MS = 1000
export const PAUSE_MAX_MS = 60_000
/** The longest pause that a node can ask for, so that it cannot disable itself for good. */
export const ASKED_PAUSE_MAX_MS = 5 * 60_000

/** The statuses with which a node turns clients away for now. Hosted nodes answer 403 under load. */
const LIMITING_STATUSES: readonly (number | null)[] = [403, 429, 503]

/** A node at an address, and whether to use it now. */
export class Endpoint<Node> {
  /** Failed queries in total. */
  failures = 0
  /** Whether the node was checked to be of the configured network since its last failure. */
  isChecked = false
  private failuresInRow = 0
  private failedAtMs = 0
  private pauseMs = 0
  private isTried = false

  constructor(
    readonly http: HttpJson,
    readonly node: Node,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** Whether its last query succeeded. */
  get isHealthy(): boolean {
    return this.failuresInRow === 0
  }

  /**
   * Begins a query. False while the endpoint is skipped: during its pause, and then while one query finds out whether
   * it has recovered.
   */
  begin(): boolean {
    if (this.isHealthy) return true
    const sinceMs = this.clock.now() - this.failedAtMs
    // A clock that was set back ends the pause.
    if (this.isTried || (sinceMs >= 0 && sinceMs < this.pauseMs)) return false
    this.isTried = true
    return true
  }

  /** Ends a query whose failure is not the node's. */
  withdraw(): void {
    this.isTried = false
  }

  succeeded(): void {
    this.isTried = false
    this.failuresInRow = 0
  }

  failed(error: Error): void {
    this.isTried = false
    this.isChecked = false
    this.failures += 1
    this.failuresInRow += 1
    this.failedAtMs = this.clock.now()
    const backOff = { firstMs: PAUSE_MIN_MS, maxMs: PAUSE_MAX_MS, random: this.random }
    this.pauseMs = Math.max(backOffMs(this.failuresInRow, backOff), askedPauseMs(error))
  }
}

function askedPauseMs(error: Error): number {
  if (!(error instanceof HttpFailure) || !LIMITING_STATUSES.includes(error.status)) return 0
  return Math.min(error.retryAfterMs ?? 0, ASKED_PAUSE_MAX_MS)
}
