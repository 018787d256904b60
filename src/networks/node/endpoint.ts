import { backOffMs } from '../../base/back-off.js'
import type { Clock } from '../../clock.js'
import { type Problem, WrongNode } from '../network-reader.js'
import { limitOf, type NodeFailure, UnfitNode } from './answer.js'
import type { ChainNode } from './chain-node.js'
import type { HttpJson } from './http-json.js'

/** The pause after a failure, doubled with every failure in a row. */
export const PAUSE_MIN_MS = 1000
export const PAUSE_MAX_MS = 60_000

/** What a query is about. What went wrong with one kind is over when a query of this kind succeeds. */
export type QueryKind = 'check' | 'head' | 'blocks'

/** A node at an address, and whether to use it now. */
export class Endpoint {
  /** Failed queries in total, without those that were refused for their rate. */
  failures = 0
  /** The time of its newest block while that is too old; null while it is not. */
  stalledMs: number | null = null
  private readonly problems = new Map<QueryKind, Problem>()
  private failuresInRow = 0
  private failedAtMs = 0
  private pauseMs = 0
  private isTried = false
  private checked: Promise<void> | null = null

  constructor(
    readonly http: HttpJson,
    readonly node: ChainNode,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** Whether its last query succeeded. */
  get isHealthy(): boolean {
    return this.failuresInRow === 0
  }

  /** Whether a query would be answered at once, as far as is known. */
  get isReady(): boolean {
    return this.isHealthy && !this.http.pacer.isSlow
  }

  /**
   * Resolves when the node has been checked to be of the configured network since its last failure or doubt. Rejects like
   * the check. A check that is under way is not begun twice.
   */
  check(): Promise<void> {
    if (this.checked === null) {
      const check = this.node.check()
      this.checked = check
      check.catch(() => {
        if (this.checked === check) this.checked = null
      })
    }
    return this.checked
  }

  /** Lets the node be checked again before its next query. */
  doubt(): void {
    this.checked = null
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

  /** What is wrong with the node until somebody acts; null when nothing is known. */
  get problem(): Problem | null {
    return [...this.problems.values()][0] ?? null
  }

  /** Before the query the node was checked. */
  succeeded(kind: QueryKind): void {
    this.isTried = false
    this.failuresInRow = 0
    this.problems.delete('check')
    this.problems.delete(kind)
  }

  /** Returns the problem that the error tells of, if it is one. */
  failed(error: NodeFailure | WrongNode, kind: QueryKind): Problem | null {
    this.isTried = false
    this.failedAtMs = this.clock.now()
    // A refusal for the rate says nothing about the node, and when to call again is the pacer's matter.
    if (limitOf(error) !== null) return null
    this.failures += 1
    this.doubt()
    this.failuresInRow += 1
    this.pauseMs = backOffMs(this.failuresInRow, { firstMs: PAUSE_MIN_MS, maxMs: PAUSE_MAX_MS, random: this.random })
    if (!(error instanceof UnfitNode || error instanceof WrongNode)) return null
    const problem = { reason: error.reason, message: error.message }
    this.problems.set(error instanceof WrongNode ? 'check' : kind, problem)
    return problem
  }
}
