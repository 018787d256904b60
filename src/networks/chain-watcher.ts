import { MailboxFull } from '../actors/wallet-directory.js'
import { backOffMs } from '../base/back-off.js'
import type { Network } from '../domain/network.js'
import { pause, type Scheduler } from '../scheduler.js'
import { StorageUnavailable } from '../store/refusals.js'
import { ChainProgress, type ChainProgressOptions } from './chain-progress.js'
import {
  type AgedHead,
  type EndpointHealth,
  NetworkProblem,
  NodeBehind,
  NodeUnavailable,
  problemOf,
  refusalOf,
  WrongNode,
} from './network-reader.js'
import { CatchUpLog, emptyRecord, noteMoved, stateOf, type WatcherRecord, type WatcherState } from './watcher-state.js'

/** The longest pause between two attempts. */
export const RETRY_PAUSE_MAX_MS = 15_000

/** Failures in a row from which it is logged that a second node is behind. */
const BEHIND_LOGGED_FROM = 8
/** At nodes that limit the rate, the head is queried once in so many calls that they allow: it costs one or two of them. */
const CALLS_PER_HEAD = 8

/** The record of the last attempt when it succeeded. */
const SUCCEEDED = { failures: 0, lastError: null, refusal: null, problem: null } satisfies Partial<WatcherRecord>

export interface ChainWatcherOptions extends Omit<ChainProgressOptions, 'record' | 'isStopping'> {
  readonly scheduler: Scheduler
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random: () => number
  /** Pause between two queries at the head, and the first pause after a failure. */
  readonly pollMs: number
  /** What makes the network: as long as it stays the same, nodes that were right once are of the same network. */
  readonly settings: string
}

/**
 * Watches a real network: reads its head, brings the store there, and polls again. Failures are retried after a pause.
 * No block is skipped, and each is recorded as a whole or not at all.
 */
export class ChainWatcher {
  readonly network: Network
  private readonly record: WatcherRecord
  private readonly progress: ChainProgress
  private readonly catchUpLog: CatchUpLog
  private isRemembered = false
  private isVerified = false
  private verifying: Promise<void> | null = null
  private wasRight = false
  private isNoted = false
  private headAtMs = Number.NEGATIVE_INFINITY
  private running: Promise<void> | null = null
  private readonly stopping = new AbortController()

  constructor(private readonly options: ChainWatcherOptions) {
    const { reader, clock, log } = options
    this.network = reader.network
    this.record = emptyRecord(reader.network, clock.now())
    this.progress = new ChainProgress({ ...options, record: this.record, isStopping: () => this.isStopping })
    this.catchUpLog = new CatchUpLog(this.record, clock, log, options.pollMs)
  }

  /**
   * Begins to watch, whatever the nodes say when they are asked first: that is the state of the watcher, and they are asked
   * again. Rejects, while it goes on, when they show that these settings are wrong, which never were right: with `WrongNode`.
   */
  async start(): Promise<void> {
    const failure = await this.begin()
    if (!this.isStopping) this.running = this.run()
    if (failure !== null && !isPassing(failure.error) && !(failure.error instanceof WrongNode && this.wasRight))
      throw failure.error
  }

  private async begin(): Promise<{ readonly error: unknown } | null> {
    try {
      // Before the nodes are asked: what is paid while none answers counts too.
      await this.remember()
      await new Promise<void>((resolve, reject) => {
        // A node that limits the rate is waited for by `run`.
        this.verify(resolve).then(resolve, reject)
      })
      return null
    } catch (error) {
      this.noteFailure(error)
      return { error }
    } finally {
      // Of nodes that were right once, one that has become wrong is left out, and the others are read.
      if (this.wasRight) this.isVerified = true
    }
  }

