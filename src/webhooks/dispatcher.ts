import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { State, type WrongTransition } from '../base/state.js'
import { ONE_ATTEMPT } from '../domain/retry.js'
import type { Delivery, DeliveryResult } from '../domain/webhook.js'
import { type Scheduler, systemScheduler } from '../scheduler.js'
import { BEHIND_ALL, type LaneKey, type LaneOfOwner, type OutboxPort, type OwedDelivery } from '../store/outbox.js'
import { StorageUnavailable } from '../store/refusals.js'
import { type AttemptEnd, type AttemptParts, Attempts } from './attempt.js'
import { OutboxLane } from './outbox-lane.js'
import { Retries } from './retries.js'
import { type Slot, Slots } from './slots.js'

/** Turns after which other work gets a turn of the event loop: with a store in this process a turn may never wait. */
const TURNS_IN_A_ROW_MAX = 64
/** Behind the id of every delivery, where new ones are. */
/** Until the next try when the disk refuses the first write. */
const START_PAUSE_MS = 1000

export interface DispatcherOptions extends AttemptParts {
  readonly outbox: AttemptParts['outbox'] &
    Pick<
      OutboxPort,
      'settleInterrupted' | 'queuedLanes' | 'queued' | 'nextRetryAt' | 'releaseRetries' | 'adjustRetries'
    >
  /** Attempts in flight to all destinations together. */
  readonly concurrency: number
  /** Attempts in flight to one destination of an owner. */
  readonly concurrencyPerDestination: number
  /**
   * Hears of a state that a lane or the dispatcher was not meant to enter, and throws in tests. By default an error is logged, and the
   * webhooks go on.
   */
  readonly onWrongTransition?: (error: WrongTransition) => void
}

type DispatcherState = 'new' | 'starting' | 'running' | 'stopping'

/**
 * Sends the deliveries that are owed. Each attempt is marked durably, made once, and its outcome recorded (decisions 7).
 * A delivery has one attempt unless the retry policy allows more.
 * ```
 *  store (the queue) ──rows──► lane ──turn──► slot ──► mark ──► send ──► record
 *                               ▲                                  │
 *                               └──── the slot is free again ◄────┘
 * ```
 * The next delivery is marked while the last one is recorded, in one commit. Memory holds the attempts in flight, and one
 * small object for each lane that has something to do.
 *
 * A dispatcher is in one of these states:
 *
 * - NEW: it has not begun, or waits to begin again because the disk refused the first write. Lanes gather, nothing is sent.
 *   - `start` → STARTING.
 *   - `stop` → STOPPING.
 * - STARTING: it settles the attempts that were interrupted, and reads which lanes have something queued. Nothing is sent, so no
 *   attempt of this process is among those that it settles.
 *   - → NEW, when the disk refuses the write.
 *   - → RUNNING, when that is done.
 *   - `stop` → STOPPING.
 * - RUNNING: lanes have their turns one at a time, as long as attempts may begin.
 *   - `stop` → STOPPING.
 * - STOPPING: nothing begins any more, and what is in flight is recorded. It stays so: a second `stop` waits for the same, and a
 *   `start` does nothing.
 *
 * Every transition asserts the state that it comes from. Those of the lanes are told in `OutboxLane`.
 */
export class Dispatcher {
  /** The lanes that have something queued or in flight. */
  private readonly lanes = new Map<LaneKey, OutboxLane>()
  private readonly attempts: Attempts
  private readonly underWay = new Set<Promise<void>>()
  private readonly slots: Slots
  private readonly retries: Retries
  private readonly scheduler: Scheduler
  private cancelStart = (): void => {}
  private readonly onWrongTransition: (error: WrongTransition) => void
  /** Wrong transitions that were logged: a defect that comes again and again fills no log. */
  private readonly reported = new Set<string>()
  private readonly state: State<DispatcherState>
  private isTakingTurns = false
  private turns: Promise<void> = Promise.resolve()

