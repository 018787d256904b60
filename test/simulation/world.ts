import { createHash } from 'node:crypto'
import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Delivery } from '../../src/domain/webhook.js'
import type { QueuedEvents } from '../../src/store/event-outbox.js'
import type { Store } from '../../src/store/store.js'
import { ManualClock } from '../support/manual-clock.js'
import { ChainMoves } from './chain-moves.js'
import type { CommandStep } from './commands.js'
import { Comparison, OWNERS_MAX } from './comparison.js'
import type { Engine, MakeEngine } from './engine.js'
import { Facts } from './facts.js'
import { Model } from './model/model.js'
import type { ModelDelivery } from './model/outbox.js'
import { ownerName } from './names.js'
import { judgeTogether } from './order.js'
import { withDeliveryIds } from './owed-deliveries.js'
import { Random } from './random.js'
import type { Touched } from './referee.js'
import { RefereeOfDeliveries } from './referee-of-deliveries.js'
import { isRead, type PendingCall } from './scheduler.js'
import { type Disturb, openSession, type Session } from './session.js'
import { capture } from './snapshot.js'
import type { Ending, Script, Step } from './steps.js'
import { expectEqual, show, Violation, violate } from './violation.js'

/** Rounds in which everything that was begun must have come to its end; hundreds of webhooks, one at a time, take thousands. */
const ROUNDS_MAX = 100_000
/** How long is waited when nothing is under way and something is still to come. */
const STILL_WAIT_MS = 500
/** Times that something may become due at the end of a script. */
const RETRY_ROUNDS_MAX = 5000
/** What a start takes. Ids of one millisecond grow only within a life. */
const START_TAKES_MS = 1
/** Calls that a database has at once: the order of more would take too long to find. */
const TOGETHER_MAX = 6
/** How long a database may take for all of them, and a process for its lease. */
const ANSWER_MAX_MS = 30_000
/** Between two looks whether something real has happened. */
const LOOK_AGAIN_MS = 2
/** Rounds in which a process must have heard of what another one owes; each takes a moment. */
const HEARD_ROUNDS = 400
const HEARD_ROUND_MS = 25
/** Events of an owner that are queued at once in the end. */
const PUMPED_AT_ONCE = 64
/** Characters that are shown of what a call was given. */
const SHOWN_OF_CALL = 1000
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

/** The processes, the model, and everything around them that a script moves. One world plays one script. */
export class World {
  readonly tally: Tally = { commands: 0, calls: 0, sends: 0, crashes: 0, restarts: 0 }
  private readonly model: Model
  private readonly hash = createHash('sha256')
  private readonly ids: Random
  private readonly jitter: Random
  private readonly samples: Random
  private readonly facts: Facts
  private readonly moves: ChainMoves
  private readonly deliveries: RefereeOfDeliveries
  private readonly comparison: Comparison
  private readonly faults: unknown[] = []
  private touched: Touched[] = []
  private attemptsMax: number
  private readonly sessions: Session[] = []
  private readonly asleep = new Set<Session>()
  private lives = 0
  /** When deliveries that were interrupted are attempted again, as the store has it. */
  private nextAttempts: ReadonlyMap<string, number | null> = new Map()
  /** Deliveries of events that were queued just now. */
  private queued: ReadonlyMap<string, Delivery> = new Map()

  private constructor(
    private readonly script: Script,
    private readonly engine: Engine,
    private readonly clock: ManualClock,
    private readonly disturb: Disturb,
  ) {
    this.model = new Model(script.profile.underpayment)
    this.ids = new Random(script.seed, IDS_STREAM)
    this.jitter = new Random(script.seed, JITTER_STREAM)
    this.samples = new Random(script.seed, SAMPLES_STREAM)
    this.attemptsMax = script.profile.attemptsMax
    this.facts = new Facts(this.model, script.networks, () => this.clock.now())
    this.moves = new ChainMoves(this.model, this.facts, () => this.clock.now())
    this.comparison = new Comparison(
      this.model,
      script.networks,
      () => this.store,
      () => this.clock.now(),
    )
    this.deliveries = new RefereeOfDeliveries({
      model: this.model,
      profile: script.profile,
      attemptsMax: () => this.attemptsMax,
      now: () => this.clock.now(),
      trace: (line) => this.trace(line),
      touched: (id) => this.touched.push({ what: 'delivery', id }),
      nextAttemptOf: (id) => this.nextAttempts.get(id) ?? null,
      deliveryOf: (id) => this.queued.get(id),
      report: (error) => this.report(error),
    })
  }

