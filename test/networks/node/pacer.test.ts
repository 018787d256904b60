import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { BadAnswer, HttpFailure, RateLimited, RpcFailure } from '../../../src/networks/node/answer.js'
import { PAUSES_MS } from '../../../src/networks/node/pace.js'
import { PATIENCE_MS, Pacer, type Urgency } from '../../../src/networks/node/pacer.js'
import { ManualClock } from '../../support/manual-clock.js'
import { VirtualTime } from '../virtual-time.js'

describe('the pacer of calls', () => {
  let time: VirtualTime
  let pacer: Pacer
  /** How the next calls are refused, in order; then they are served. */
  let refusals: Error[]
  let made: string[]

  beforeEach(() => {
    time = new VirtualTime(new ManualClock())
    pacer = new Pacer({ clock: time, scheduler: time })
    refusals = []
    made = []
  })

  const make = (name: string, isDivisible = false) =>
    pacer.call(async () => {
      made.push(name)
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      return name
    }, isDivisible)
  const makeFor = (urgency: Urgency, name: string, patienceMs = PATIENCE_MS) =>
    pacer.during({ urgency, patienceMs }, () => make(name))

  /** Lets time pass from task to task until nothing is left to wait for. */
  async function passAll(): Promise<void> {
    await nextTurnOfLoop()
    while (time.nextMs < Number.POSITIVE_INFINITY) {
      time.pass(time.nextMs)
      await nextTurnOfLoop()
    }
  }

  /** Meets a refusal, and passes the pause. */
  async function limit(): Promise<void> {
    refusals = [new RateLimited('no')]
    const call = make('first')
    await passAll()
    await call
    made = []
  }

  test('makes all calls at once while no limit is known', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => make(String(n))))
    assert.equal(made.length, 100)
    assert.equal(time.nextMs, Number.POSITIVE_INFINITY)
  })

  const failures: readonly [what: string, failure: Error, times: number][] = [
    ['a connection that is cut', new HttpFailure('connection', 'ECONNRESET'), 2],
    ['half an answer', new HttpFailure('not_json', 'the answer is not JSON'), 2],
    ['HTTP status 502', new HttpFailure('status', 'HTTP status 502', { status: 502 }), 2],
    ['an error of the protocol', new RpcFailure(-32_603, 'Internal error'), 2],
    ['HTTP status 403', new HttpFailure('status', 'HTTP status 403', { status: 403 }), 1],
    ['HTTP status 501', new HttpFailure('status', 'HTTP status 501', { status: 501 }), 1],
    ['a method that is not there', new RpcFailure(-32_601, 'no such method'), 1],
    ['an answer that is too late', new HttpFailure('timeout', 'no complete answer'), 1],
    ['an answer that is too long', new HttpFailure('too_long', 'the answer is longer'), 1],
    ['a flaw in an answer', new BadAnswer('a flaw'), 1],
  ]
  for (const [what, failure, times] of failures) {
    test(`after ${what} a call is made ${times === 1 ? 'only once' : 'once more, and no more'}`, async () => {
      refusals = [failure, failure]
      await assert.rejects(make('call'), failure)
      assert.equal(made.length, times)
      refusals = [failure]
      if (times === 2) assert.equal(await make('call'), 'call')
      // The parts of a batch are made again by themselves.
      refusals = [failure]
      made = []
      await assert.rejects(make('batch', true), failure)
      assert.equal(made.length, 1)
    })
  }

  test('a call that has failed after long is made only once', async () => {
    const failure = new HttpFailure('connection', 'ETIMEDOUT')
    let times = 0
    const call = pacer.call(async () => {
      times += 1
      time.pass(time.now() + 2000)
      throw failure
    })
    await assert.rejects(call, failure)
    assert.equal(times, 1)
  })

  test('makes a refused call again after the pause, and no other meanwhile', async () => {
    refusals = [new HttpFailure('status', 'HTTP status 429', { status: 429 }), new RateLimited('no')]
    const startMs = time.now()
    const limits: string[] = []
    pacer.onLimit = (words) => limits.push(words)
    const call = make('a')
    await nextTurnOfLoop()
    const other = make('b')
    await nextTurnOfLoop()
    assert.deepEqual(made, ['a'])
    await passAll()
    assert.deepEqual([await call, await other], ['a', 'b'])
    assert.deepEqual(made, ['a', 'a', 'a', 'b'])
    assert.ok(time.now() - startMs >= (PAUSES_MS[0] ?? 0) + (PAUSES_MS[1] ?? 0))
    assert.equal(pacer.refusals, 2)
    assert.deepEqual(limits, ['HTTP status 429'])
  })

  test('waits out an isolated refusal, and says nothing of a limit', async () => {
    const limits: string[] = []
    pacer.onLimit = (words) => limits.push(words)
    for (let n = 0; n < 50; n += 1) await make(String(n))
    refusals = [new RateLimited('no')]
    const startMs = time.now()
    const call = make('a')
    await passAll()
    assert.equal(await call, 'a')
    assert.deepEqual([time.now() - startMs, pacer.callsPerSecond, limits], [PAUSES_MS[0], Number.POSITIVE_INFINITY, []])
  })

  test('passes on other failures at once', async () => {
    for (const failure of [new BadAnswer('no'), new HttpFailure('status', 'HTTP status 403', { status: 403 })]) {
      refusals = [failure]
      await assert.rejects(make('a'), failure)
    }
    assert.deepEqual([pacer.refusals, pacer.callsPerSecond], [0, Number.POSITIVE_INFINITY])
  })

  test('does not make a refused call again that is better made in parts', async () => {
    const refusal = new RateLimited('no')
    refusals = [refusal]
    await assert.rejects(make('a', true), refusal)
    assert.deepEqual(made, ['a'])
  })

  test('serves waiting calls in the order of their urgency, and a refused one before its like', async () => {
    await limit()
    const calls = [
      makeFor('check', 'check'),
      makeFor('unconfirmed', 'unconfirmed'),
      makeFor('confirmed', 'confirmed'),
      makeFor('head', 'head'),
    ]
    // Where works overlap, the calls of all are as urgent as the most urgent one.
    await passAll()
    await Promise.all(calls)
    assert.deepEqual(made, ['head', 'confirmed', 'unconfirmed', 'check'])
  })

  test('has no patience for longer than the purpose has, and says the words of the refusal', async () => {
    const refusal = new RateLimited('suspended', 30_000)
    refusals = [refusal]
    await assert.rejects(makeFor('head', 'a', 1000), refusal)
    await assert.rejects(makeFor('head', 'b', 1000), RateLimited)
    assert.deepEqual(made, ['a'], 'nothing is called during the pause')
    const patient = makeFor('head', 'c', 40_000)
    await passAll()
    assert.equal(await patient, 'c')
  })

  test('gives up a call that is refused for as long as it has patience', async () => {
    refusals = Array.from({ length: 1000 }, () => new RateLimited('no'))
    const startMs = time.now()
    const call = assert.rejects(make('a'), RateLimited)
    await passAll()
    await call
    assert.ok(time.now() - startMs <= PATIENCE_MS)
    assert.ok(made.length < 12, `${made.length} calls`)
  })

  test('bounds how many calls wait', async () => {
    await limit()
    const calls = Array.from({ length: 1000 }, (_, n) => makeFor('head', String(n), Number.POSITIVE_INFINITY))
    const ends = Promise.allSettled(calls)
    await passAll()
    const served = (await ends).filter(({ status }) => status === 'fulfilled').length
    assert.ok(served >= 256 && served <= 258, String(served))
  })

  test('ends all waiting when it is closed, and lets nobody wait any more', async () => {
    await limit()
    const call = assert.rejects(make('a'), RateLimited)
    pacer.close()
    await call
    await assert.rejects(make('b'), RateLimited)
    assert.equal(time.nextMs, Number.POSITIVE_INFINITY)
  })

  test('is slow while the pace is low or a pause is long', async () => {
    assert.equal(pacer.isSlow, false)
    await limit()
    assert.equal(pacer.isSlow, true)
  })
})