  constructor(private readonly options: DispatcherOptions) {
    this.scheduler = options.scheduler ?? systemScheduler
    const { scheduler } = this
    this.onWrongTransition = options.onWrongTransition ?? ((error) => this.reportWrong(error))
    this.state = new State('a dispatcher', 'new', this.onWrongTransition)
    this.slots = new Slots(options.concurrency, options.clock, scheduler, () => this.takeTurns())
    this.attempts = new Attempts(options)
    this.retries = new Retries({
      outbox: options.outbox,
      clock: options.clock,
      scheduler,
      log: options.log,
      attemptsMax: (options.retry ?? ONE_ATTEMPT).attemptsMax,
      onDue: (owed) => this.notify(owed),
    })
  }

  /**
   * Settles the attempts that were interrupted when the process last ended, then begins with everything queued. While the
   * disk refuses writes it tries again later.
   */
  async start(): Promise<void> {
    const { outbox, log } = this.options
    if (this.isStopping) return
    // A second start would settle attempts that are under way.
    if (!this.state.mayEnter('starting', 'new')) return
    this.state.enter('starting', 'new')
    // First: later there would be attempts of this process among the marked ones.
    const interrupted = await this.settleInterrupted()
    if (interrupted === null) return
    if (interrupted > 0) {
      log.warn({ deliveries: interrupted }, 'webhooks were interrupted when the process last ended')
      this.options.observer?.interrupted(interrupted)
    }
    for (const lane of await outbox.queuedLanes()) this.offer(this.laneOf(lane))
    if (this.isStopping) return
    this.state.enter('running', 'starting')
    this.retries.start()
    this.takeTurns()
  }

  /** How many there were; null while the disk refuses writes. */
  private async settleInterrupted(): Promise<number | null> {
    const { outbox, log } = this.options
    try {
      return await outbox.settleInterrupted(this.attempts.decideRetry)
    } catch (err) {
      if (!(err instanceof StorageUnavailable)) throw err
      log.error({ err }, 'webhooks wait for the store')
      if (this.isStopping) return null
      this.state.enter('new', 'starting')
      this.cancelStart = this.scheduler.after(START_PAUSE_MS, () => void this.start())
      return null
    }
  }

  /** Reports deliveries that have become due. They are in the store already; this only says where to look. */
  notify(owed: readonly OwedDelivery[]): void {
    if (this.isStopping) return
    for (const one of owed) {
      const lane = this.laneOf(one)
      lane.wake(one.id)
      this.offer(lane)
    }
    this.takeTurns()
  }

  /** Looks for deliveries that nobody has reported: a write whose answer was lost may have queued some. */
  async lookAgain(): Promise<void> {
    this.notify((await this.options.outbox.queuedLanes()).map((lane) => ({ ...lane, id: BEHIND_ALL })))
  }

  /**
   * Begins nothing more and waits until the attempts in flight are recorded, at most as long as an attempt may take. The
   * rest stays queued in the store.
   */
  async stop(): Promise<void> {
    this.state.enter('stopping', 'new', 'starting', 'running', 'stopping')
    this.cancelStart()
    this.attempts.stop()
    await this.retries.stop()
    await this.turns
    await Promise.all(this.underWay)
  }

  /** Lanes with deliveries queued or in flight. Deliveries that wait for a retry do not count. */
  get laneCount(): number {
    return this.lanes.size
  }

  /** The lane, created on first use. */
  private laneOf({ lane: key, owner }: LaneOfOwner): OutboxLane {
    const known = this.lanes.get(key)
    if (known !== undefined) return known
    const lane = new OutboxLane(key, owner, this.options.concurrencyPerDestination, this.onWrongTransition)
    this.lanes.set(key, lane)
    return lane
  }

