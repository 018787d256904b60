import { createHash } from 'node:crypto'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { checkData } from '../support/check-data.js'
import { ManualClock } from '../support/manual-clock.js'
import { memoryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js'
import { ChainMoves } from './chain-moves.js'
import { Comparison } from './comparison.js'
import { Facts } from './facts.js'
import { Model } from './model/model.js'
import type { ModelDelivery } from './model/outbox.js'
import { Random } from './random.js'
import type { Touched } from './referee.js'
import { RefereeOfDeliveries } from './referee-of-deliveries.js'
import { type Disturb, openSession, type Session } from './session.js'
import type { Script, Step } from './steps.js'
import { expectEqual, violate } from './violation.js'

/** Rounds in which everything that was begun must have come to its end; hundreds of webhooks, one at a time, take thousands. */
const ROUNDS_MAX = 100_000
/** How long is waited when nothing is under way and something is still to come. */
const STILL_WAIT_MS = 500
/** Times that something may become due at the end of a script. */
const RETRY_ROUNDS_MAX = 5000
/** What a start takes. Ids of one millisecond grow only within a life. */
const START_TAKES_MS = 1
const IDS_STREAM = 1
const JITTER_STREAM = 2
const SAMPLES_STREAM = 3

/** What a run did, for people. */
export interface Tally {
  commands: number
  calls: number
  sends: number
  crashes: number
  restarts: number
}

/** The core, the model, and everything around them that a script moves. One world plays one script. */
export class World {
  readonly tally: Tally = { commands: 0, calls: 0, sends: 0, crashes: 0, restarts: 0 }
  private readonly clock = new ManualClock()
  private readonly model = new Model()
  private readonly hash = createHash('sha256')
  private readonly ids: Random
  private readonly jitter: Random
  private readonly samples: Random
  private readonly facts = new Facts(this.model, () => this.clock.now())
  private readonly moves = new ChainMoves(this.model, this.facts, () => this.clock.now())
  private readonly deliveries: RefereeOfDeliveries
  private readonly comparison: Comparison
  private readonly faults: unknown[] = []
  private touched: Touched[] = []
  private attemptsMax: number
  private current: Session | null = null

  private constructor(
    private readonly script: Script,
    private readonly place: TemporaryDirectory,
    private readonly disturb: Disturb,
  ) {
    this.ids = new Random(script.seed, IDS_STREAM)
    this.jitter = new Random(script.seed, JITTER_STREAM)
    this.samples = new Random(script.seed, SAMPLES_STREAM)
    this.attemptsMax = script.profile.attemptsMax
    this.comparison = new Comparison(
      this.model,
      () => this.session.store,
      () => this.clock.now(),
    )
    this.deliveries = new RefereeOfDeliveries({
      model: this.model,
      profile: script.profile,
      attemptsMax: () => this.attemptsMax,
      now: () => this.clock.now(),
      trace: (line) => this.trace(line),
      touched: (id) => this.touched.push({ what: 'delivery', id }),
      nextAttemptOf: (id) => this.session.store.outbox.find(id)?.nextAttemptAt ?? null,
      report: (error) => this.report(error),
    })
  }

  /** A world in a directory of its own, which `discard` removes. */
  static async begin(script: Script, disturb: Disturb): Promise<World> {
    const world = new World(script, memoryDirectory(), disturb)
    await world.start()
    return world
  }

  /** Keeps what went wrong where nobody else would notice. It is thrown at the end of the step. */
  report(error: unknown): void {
    this.faults.push(error)
  }

  /** Stands for everything that happened. */
  digest(): string {
    return this.hash.copy().digest('hex')
  }

  /** Takes a step, and compares what it changed. Throws what was found wrong. */
  async take(step: Step): Promise<void> {
    this.trace(`step ${step.do}`)
    await this.doIt(step)
    await nextTurnOfLoop()
    this.check()
  }

  /** Everything comes to its end, retries too, and then everything is compared. */
  async finish(): Promise<void> {
    await this.settle(new Random(0))
    for (let round = 0; round < RETRY_ROUNDS_MAX; round += 1) {
      const due = this.model.outbox.inState('waiting').map(({ record }) => record.nextAttemptAt ?? 0)
      if (due.length === 0) {
        await this.catchUp()
        this.comparison.all()
        this.comparison.caughtUp()
        const { found } = await checkData(this.place.path)
        if (found.length > 0) violate('a check of the data finds something', found)
        return
      }
      this.wait(Math.max(1, Math.min(...due) - this.clock.now()))
      await this.settle(new Random(round))
    }
    violate('retries do not end', this.model.outbox.inState('waiting').length)
  }

  private async catchUp(): Promise<void> {
    this.model.invoices.expire(this.clock.now())
    while (await this.session.store.commands.catchUp());
  }

  /** Closes the store and removes it. */
  async discard(): Promise<void> {
    this.current?.life.calls.crash()
    await this.current?.store.close()
    this.place.remove()
  }

  private async doIt(step: Step): Promise<void> {
    const { life, commands } = this.session
    switch (step.do) {
      case 'perform':
        this.tally.calls += await life.calls.perform(step.limit, new Random(step.salt))
        return
      case 'fail':
        // A store that cannot write does not let the service start.
        if (life.isStarted) life.calls.fail(step.limit, new Random(step.salt))
        return
      case 'deliver':
        life.calls.deliver(step.limit, new Random(step.salt))
        return
      case 'answer':
        return life.receivers.answer(step.pick, step.ending)
      case 'wait':
        return this.wait(step.ms)
      case 'crash':
        return this.crash()
      case 'restart':
        return this.restart(new Random(step.salt))
      case 'settle':
        return this.settle(new Random(step.salt))
      case 'look':
        return this.comparison.look(new Random(step.salt))
      case 'authorise':
        return this.comparison.authorise(step.pick, step.permission)
      default:
        // Nobody is served before the start is over.
        if (!life.isStarted) return
        this.tally.commands += 1
        commands.give(step)
    }
  }

  private get session(): Session {
    if (this.current === null) throw new Error('the world has not begun')
    return this.current
  }

  private trace(line: string): void {
    if (line.startsWith('send')) this.tally.sends += 1
    this.hash.update(line)
    this.hash.update('\n')
  }

  /** Throws what was kept, and compares what the step touched. */
  private check(): void {
    const [fault] = this.faults
    if (fault !== undefined) throw fault
    const touched = this.touched
    this.touched = []
    for (const one of touched) this.comparison.afterwards(one, this.samples)
  }

  private wait(ms: number): void {
    this.clock.advance(ms)
    // Timers run on a clock that is never set.
    this.session.life.timers.pass(Math.max(0, ms))
  }

  /** The process is gone, with all that it had begun; what the store had performed is still there. */
  private async crash(): Promise<void> {
    this.tally.crashes += 1
    const { life, store } = this.session
    life.calls.crash()
    await store.close()
    await this.start()
    this.comparison.all()
  }

  /** As `src/service.ts` stops: what was accepted is answered, then nothing more is sent, then the store is closed. */
  private async restart(random: Random): Promise<void> {
    this.tally.restarts += 1
    const { life, open, store } = this.session
    await this.until(random, () => life.isStarted && open.count === 0)
    let isStopped = false
    const stopped = life.directory
      .idle()
      .then(() => life.dispatcher.stop())
      .then(() => {
        isStopped = true
      })
    await this.until(random, () => isStopped)
    await stopped
    if (!life.isStill) violate('something is under way after the stop', life.calls.pending)
    expectEqual('attempts under way after the stop', this.model.outbox.inState('attempted').length, 0)
    life.calls.crash()
    await store.close()
    this.attemptsMax = random.between(1, this.script.profile.attemptsMax)
    await this.start()
    this.comparison.all()
  }

  /** Lets everything happen, in an order of `random`, until nothing is left to happen. */
  private async settle(random: Random): Promise<void> {
    const { life, open } = this.session
    await this.until(random, () => life.isStill && life.dispatcher.laneCount === 0 && this.lateRetries().length === 0)
    expectEqual('commands without an answer', open.count, 0)
    expectEqual('wallet actors at rest', [life.directory.size, life.directory.depth], [0, 0])
    if (!life.isStarted) violate('the start does not end', '')
    const left = this.model.outbox.inState('queued', 'attempted').map(({ record }) => record)
    expectEqual('deliveries that are not attempted although nothing else is to be done', left, [])
  }

  private lateRetries(): readonly ModelDelivery[] {
    const now = this.clock.now()
    return this.model.outbox.inState('waiting').filter(({ record }) => (record.nextAttemptAt ?? 0) <= now)
  }

  private async until(random: Random, isMet: () => boolean): Promise<void> {
    const { life } = this.session
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await nextTurnOfLoop()
      this.check()
      if (isMet()) return
      this.tally.calls += await life.calls.perform(random.between(1, 8), random)
      life.calls.deliver(random.between(1, 8), random)
      if (random.chance(0.7)) life.receivers.answer(random.next(), random.chance(0.8) ? 'ok' : 'error')
      // Then something can only wait for a time: for a retry, or because the store has failed.
      if (life.isStill) this.wait(STILL_WAIT_MS)
    }
    violate('it does not come to an end', [life.calls.notedCount, life.calls.doneCount, life.receivers.openCount])
  }

  private async start(): Promise<void> {
    this.clock.advance(START_TAKES_MS)
    this.deliveries.reset()
    this.current = await openSession({
      directory: this.place.path,
      disturb: this.disturb,
      clock: this.clock,
      model: this.model,
      facts: this.facts,
      moves: this.moves,
      deliveries: this.deliveries,
      profile: this.script.profile,
      attemptsMax: this.attemptsMax,
      ids: this.ids.fill,
      jitter: () => this.jitter.fraction(),
      trace: (line) => this.trace(line),
      touched: (one) => this.touched.push(one),
      report: (error) => this.report(error),
    })
  }
}