  /** A world on an engine of its own, which `discard` removes. */
  static async begin(script: Script, makeEngine: MakeEngine, disturb: Disturb): Promise<World> {
    const clock = new ManualClock()
    const world = new World(script, await makeEngine(clock), clock, disturb)
    for (let i = 0; i < (script.processes ?? 1); i += 1) await world.start(i)
    return world
  }

  /** Keeps what went wrong where nobody else would notice. It is thrown at the end of the step. */
  report(error: unknown): void {
    this.faults.push(error)
  }

  /** What has happened to orders. */
  get seen(): ReadonlySet<string> {
    return this.model.orders.seen
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
    await this.check()
    await this.replaceDead()
  }

  /** Everything comes to its end, retries too, and then everything is compared. */
  async finish(): Promise<void> {
    await this.settle(new Random(0))
    for (let round = 0; round < RETRY_ROUNDS_MAX; round += 1) {
      const due = this.model.outbox.inState('waiting').map(({ record }) => record.nextAttemptAt ?? 0)
      // What is decided now is an event, too.
      await this.catchUp()
      const { owners } = await this.store.eventOutbox.behind(null, OWNERS_MAX + 1)
      if (owners.length > 0) {
        for (let owner = 0; owner < OWNERS_MAX; owner += 1) {
          if (owners.includes(ownerName(owner))) this.give({ do: 'pump', owner, limit: PUMPED_AT_ONCE }, 0)
        }
        await this.settle(new Random(round))
        continue
      }
      const waiting = await this.store.aside.deposits()
      if (waiting.length > 0) {
        // Only a process that leads tries them again. When the last one died, its lease has to end first.
        if (!this.sessions.some(({ life }) => life.isLeading)) await this.wait(STILL_WAIT_MS)
        for (const network of this.script.networks) this.give({ do: 'retry', network }, 0)
        await this.settle(new Random(round))
        continue
      }
      if (due.length === 0) {
        await this.comparison.sentEvents(!this.engine.isRemote)
        await this.comparison.all()
        await this.comparison.caughtUp()
        const found = await this.engine.check()
        if (found.length > 0) violate('a check of the data finds something', found)
        return
      }
      await this.wait(Math.max(1, Math.min(...due) - this.clock.now()))
      await this.settle(new Random(round))
    }
    violate('what is left to do does not come to an end', await this.leftToDo())
  }

  /** What keeps the end from coming: whose events are behind, what is set aside, what waits for another attempt. */
  private async leftToDo() {
    return {
      behind: await this.store.eventOutbox.behind(null, OWNERS_MAX + 1),
      aside: await this.store.aside.deposits(),
      waiting: this.model.outbox.inState('waiting').map(({ record }) => record),
    }
  }

  private async catchUp(): Promise<void> {
    const now = this.clock.now()
    this.model.notice(now)
    this.model.invoices.expire(now)
    this.model.orders.expire(now)
    while (await this.store.commands.catchUp());
  }

  /** Ends all processes, and removes the data. */
  async discard(): Promise<void> {
    for (const session of this.sessions) {
      session.life.calls.crash()
      await session.abandon()
    }
    await this.engine.remove()
  }

  private async doIt(step: Step): Promise<void> {
    const { at = 0 } = step
    const session = this.sessionAt(at)
    switch (step.do) {
      case 'perform':
        return this.perform(step.limit, new Random(step.salt))
      case 'fail':
        // A store that cannot write does not let the service start.
        if (session.life.isStarted) session.life.calls.fail(step.limit, new Random(step.salt))
        return
      case 'deliver':
        return this.deliver(step.limit, new Random(step.salt))
      case 'answer':
        return this.answer(step.pick, step.ending)
      case 'wait':
        return this.wait(step.ms)
      case 'crash':
        return this.crash(at % this.sessions.length)
      case 'restart':
        return this.restart(at % this.sessions.length, new Random(step.salt))
      case 'settle':
        return this.settle(new Random(step.salt))
      case 'look':
        return this.comparison.look(new Random(step.salt))
      case 'authorise':
        return this.comparison.authorise(step.pick, step.permission)
      case 'catch-up':
        return this.catchUp()
      case 'cut':
        return session.line?.cutAfter(step.messages)
      case 'die':
        return session.line?.dieAfter(step.messages)
      case 'slow':
        return session.line?.delay(step.ms)
      case 'conflict':
        return this.engine.failCommit(step.commits, step.code)
      case 'sleep':
        this.asleep.add(session)
        return
      case 'wake':
        this.asleep.delete(session)
        return
      default:
        return this.give(step, at)
    }
  }

