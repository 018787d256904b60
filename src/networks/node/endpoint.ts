import { backOffMs } from '../../base/back-off.js'
import type { Clock } from '../../clock.js'
import { type EndpointHealth, type NodeRefusal, type Problem, WrongNode } from '../network-reader.js'
import { type BlockVerdict, limitOf, type NodeFailure, UnfitNode, verdictOf } from './answer.js'
import type { ChainNode } from './chain-node.js'
import type { HttpJson } from './http-json.js'

/** The pause after a failure, doubled with every failure in a row. */
export const PAUSE_MIN_MS = 1000
export const PAUSE_MAX_MS = 15_000

/**
 * For so long a check of a node holds although queries fail, since a node that fails now and then would be checked all the time.
 * If another chain has come behind its address meanwhile, its blocks are not the children of those that were read.
 */
export const CHECK_HOLDS_MS = 60_000

/** What a query is about. What went wrong with one kind is over when a query of this kind succeeds. */
export type QueryKind = 'check' | 'head' | 'blocks'

/** Failures of these kinds are failures of the node as such: then it is asked for nothing else. */
const OF_EVERYTHING: readonly QueryKind[] = ['check', 'head']

/** Failures of one kind of query in a row. */
interface Failing {
  readonly inRow: number
  readonly atMs: number
  readonly pauseMs: number
  readonly refusal: NodeRefusal
  isTried: boolean
}

/** A node at an address, and whether to use it now. */
export class Endpoint {
  /** Failed queries in total, without those that were refused for their rate. */
  failures = 0
  /** The time of its newest block while that is too old; null while it is not. */
  stalledMs: number | null = null
  /** How many of its blocks wait for their confirmation while these are too many; null while they are not. */
  unconfirmed: number | null = null
  /** Its newest block when it told its head the last time; null before the first. */
  newest: EndpointHealth['newest'] = null
  /** What its last failure, since it has not succeeded, says of the block that it was asked for. */
  verdict: BlockVerdict = 'nothing'
  private readonly problems = new Map<QueryKind, Problem>()
  private readonly failing = new Map<QueryKind, Failing>()
  /** Since when it has not had the blocks with which others are compared; null when it has had them. */
  private behindSinceMs: number | null = null
  private checked: Promise<void> | null = null
  private checkedAtMs = 0
  /** Whether a query has failed since the check. */
  private hasFailedSince = false

  constructor(
    readonly http: HttpJson,
    readonly node: ChainNode,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** Whether the last query of each kind succeeded. */
  get isHealthy(): boolean {
    return this.failing.size === 0
  }

  /** Whether a query would be answered at once, as far as is known. */
  get isReady(): boolean {
    return this.isHealthy && !this.http.pacer.isSlow
  }

  /**
   * Resolves when the node has been checked to be of the configured network, and neither doubted since nor checked long before
   * a failure. Rejects like the check. A check that is under way is not begun twice.
   */
  check(): Promise<void> {
    const sinceMs = Math.abs(this.clock.now() - this.checkedAtMs)
    if (this.hasFailedSince && sinceMs >= CHECK_HOLDS_MS) this.doubt()
    if (this.checked === null) {
      const check = this.node.check()
      this.checked = check
      this.checkedAtMs = this.clock.now()
      this.hasFailedSince = false
      check.catch(() => {
        if (this.checked === check) this.checked = null
      })
    }
    return this.checked
  }

  /** Notes that it lacks blocks that others have. True for a time from the first one on, in which it may get them. */
  isWaitedFor(waitMs: number): boolean {
    const nowMs = this.clock.now()
    this.behindSinceMs ??= nowMs
    return Math.abs(nowMs - this.behindSinceMs) < waitMs
  }

  /** Notes that it has the blocks that others have. */
  caughtUp(): void {
    this.behindSinceMs = null
  }

  /** Lets the node be checked again before its next query. */
  doubt(): void {
    this.checked = null
  }

  /**
   * Begins a query. False while the endpoint is skipped for its kind: during its pause, and then while one query finds out
   * whether it has recovered.
   */
  begin(kind: QueryKind): boolean {
    const concerned = this.concerning(kind)
    if (this.pauseLeftMs(kind) > 0 || concerned.some(({ isTried }) => isTried)) return false
    for (const failing of concerned) failing.isTried = true
    return true
  }

  /** What is left of the pause for a kind of query, ms. */
  pauseLeftMs(kind: QueryKind): number {
    const nowMs = this.clock.now()
    // A clock that was set back ends the pause.
    const left = ({ atMs, pauseMs }: Failing) => (nowMs < atMs ? 0 : Math.max(0, atMs + pauseMs - nowMs))
    return Math.max(0, ...this.concerning(kind).map(left))
  }

  /** Ends a query whose failure is not the node's. */
  withdraw(kind: QueryKind): void {
    for (const failing of this.concerning(kind)) failing.isTried = false
  }

  /** What the node answered the last time to a query of a kind for which it is skipped; null when it is not. */
  refusal(kind: QueryKind): NodeRefusal | null {
    return this.concerning(kind)[0]?.refusal ?? null
  }

  /** What is wrong with the node until somebody acts; null when nothing is known. */
  get problem(): Problem | null {
    return [...this.problems.values()][0] ?? null
  }

  /** Before the query the node was checked. True when it is well again. */
  succeeded(kind: QueryKind): boolean {
    const wasHealthy = this.isHealthy
    this.withdraw(kind)
    this.verdict = 'nothing'
    for (const kept of [this.problems, this.failing]) {
      kept.delete('check')
      kept.delete(kind)
    }
    return !wasHealthy && this.isHealthy
  }

  /** Returns the problem that the error tells of, if it is one. */
  failed(error: NodeFailure | WrongNode, kind: QueryKind): Problem | null {
    this.withdraw(kind)
    this.verdict = kind === 'blocks' || limitOf(error) !== null ? verdictOf(error) : 'nothing'
    // A refusal for the rate says nothing about the node, and when to call again is the pacer's matter.
    if (limitOf(error) !== null) return null
    this.failures += 1
    this.hasFailedSince = true
    if (error instanceof WrongNode || error instanceof UnfitNode) this.doubt()
    // Whatever was to be asked, the check has failed.
    const of = error instanceof WrongNode ? 'check' : kind
    const inRow = (this.failing.get(of)?.inRow ?? 0) + 1
    const pauseMs = backOffMs(inRow, { firstMs: PAUSE_MIN_MS, maxMs: PAUSE_MAX_MS, random: this.random })
    this.failing.set(of, { inRow, atMs: this.clock.now(), pauseMs, refusal: refusalIn(error), isTried: false })
    if (!(error instanceof UnfitNode || error instanceof WrongNode)) return null
    const { reason, message } = error
    const historyFrom = error instanceof UnfitNode ? error.historyFrom : undefined
    const problem = { reason, message, ...(historyFrom === undefined ? {} : { historyFrom }) }
    this.problems.set(of, problem)
    return problem
  }

  private concerning(kind: QueryKind): readonly Failing[] {
    return [...new Set([kind, ...OF_EVERYTHING])].flatMap((one) => this.failing.get(one) ?? [])
  }
}

/** What the node answered. */
export function refusalIn(error: NodeFailure | WrongNode): NodeRefusal {
  const question = error instanceof WrongNode ? null : error.question
  return { question, answer: error.message, isEarlier: false }
}
