import type { Network } from '../domain/network.js'
import type { LedgerFollower } from '../ledger/follower.js'
import type { Logger } from '../log.js'
import type { ChainWatcher } from '../networks/chain-watcher.js'
import type { OnOwed } from '../store/changes.js'
import type { LeadershipPort } from '../store/leadership.js'
import type { LeaderWork } from './leader-work.js'

const NO_WATCHERS: readonly ChainWatcher[] = []
const NONE_ASIDE: ReadonlyMap<Network, number> = new Map()

/** The work of the leader, while this process leads: alone on a data directory, one of several on a database. */
export class Duties {
  private work: LeaderWork | null = null
  private isStarted = false

  constructor(
    private readonly leadership: LeadershipPort,
    /** The work, which has not begun. */
    private readonly makeWork: () => LeaderWork,
    private readonly log: Logger,
  ) {}

  /** Begins the work, or waits for the process that does it. Throws `OperatorError` when it cannot begin. */
  async start(): Promise<void> {
    await this.leadership.stand({ begin: () => this.begin(), end: () => this.end() })
    this.isStarted = true
    if (!this.isLeading) {
      this.log.info('another process sends the webhooks and watches the networks: this one takes over when it ends')
    }
  }

  get isLeading(): boolean {
    return this.work !== null
  }

  get watchers(): readonly ChainWatcher[] {
    return this.work?.watchers ?? NO_WATCHERS
  }

  get follower(): LedgerFollower | null {
    return this.work?.follower ?? null
  }

  /** How many deposits of each network are set aside, because their recording failed. */
  depositsAside(): ReadonlyMap<Network, number> {
    return this.work?.depositsAside.byNetwork() ?? NONE_ASIDE
  }

  /** Destinations that have webhooks to send. */
  get laneCount(): number {
    return this.work?.dispatcher.laneCount ?? 0
  }

  /** The part of the work that a stop waits for; null when there is none. */
  get waitsFor(): string | null {
    return this.work?.waitsFor ?? null
  }

  /** Reports deliveries that have become due by this process. A leader elsewhere learns of them from the store. */
  readonly notify: OnOwed = (owed) => this.work?.dispatcher.notify(owed)

  /** Begins no more deliveries, and resolves when those in progress are over. New ones stay in the outbox. */
  async stopSending(): Promise<void> {
    await this.work?.stopSending()
  }

  /** Ends the work, and lets another process take over. */
  async stop(): Promise<void> {
    await this.leadership.resign()
  }

  private async begin(): Promise<void> {
    const work = this.makeWork()
    this.work = work
    try {
      await work.start()
      if (this.isStarted) this.log.info('this process sends the webhooks and watches the networks from now on')
    } catch (error) {
      this.work = null
      await work.stop()
      if (this.isStarted) this.log.error({ err: error }, 'this process cannot take over the work of another one')
      throw error
    }
  }

  private async end(): Promise<void> {
    const { work } = this
    if (work === null) return
    await work.stop()
    this.work = null
  }
}
