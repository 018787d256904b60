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
} from './network-reader.js'
import { CatchUpLog, emptyRecord, stateOf, type WatcherRecord, type WatcherState } from './watcher-state.js'

/** The longest pause between two attempts. */
export const RETRY_PAUSE_MAX_MS = 60_000

/** Failures in a row from which it is logged that a second node is behind. */
const BEHIND_LOGGED_FROM = 8
/** At nodes that limit the rate, the head is queried once in so many calls that they allow: it costs one or two of them. */
const CALLS_PER_HEAD = 8

/** The record of the last attempt when it succeeded. */
const SUCCEEDED = { failures: 0, lastError: null, problem: null } satisfies Partial<WatcherRecord>

export interface ChainWatcherOptions extends Omit<ChainProgressOptions, 'record' | 'isStopping'> {
  readonly scheduler: Scheduler
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random: () => number
  /** Pause between two queries at the head, and the first pause after a failure. */
  readonly pollMs: number
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
  private isVerified = false
  private verifying: Promise<void> | null = null
  private headAtMs = Number.NEGATIVE_INFINITY
  private running: Promise<void> | null = null
  private readonly stopping = new AbortController()

  constructor(private readonly options: ChainWatcherOptions) {
    const { reader, clock, log } = options
    this.network = reader.network
    this.record = emptyRecord(reader.network)
    this.progress = new ChainProgress({ ...options, record: this.record, isStopping: () => this.isStopping })
    this.catchUpLog = new CatchUpLog(this.record, clock, log)
  }

  /**
   * Begins to watch, whatever the nodes say when they are asked first: that is the state of the watcher, and they are asked
   * again. Rejects, while it goes on, unless they could be read or did not answer yet: with `WrongNode` when a node says so.
   */
  async start(): Promise<void> {
    const failure = await new Promise<{ readonly error: unknown } | null>((resolve) => {
      // A node that limits the rate is waited for by `run`.
      const goOn = () => resolve(null)
      this.verify(goOn).then(goOn, (error: unknown) => resolve({ error }))
    })
    if (failure !== null) this.noteFailure(failure.error)
    if (!this.isStopping) this.running = this.run()
    if (failure !== null && !(failure.error instanceof NodeUnavailable)) throw failure.error
  }

  /** Waits for the query or step in progress, and closes the connections. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.options.reader.stopWaiting()
    await this.running
    await this.options.reader.close()
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
      await this.verify()
      const isMore = await this.progress.advance(await this.head())
      Object.assign(this.record, SUCCEEDED)
      this.catchUpLog.update()
      if (isMore) return 0
      this.headAtMs = Number.NEGATIVE_INFINITY
      return this.headEveryMs
    } catch (error) {
      this.headAtMs = Number.NEGATIVE_INFINITY
      const { reader, pollMs, random } = this.options
      if (error instanceof NetworkProblem) reader.distrust()
      const maxMs = Math.max(RETRY_PAUSE_MAX_MS, pollMs)
      return backOffMs(this.noteFailure(error), { firstMs: pollMs, maxMs, random })
    }
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
    if (problem !== null) this.record.problem = problem
    const about = { network: this.network, failures, err: error }
    // Two nodes are seldom at the same block.
    if (error instanceof NodeBehind && failures < BEHIND_LOGGED_FROM) return failures
    const isPassing =
      error instanceof NodeUnavailable || error instanceof MailboxFull || error instanceof StorageUnavailable
    if (problem !== null)
      log.error(
        { ...about, reason: problem.reason },
        'cannot watch the network; see docs/networks.md, or correct the settings',
      )
    // Each time that they have become twice as many, so that a long outage does not fill the log.
    else if (isPassing && Number.isInteger(Math.log2(failures))) log.warn(about, 'cannot watch the network for now')
    else if (!isPassing) log.error(about, 'watching the network failed')
    return failures
  }
}