  private give(step: CommandStep, at: number): void {
    const leading = this.sessions.filter(({ life }) => life.isLeading)
    // The process that leads watches networks, and tries what waits.
    const isOfLeader = step.do === 'chain' || step.do === 'retry'
    const session = isOfLeader ? leading[at % leading.length] : this.sessionAt(at)
    // Nobody is served before the start is over.
    if (session?.life.isStarted !== true) return
    this.tally.commands += 1
    session.commands.give(step)
  }

  private sessionAt(at: number): Session {
    const session = this.sessions[at % this.sessions.length]
    if (session === undefined) throw new Error('the world has not begun')
    return session
  }

  /** The store as it is seen from outside of all processes. */
  private get store(): Store {
    return this.engine.beside ?? this.sessionAt(0).store
  }

  private get awake(): readonly Session[] {
    return this.sessions.filter((session) => !this.asleep.has(session))
  }

  private trace(line: string): void {
    if (line.startsWith('send')) this.tally.sends += 1
    this.hash.update(line)
    this.hash.update('\n')
  }

  /** Performs up to `limit` noted calls of all processes, chosen by `random`, in one go, and judges them. */
  private async perform(limit: number, random: Random): Promise<void> {
    const noted = this.awake.flatMap((session) => session.life.calls.noted.map((call) => ({ session, call })))
    const chosen = random.shuffled(noted).slice(0, this.engine.isRemote ? Math.min(limit, TOGETHER_MAX) : limit)
    // What it ends is compared with how the store ended it.
    const interrupted = chosen.find(({ call }) => call.call.method === 'outbox.settleInterrupted')
    const group = interrupted === undefined || !this.engine.isRemote ? chosen : [interrupted]
    this.tally.calls += group.length
    const reads = group.filter(({ call }) => isRead(call))
    const writes = group.filter(({ call }) => !isRead(call))
    if (!this.engine.isRemote) return this.performInOrder([...reads, ...writes])
    await this.performAtOnce(reads)
    await this.performAtOnce(writes)
  }

  /** On an engine that performs calls in the order in which they are made. */
  private async performInOrder(group: readonly Chosen[]): Promise<void> {
    // Where some commands take several commits, others come between.
    if (this.script.isSettlingSlow === true && group.length > 1) {
      for (const one of group) await this.performInOrder([one])
      return
    }
    const fates = await Promise.allSettled(group.map(({ session, call }) => session.life.calls.invoke(call)))
    await this.readNextAttempts(group)
    await this.readQueued(group.map(({ call }, i) => ({ call, fate: fates[i] })))
    for (const [i, { session, call }] of group.entries()) {
      const fate = fates[i]
      if (fate === undefined) throw new Error('a call has no fate')
      for (const judge of session.life.calls.performed(call, fate)) judge()
    }
  }

  /** On an engine that performs calls in whatever order. */
  private async performAtOnce(group: readonly Chosen[]): Promise<void> {
    if (group.length === 0) return
    const answered: { readonly of: Chosen; readonly fate: PromiseSettledResult<unknown> }[] = []
    const all = Promise.all(
      group.map(async (of) => {
        const [fate] = await Promise.allSettled([of.session.life.calls.invoke(of.call)])
        answered.push({ of, fate })
      }),
    )
    await inTime(all, () => ['the store does not answer', group.map(({ call }) => call.call.method)])
    await this.readNextAttempts(group)
    const known = await withDeliveryIds(
      answered.map(({ fate }) => fate),
      this.store,
      (id) => this.model.outbox.find(id) !== undefined,
    )
    await this.readQueued(answered.map(({ of: { call } }, i) => ({ call, fate: known[i] })))
    await this.comparison.readEvents()
    const calls = answered.map(({ of: { session, call }, fate }, i) => ({
      name: () => `process ${this.sessions.indexOf(session) + 1}, ${nameOf(call)}`,
      judgements: session.life.calls.performed(call, fate, known[i]),
    }))
    const before = this.touched.length
    await judgeTogether(calls, {
      capture: () => {
        const { wallets, keys, deposits, chains, events, outbox, invoices, orders, rates } = this.model
        const of = [wallets, keys, deposits, chains, events, outbox, invoices, orders, rates]
        const parts = [this.model, ...of, this.deliveries]
        const putBack = capture(parts)
        const { length } = this.touched
        return () => {
          putBack()
          this.touched.length = length
        }
      },
      fits: () => this.comparison.fits(),
      ends: async () => {
        this.comparison.hasDoneAll()
        for (const one of this.touched.slice(before)) await this.comparison.afterwards(one, this.samples)
      },
      traces: () => this.comparison.newEvents(),
    })
    this.touched.length = before
  }