  /** Lets a resting lane take turns when it has something to do, and drops it when it has nothing left. */
  private offer(lane: OutboxLane): void {
    if (lane.state !== 'resting') return
    if (lane.hasMore && lane.room > 0) this.slots.enter(lane)
    else if (lane.isEmpty) {
      this.lanes.delete(lane.key)
      lane.drop()
    }
  }

  /** Asked behind a wait, during which a stop may have come. */
  private get isStopping(): boolean {
    return this.state.now === 'stopping'
  }

  /** Attempts being recorded count too, so that a slow store does not fill the memory. */
  private get mayBegin(): boolean {
    return this.state.now === 'running' && this.underWay.size - this.slots.beside < this.options.concurrency
  }

  private takeTurns(): void {
    if (!this.isTakingTurns && this.mayBegin) this.turns = this.runTurns()
  }

  private async runTurns(): Promise<void> {
    this.isTakingTurns = true
    for (let turn = 1; this.mayBegin; turn += 1) {
      const lane = this.slots.next()
      if (lane === undefined) break
      await this.turn(lane)
      if (turn % TURNS_IN_A_ROW_MAX === 0) await nextTurnOfLoop()
    }
    this.isTakingTurns = false
  }

  private async turn(lane: OutboxLane): Promise<void> {
    const read = lane.beginRead(this.slots.roomFor(lane))
    let rows: readonly Delivery[] = []
    try {
      if (read !== null) rows = await this.options.outbox.queued(lane.key, read.after, read.limit)
    } catch (error) {
      this.pause(lane, error)
      return
    }
    // A mark that failed during the read has paused the lane, and it starts over.
    if (lane.state !== 'in_turn') return
    if (read !== null) lane.endRead(rows, read.limit)
    this.begin(lane)
  }

  /** Begins the attempts that may begin, and sets the lane's state. */
  private begin(lane: OutboxLane): void {
    const room = this.slots.roomFor(lane)
    const chosen = lane.choose(room)
    for (const delivery of chosen) this.track(lane, delivery)
    lane.endTurn()
    // Rows left although there was room wait for a delivery of their own invoice; its end offers the lane again.
    if (chosen.length > 0 || !lane.hasAhead || room === 0) this.offer(lane)
  }

  private track(lane: OutboxLane, delivery: Delivery): void {
    const slot = this.slots.take(lane)
    lane.add(delivery)
    const attempt = this.attempts
      .make(delivery, {
        onSent: () => slot.sent(),
        onAnswered: (result) => this.answered(lane, delivery, slot, result),
      })
      .then((end) => {
        this.underWay.delete(attempt)
        lane.answered(delivery)
        slot.free()
        lane.remove(delivery)
        this.learn(lane, end)
        this.offer(lane)
        this.takeTurns()
      })
    this.underWay.add(attempt)
  }

  private answered(lane: OutboxLane, delivery: Delivery, slot: Slot, result: DeliveryResult): void {
    lane.learn(result)
    slot.answered()
    lane.answered(delivery)
    slot.free()
    this.offer(lane)
    this.takeTurns()
  }

  private learn(lane: OutboxLane, end: AttemptEnd): void {
    if (end.kind === 'store_failed') this.pause(lane, end.error)
    if (end.kind !== 'sent') return
    lane.failures = 0
    if (end.retryAt !== null) this.retries.expect(end.retryAt)
  }

  /** Pauses a lane because the store failed. Its deliveries are still queued. */
  private pause(lane: OutboxLane, error: unknown): void {
    lane.startOver()
    if (lane.state === 'paused') return
    lane.pause()
    this.options.log.error({ err: error, lane: lane.key, failures: lane.failures }, 'webhooks wait for the store')
    void this.attempts.pause(lane.failures).then(() => {
      lane.resume()
      this.offer(lane)
      this.takeTurns()
    })
  }

  private reportWrong(error: WrongTransition): void {
    if (this.reported.has(error.message)) return
    this.reported.add(error.message)
    this.options.log.error({ err: error }, 'webhooks go on after a defect of this program')
  }
}
