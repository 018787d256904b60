import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { createLog } from '../../src/log.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'
import { CONCURRENCY, HoldingSender, OutboxModel, TIMED_OUT } from './outbox-model.js'

const SECOND_MS = 1000
const TIMEOUT_S = 8
const PLACES = 256

/** Receivers that hang in the time of the test, and others that answer when they are asked to. */
class Attack {
  readonly model = new OutboxModel()
  readonly sender = new HoldingSender()
  private readonly clock = new ManualClock()
  private readonly scheduler = new ManualScheduler()
  readonly dispatcher = new Dispatcher({
    outbox: this.model.outbox,
    webhooks: this.model.webhooks,
    sender: this.sender,
    clock: this.clock,
    scheduler: this.scheduler,
    log: createLog('silent'),
    onWrongTransition: throwIt,
    ...CONCURRENCY,
    concurrency: PLACES,
  })
  private second = 0
  /** Attempts that hang, with the second at which they began. */
  private readonly hanging = new Map<string, number>()
  private seen = 0
  /** Whether what timed out is sent again at once. */
  isRepeating = true

  /** Owes a webhook to each of so many receivers of each of so many owners, and lets them hang. */
  hang(owners: number, receivers: number, name = 'mallory'): void {
    for (let owner = 0; owner < owners; owner += 1) {
      for (let n = 0; n < receivers; n += 1) this.owe(`${name} ${owner}`, `${name}-${owner}-${n}`)
    }
  }

  owe(owner: string, host: string): void {
    this.dispatcher.notify([this.model.owe(owner, host)])
  }

  /** Owes a webhook and answers it at once. Without a place it never begins, and the test fails. */
  async deliver(owner: string, host = owner): Promise<void> {
    this.owe(owner, host)
    const mine = () => this.sender.begun.findLast((one) => one.host === host && !this.hanging.has(one.id))
    const before = mine()
    await this.sender.until(() => mine() !== before)
    mine()?.end()
    await this.settle()
  }

  /** Lets a second pass: what hangs for eight has timed out. */
  async passSecond(): Promise<void> {
    for (const { id } of this.sender.begun.slice(this.seen)) {
      if (this.model.get(id).state === 'attempted') this.hanging.set(id, this.second)
    }
    this.seen = this.sender.begun.length
    this.second += 1
    this.clock.advance(SECOND_MS)
    this.scheduler.pass(SECOND_MS)
    for (const [id, since] of [...this.hanging]) {
      if (this.second - since < TIMEOUT_S) continue
      this.hanging.delete(id)
      this.sender.begun.findLast((one) => one.id === id)?.end(TIMED_OUT)
      await this.settle()
      if (this.isRepeating && this.model.get(id).state === 'settled') {
        this.dispatcher.notify([this.model.redeliver(id)])
      }
    }
    await this.settle()
  }

  async settle(): Promise<void> {
    for (let turns = 0; turns < 40; turns += 1) await nextTurnOfLoop()
  }

  async stop(): Promise<void> {
    const stopped = this.dispatcher.stop()
    for (const one of this.sender.begun) one.end(TIMED_OUT)
    await stopped
  }
}