  private async readNextAttempts(group: readonly Chosen[]): Promise<void> {
    if (!group.some(({ call }) => call.call.method === 'outbox.settleInterrupted')) return
    const next = new Map<string, number | null>()
    for (const { record } of this.model.outbox.inState('attempted')) {
      next.set(record.id, (await this.store.outbox.find(record.id))?.nextAttemptAt ?? null)
    }
    this.nextAttempts = next
  }

  private async readQueued(
    answered: readonly { readonly call: PendingCall; readonly fate: PromiseSettledResult<unknown> | undefined }[],
  ): Promise<void> {
    const queued = new Map<string, Delivery>()
    for (const { call, fate } of answered) {
      if (call.call.method !== 'eventOutbox.queueNext' || fate?.status !== 'fulfilled') continue
      // The store answered this very call.
      for (const { id } of (fate.value as QueuedEvents).owed) {
        const found = await this.store.outbox.find(id)
        if (found !== undefined) queued.set(id, found)
      }
    }
    this.queued = queued
  }

  private deliver(limit: number, random: Random): void {
    for (const { life } of this.awake) life.calls.deliver(limit, random)
  }

  /** Ends one of the attempts of all processes. */
  private answer(pick: number, ending: Ending): void {
    const open = this.sessions.flatMap(({ life: { receivers } }) => new Array(receivers.openCount).fill(receivers))
    open[pick % open.length]?.answer(pick, ending)
  }

  /** Throws what was kept, and compares what the step touched. */
  private async check(): Promise<void> {
    const [fault] = this.faults
    if (fault !== undefined) throw fault
    const { touched } = this
    this.touched = []
    for (const one of touched) await this.comparison.afterwards(one, this.samples)
  }

  private async wait(ms: number): Promise<void> {
    this.clock.advance(ms)
    for (const { life, lease } of this.awake) {
      // Timers run on a clock that is never set.
      life.timers.pass(Math.max(0, ms))
      lease.pass(Math.max(0, ms))
    }
    await this.leasesAtRest()
  }

  /** Until no process is asking for the lease, or renewing it. */
  private async leasesAtRest(): Promise<void> {
    if (!this.engine.isRemote) return
    const isAtRest = ({ lease, life, line }: Session) =>
      lease.pending > 0 || life.isChanging || life.hasFailed || line?.isDead === true
    const until = performance.now() + ANSWER_MAX_MS
    while (!this.awake.every(isAtRest)) {
      if (performance.now() > until) {
        const late = this.awake.filter((session) => !isAtRest(session)).map((session) => this.sessions.indexOf(session))
        violate('a process does not come to its lease', late)
      }
      await sleep(LOOK_AGAIN_MS)
    }
  }

  /** A process is gone, with all that it had begun; what the store had performed is still there. */
  private async crash(at: number): Promise<void> {
    this.tally.crashes += 1
    const session = this.sessionAt(at)
    this.asleep.delete(session)
    session.life.calls.crash()
    await session.abandon()
    await this.start(at)
    await this.comparison.all()
  }

  private async replaceDead(): Promise<void> {
    for (const [i, { line, life }] of this.sessions.entries()) {
      if (line?.isDead === true || (this.engine.isRemote && life.hasFailed)) await this.crash(i)
    }
  }