  /** Ends the queries in progress, since a node may let them wait for long, and waits for the step in progress. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.options.reader.close()
    await this.running
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted
  }

  endpoints(): readonly EndpointHealth[] {
    return this.options.reader.endpoints()
  }

  state(): WatcherState {
    const { reader, clock } = this.options
    return stateOf({ ...this.record, problem: this.record.problem ?? reader.problem() }, clock)
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    while (!this.isStopping) {
      const pauseMs = await this.attempt()
      if (pauseMs > 0) await pause(this.options.scheduler, pauseMs, this.stopping.signal)
    }
  }

  /** Returns the pause before the next attempt. */
  private async attempt(): Promise<number> {
    try {
      await this.remember()
      await this.progress.countAside()
      await this.verify()
      const head = await this.head()
      await this.noteRight()
      const isMore = await this.progress.advance(head)
      Object.assign(this.record, SUCCEEDED, { succeededAtMs: this.options.clock.now() })
      noteMoved(this.record, isMore, this.options.clock.now())
      this.catchUpLog.update()
      if (isMore) return 0
      this.headAtMs = Number.NEGATIVE_INFINITY
      return this.headEveryMs
    } catch (error) {
      // Then the query was ended.
      if (this.isStopping) return 0
      this.headAtMs = Number.NEGATIVE_INFINITY
      const { reader, clock, pollMs, random } = this.options
      noteMoved(this.record, false, clock.now())
      if (error instanceof NetworkProblem) reader.distrust()
      const failures = this.noteFailure(error)
      const node = error instanceof NodeUnavailable ? error : null
      // Not later however seldom the network is polled, and not before the nodes are asked again that have just failed.
      const pauseMs = node?.isOfBlock
        ? backOffMs(failures, { firstMs: pollMs, maxMs: RETRY_PAUSE_MAX_MS })
        : backOffMs(failures, { firstMs: pollMs, maxMs: Math.max(RETRY_PAUSE_MAX_MS, pollMs), random })
      // A node has pauses of its own. Without this, one that is back would wait for the rest of this one, too.
      return Math.min(pauseMs, node?.againInMs ?? Number.POSITIVE_INFINITY)
    }
  }

  /** Notes that the network is watched, and learns whether its nodes were right with these settings before. */
  private async remember(): Promise<void> {
    if (this.isRemembered) return
    const { chain, settings } = this.options
    const { watchedAt, settings: right } = await chain.watch(this.network)
    const position = (await chain.position(this.network)) ?? null
    this.record.watchedAt = watchedAt ?? this.record.watchedAt
    this.record.position = position
    // Data of before does not say with which settings it was watched.
    this.wasRight = right === settings || (right === null && position !== null)
    this.isNoted = right === settings
    this.isRemembered = true
  }

  /** A verification that is under way is not begun again. */
  private async verify(onRefusal?: () => void): Promise<void> {
    if (this.isVerified) return
    this.verifying ??= this.options.reader.verify(onRefusal).finally(() => {
      this.verifying = null
    })
    await this.verifying
    this.isVerified = true
  }

  /** Call it when a node was checked and has answered. */
  private async noteRight(): Promise<void> {
    if (this.isNoted) return
    await this.options.chain.noteSettings(this.network, this.options.settings)
    this.isNoted = true
  }

  /** Queries the head no more often while there is much to do than while there is nothing. */
  private async head(): Promise<AgedHead> {
    const { reader, clock } = this.options
    const known = this.record.head
    if (known !== null && Math.abs(clock.now() - this.headAtMs) < this.headEveryMs) return known
    const head = await reader.head()
    this.record.head = head
    this.headAtMs = clock.now()
    return head
  }

  /** The time from one query of the head to the next. */
  private get headEveryMs(): number {
    const { reader, pollMs } = this.options
    return Math.max(pollMs, Math.ceil((CALLS_PER_HEAD * 1000) / reader.callsPerSecond()))
  }

  /** Returns how many attempts in a row have failed. */
  private noteFailure(error: unknown): number {
    const { log } = this.options
    const message = error instanceof Error ? error.message : String(error)
    const problem = problemOf(error)
    const failures = this.record.failures + 1
    this.record.failures = failures
    this.record.lastError = message
    this.record.refusal = refusalOf(error)
    if (problem !== null) this.record.problem = problem
    const about = { network: this.network, failures, err: error }
    // Two nodes are seldom at the same block.
    if (error instanceof NodeBehind && failures < BEHIND_LOGGED_FROM) return failures
    if (problem !== null)
      log.error(
        { ...about, reason: problem.reason },
        'cannot watch the network; see docs/networks.md, or correct the settings',
      )
    // Each time that they have become twice as many, so that a long outage does not fill the log.
    else if (isPassing(error) && Number.isInteger(Math.log2(failures)))
      log.warn(about, 'cannot watch the network for now')
    else if (!isPassing(error)) log.error(about, 'watching the network failed')
    return failures
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof NodeUnavailable || error instanceof MailboxFull || error instanceof StorageUnavailable
}