describe('receivers that hang', () => {
  test('delay nobody who answers in time, 16 of each of 64 owners, however often they are sent to again', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    await attack.deliver('alice')
    attack.hang(64, 16)
    await attack.settle()
    for (let second = 0; second < 20; second += 1) {
      for (let n = 0; n < 3; n += 1) await attack.deliver('alice')
      await attack.passSecond()
    }
    assert.ok(attack.sender.peak <= 2 * PLACES)
    assert.ok(attack.sender.underWay >= PLACES / 8, 'the attack is under way')
    await attack.stop()
  })

  test('delay somebody new by two seconds at most', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    attack.hang(64, 16)
    await attack.settle()
    attack.owe('alice', 'alice')
    for (let second = 0; second < 2; second += 1) await attack.passSecond()
    const alice = attack.sender.begun.find(({ host }) => host === 'alice')
    assert.ok(alice !== undefined)
    // From then on whoever comes is not delayed: the owners of what hangs are known.
    for (let n = 0; n < 10; n += 1) await attack.deliver(`bob ${n}`, `bob-${n}`)
    await attack.stop()
  })

  test('delay nobody who answers in time when there are more owners than places', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    await attack.deliver('alice')
    attack.hang(2 * PLACES, 2)
    await attack.settle()
    for (let second = 0; second < 12; second += 1) {
      await attack.deliver('alice')
      await attack.passSecond()
    }
    await attack.stop()
  })

  test('are never sent to by more attempts at once than twice the places', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    for (let owner = 0; owner < 3 * PLACES; owner += 1) attack.owe(`mallory ${owner}`, `mallory-${owner}-0`)
    for (let answered = 0; answered < 3 * PLACES; answered += 1) {
      await attack.sender.began(answered + 1)
      attack.sender.begun[answered]?.end()
    }
    await attack.settle()
    attack.hang(3 * PLACES, 1)
    for (let second = 0; second < 5; second += 1) await attack.passSecond()
    assert.ok(attack.sender.underWay > PLACES)
    assert.ok(attack.sender.peak <= 2 * PLACES)
    await attack.stop()
  })

  test('delay nobody when they have answered in time before, and all begin to hang at once', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    await attack.deliver('alice')
    for (let owner = 0; owner < 64; owner += 1) {
      for (let n = 0; n < 4; n += 1) await attack.deliver(`mallory ${owner}`, `mallory-${owner}-${n}`)
    }
    attack.hang(64, 4)
    await attack.settle()
    for (let second = 0; second < 10; second += 1) {
      await attack.deliver('alice')
      await attack.passSecond()
    }
    await attack.stop()
  })

  test('hold no more places when their origins are new each time', async () => {
    const attack = new Attack()
    attack.isRepeating = false
    await attack.dispatcher.start()
    for (let second = 0; second < 12; second += 1) {
      attack.hang(64, 4, `mallory-${second}`.replace(/\d+$/, ''))
      for (let owner = 0; owner < 64; owner += 1) attack.owe(`mallory- ${owner}`, `fresh-${second}-${owner}`)
      await attack.passSecond()
      if (second < 3) continue
      // Somebody of whom nothing is known either.
      await attack.deliver(`alice ${second}`, `alice-${second}`)
    }
    assert.ok(attack.sender.peak <= 2 * PLACES)
    await attack.stop()
  })
})

describe('a receiver that was slow', () => {
  test('has its place among the prompt ones again as soon as it answers in time', async () => {
    const attack = new Attack()
    attack.isRepeating = false
    await attack.dispatcher.start()
    attack.owe('alice', 'alice')
    await attack.sender.began(1)
    await attack.passSecond()
    attack.sender.begun[0]?.end()
    await attack.settle()
    attack.hang(1, 1)
    await attack.deliver('alice')
    // The slow share is full now, and the share for new receivers too.
    attack.hang(64, 16)
    for (let second = 0; second < 3; second += 1) await attack.passSecond()
    await attack.deliver('alice')
    await attack.stop()
  })

  test('is not slower than others of its kind: owners take turns', async () => {
    const attack = new Attack()
    await attack.dispatcher.start()
    attack.owe('alice', 'alice')
    await attack.sender.began(1)
    await attack.passSecond()
    attack.sender.begun[0]?.end()
    await attack.settle()
    // Slow as well, and of two owners that have a hundred receivers each.
    attack.hang(2, 100)
    for (let second = 0; second < 10; second += 1) await attack.passSecond()
    attack.owe('alice', 'alice')
    for (let second = 0; second < TIMEOUT_S; second += 1) await attack.passSecond()
    assert.ok(attack.sender.begun.filter(({ host }) => host === 'alice').length >= 2)
    await attack.stop()
  })
})