  /** As `src/service` stops: what was accepted is answered, then nothing more is sent, then the store is closed. */
  private async restart(at: number, random: Random): Promise<void> {
    this.tally.restarts += 1
    this.asleep.clear()
    await this.until(random, () => this.sessionAt(at).life.isStarted && this.sessionAt(at).open.count === 0)
    const session = this.sessionAt(at)
    const { life, store } = session
    let isStopped = false
    const stopped = life.stop().then(() => {
      isStopped = true
    })
    await this.until(random, () => isStopped || this.sessionAt(at) !== session)
    // It died before it had stopped, and another one has started.
    if (this.sessionAt(at) !== session) return
    await stopped
    if (!life.isStill) violate('something is under way after the stop', life.calls.pending)
    if (!this.engine.isRemote) {
      expectEqual('attempts under way after the stop', this.model.outbox.inState('attempted').length, 0)
      this.attemptsMax = random.between(1, this.script.profile.attemptsMax)
    }
    life.calls.crash()
    await store.close()
    await this.start(at)
    await this.comparison.all()
  }

  /** Lets everything happen, in an order of `random`, until nothing is left to happen. */
  private async settle(random: Random): Promise<void> {
    this.asleep.clear()
    const leftToSend = () => this.model.outbox.inState('queued', 'attempted')
    const isOver = () =>
      this.sessions.every(({ life }) => life.isStill && life.laneCount === 0) && this.lateRetries().length === 0
    let heard = 0
    await this.until(random, async () => {
      if (!isOver()) return false
      const isDone = leftToSend().length === 0 && this.sessions.every(({ life }) => life.isStarted)
      if (!this.engine.isRemote || isDone || heard > HEARD_ROUNDS) return true
      // The process that leads hears of it soon, or another one leads soon; one that starts asks the database something first.
      heard += 1
      await sleep(HEARD_ROUND_MS)
      return false
    })
    for (const { life, open } of this.sessions) {
      expectEqual('commands without an answer', open.count, 0)
      expectEqual('wallet actors at rest', [life.directory.size, life.directory.depth], [0, 0])
      if (!life.isStarted) violate('the start does not end', '')
    }
    const left = leftToSend().map(({ record }) => record)
    expectEqual('deliveries that are not attempted although nothing else is to be done', left, [])
  }

  private lateRetries(): readonly ModelDelivery[] {
    const now = this.clock.now()
    return this.model.outbox.inState('waiting').filter(({ record }) => (record.nextAttemptAt ?? 0) <= now)
  }

  private async until(random: Random, isMet: () => boolean | Promise<boolean>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await nextTurnOfLoop()
      await this.check()
      await this.replaceDead()
      if (await isMet()) return
      await this.perform(random.between(1, 8), random)
      this.deliver(random.between(1, 8), random)
      if (random.chance(0.7)) this.answer(random.next(), random.chance(0.8) ? 'ok' : 'error')
      // Then something can only wait for a time: for a retry, or because the store has failed.
      if (this.sessions.every(({ life }) => life.isStill)) await this.wait(STILL_WAIT_MS)
    }
    violate(
      'it does not come to an end',
      this.sessions.map(({ life }) => [life.calls.pending, life.receivers.openCount]),
    )
  }

  private async start(at: number): Promise<void> {
    this.clock.advance(START_TAKES_MS)
    this.deliveries.reset()
    this.lives += 1
    this.sessions[at] = await openSession({
      engine: this.engine,
      number: this.lives,
      disturb: this.disturb,
      clock: this.clock,
      model: this.model,
      facts: this.facts,
      moves: this.moves,
      deliveries: this.deliveries,
      profile: this.script.profile,
      attemptsMax: this.attemptsMax,
      isSettlingSlow: this.script.isSettlingSlow === true,
      networks: this.script.networks,
      spread: this.script.spread ?? 0,
      ids: this.ids.fill,
      jitter: () => this.jitter.fraction(),
      trace: (line) => this.trace(line),
      touched: (one) => this.touched.push(one),
      report: (error) => this.report(error),
    })
    await nextTurnOfLoop()
    await this.leasesAtRest()
  }
}

/** A call and the process that made it. */
interface Chosen {
  readonly session: Session
  readonly call: PendingCall
}

/** What was asked for, for people. Of a poisoned request, too, whose fields throw when they are read. */
function nameOf({ call: { method, args } }: PendingCall): string {
  const text = inspect(args, { depth: null, breakLength: Number.POSITIVE_INFINITY })
  return `${method} ${text.length > SHOWN_OF_CALL ? `${text.slice(0, SHOWN_OF_CALL)} ...` : text}`
}

/** What a promise resolves with, unless it takes so long that it is a violation. */
async function inTime<T>(answer: Promise<T>, violation: () => readonly [string, unknown]): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const [kind, detail] = violation()
      reject(new Violation(kind, show(detail)))
    }, ANSWER_MAX_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
