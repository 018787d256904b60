import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { TurnedAway, VerifyLaneName } from '../../src/verify/lanes.js'
import { createVerifyPool, type VerifyPool, type VerifyPoolSettings } from '../../src/verify/pool.js'
import type { VerifyRequest } from '../../src/verify/wire.js'
import { signRequest, testKey } from '../support/signing.js'

const TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'
const key = testKey('pool')
const defaults: VerifyPoolSettings = {
  threads: 1,
  engine: 'noble',
  registeredLaneLimit: 10_000,
  unregisteredLaneLimit: 10_000,
  laneLimitBytes: 64 * 1024 * 1024,
}

function startPool(t: TestContext, settings: Partial<VerifyPoolSettings> = {}): VerifyPool {
  const pool = createVerifyPool({ ...defaults, ...settings })
  t.after(() => pool.close())
  return pool
}

function signed(body: string, signer = key): VerifyRequest {
  const signature = signRequest(signer, TAG, TIMESTAMP, body)
  return { publicKey: signer.publicKey, signature, routeTag: TAG, timestamp: TIMESTAMP, body: Buffer.from(body) }
}

/** A request that costs a worker nearly nothing: its signature is no DER. */
function malformed(name: string): VerifyRequest {
  return { ...valid, signature: 'AAAA', body: Buffer.from(name) }
}

function accepted(verdict: Promise<boolean> | TurnedAway): Promise<boolean> {
  if (!(verdict instanceof Promise)) throw new Error(`Turned away: ${verdict}.`)
  return verdict
}

const valid = signed('{}')

describe('the verify pool', () => {
  test('tells an observer how long each request waited, and in which lane', async (t) => {
    const heard: [VerifyLaneName, number][] = []
    let nowMs = 0
    const pool = startPool(t, {
      now: () => nowMs,
      observer: { waited: (lane, waitMs) => heard.push([lane, waitMs]), tablesFailed: () => {} },
    })
    const lanes: VerifyLaneName[] = ['unregistered', 'registered', 'registered', 'unregistered', 'registered']
    const verdicts = lanes.map((lane, i) => {
      nowMs = i * 10
      return accepted(pool.verify(malformed(String(i)), lane))
    })
    nowMs = 100
    await Promise.all(verdicts)
    assert.deepEqual(
      heard.filter(([lane]) => lane === 'registered').map(([, waitMs]) => waitMs),
      [90, 80, 60],
    )
    assert.deepEqual(
      heard.filter(([lane]) => lane === 'unregistered').map(([, waitMs]) => waitMs),
      [100, 70],
    )
  })

  test('tells valid requests from all others', async (t) => {
    const pool = startPool(t)
    const unsigned = { ...valid, signature: '' }
    const cases: [string, VerifyRequest, boolean][] = [
      ['as signed', valid, true],
      ['an empty body', signed(''), true],
      ['a body that is not ASCII', signed('{"name":"Größe €"}'), true],
      ['a body of 64 KiB', signed('x'.repeat(64 * 1024)), true],
      ['without padding', { ...valid, signature: valid.signature.replaceAll('=', '') }, true],
      ['another body', { ...valid, body: Buffer.from('{ }') }, false],
      ['another timestamp', { ...valid, timestamp: '1700000000001' }, false],
      ['another tag', { ...valid, routeTag: 'POST /api/api-keys' }, false],
      ['parts shifted over a line feed', { ...valid, timestamp: '', routeTag: `${TAG}\n${TIMESTAMP}` }, false],
      ['another key', { ...valid, publicKey: testKey('other').publicKey }, false],
      ['a key off the curve', { ...valid, publicKey: Buffer.from(`02${'5'.padStart(64, '0')}`, 'hex') }, false],
      ['a key with another prefix', { ...valid, publicKey: Buffer.alloc(33, 4) }, false],
      ['no signature', unsigned, false],
      ['white space', { ...valid, signature: ` ${valid.signature}` }, false],
      ['a signature that is not base64', { ...valid, signature: '\u{1f511}é=' }, false],
      ['a signature in hex', { ...valid, signature: Buffer.from(valid.signature, 'base64').toString('hex') }, false],
      ['a signature that is far too long', { ...valid, signature: valid.signature.repeat(1000) }, false],
    ]
    for (const [name, request, verdict] of cases) {
      assert.equal(await accepted(pool.verify(request, 'registered')), verdict, name)
      assert.equal(await accepted(pool.verify(request, 'unregistered')), verdict, name)
    }
    assert.deepEqual(pool.depth(), { registered: 0, unregistered: 0, inFlight: 0 })
  })

  test('gives each of thousands of concurrent requests its own verdict', async (t) => {
    const pool = startPool(t, { threads: 2, engine: 'noble', batchLimit: 64 })
    const requests = Array.from({ length: 12 }, (_, i) => signed(`{"name":"${i}"}`, testKey(`pool ${i}`)))
    const verdicts: Promise<void>[] = []
    for (let i = 0; i < 3000; i++) {
      const request = requests[i % requests.length] ?? valid
      // Mostly malformed, because noble needs a millisecond for each of the others.
      const kind = i % 10 === 0 ? 'valid' : i % 10 === 5 && i % 3 === 0 ? 'other body' : 'malformed'
      const sent =
        kind === 'valid'
          ? request
          : kind === 'malformed'
            ? malformed(`${i}`)
            : { ...request, body: Buffer.from(`{"name":"${i} forged"}`) }
      const verdict = accepted(pool.verify(sent, i % 7 === 0 ? 'unregistered' : 'registered'))
      verdicts.push(verdict.then((actual) => assert.equal(actual, kind === 'valid', `request ${i}, ${kind}`)))
      // Some arrive together, some in later turns of the event loop.
      if (i % 100 === 0) await setImmediate()
    }
    await Promise.all(verdicts)
  })

  test('throws for a key that is not 33 bytes', (t) => {
    const pool = startPool(t)
    for (const length of [0, 32, 34, 65]) {
      assert.throws(() => pool.verify({ ...valid, publicKey: Buffer.alloc(length) }, 'registered'), RangeError)
    }
  })

  test('does not start without threads or with batches that the lanes could not share', () => {
    for (const settings of [{ threads: 0 }, { threads: 1.5 }, { batchLimit: 1 }, { batchLimit: Number.NaN }]) {
      assert.throws(() => createVerifyPool({ ...defaults, ...settings }), RangeError)
    }
  })

  test('is ready once every thread has verified, and not when closing', async (t) => {
    const pool = startPool(t, { threads: 2 })
    assert.equal(pool.ready(), false)
    await pool.warmUp()
    assert.equal(pool.ready(), true)
    const closed = pool.close()
    assert.equal(pool.ready(), false)
    await closed
  })
})

describe('the lanes', () => {
  /** The lanes in the order of their verdicts, of requests sent in the order given, all in one turn. */
  async function orderOfVerdicts(pool: VerifyPool, sent: readonly VerifyLaneName[]): Promise<VerifyLaneName[]> {
    const order: VerifyLaneName[] = []
    await Promise.all(
      sent.map((lane, i) =>
        accepted(pool.verify(malformed(`FAULT took:0; ${i}`), lane)).then(() => void order.push(lane)),
      ),
    )
    return order
  }

  /** What others take costs nothing, so that the counts of a batch show. */
  const free = { worker: new URL('./faulty-worker.js', import.meta.url) }

  const times = (count: number, lane: VerifyLaneName): VerifyLaneName[] => Array.from({ length: count }, () => lane)

  test('let registered keys pass a flood of others, which keep an eighth of every batch', async (t) => {
    const pool = startPool(t, { batchLimit: 64, ...free })
    // One batch goes to the thread and one to its inbox before the registered ones arrive; the others have to wait.
    const order = await orderOfVerdicts(pool, [...times(400, 'unregistered'), ...times(112, 'registered')])
    assert.equal(order.length, 512)
    const registeredAmong = (from: number, to: number) =>
      order.slice(from, to).filter((lane) => lane === 'registered').length
    assert.equal(registeredAmong(0, 128), 0)
    assert.equal(registeredAmong(128, 192), 56)
    assert.equal(registeredAmong(192, 256), 56)
    assert.equal(registeredAmong(256, 512), 0)
  })

  /** Each verification takes 4 ms, as far as the worker says. */
  const slowWorker = { worker: new URL('./faulty-worker.js', import.meta.url), batchLimit: 2 }
  const slow = (name = '') => malformed(`FAULT took:4000; ${name}`)

  test('hold others back while registered keys come in, for as long as what they took is more than their share', async (t) => {
    let nowMs = 0
    const pool = startPool(t, { ...slowWorker, now: () => nowMs })
    const answered: string[] = []
    const send = (name: string, lane: VerifyLaneName) =>
      accepted(pool.verify(slow(name), lane)).then(() => void answered.push(name))
    await send('a registered one', 'registered')
    // The 2 ms that were saved up are enough to begin; afterwards 2 ms are owed, which takes 32 ms at a sixteenth.
    const held = Promise.all(['first', 'second'].map((name) => send(name, 'unregistered')))
    await setTimeout(20)
    await send('another registered one', 'registered')
    assert.deepEqual(answered, ['a registered one', 'first', 'another registered one'])
    nowMs = 33
    await held
    assert.deepEqual(answered.slice(3), ['second'])
  })

  test('give time to a merchant who shares key and address with an attacker, for each good signature', async (t) => {
    const pool = startPool(t, { ...slowWorker, now: () => 0 })
    const attacked = testKey('attacked')
    const bad = () => accepted(pool.verify({ ...slow(), publicKey: attacked.publicKey }, 'registered'))
    for (let n = 0; n < 9; n += 1) assert.equal(await bad(), false)
    for (let n = 0; n < 5; n += 1) {
      const good = accepted(pool.verify(signed(`FAULT took:4000; ${n}`, attacked), 'registered'))
      assert.equal(await Promise.race([good, setTimeout(2_000, 'held back', { ref: false })]), true, `round ${n}`)
      assert.equal(await bad(), false)
    }
  })

  test('do not hold anybody back when nobody has priority, or when closing', async () => {
    let nowMs = 0
    const pool = createVerifyPool({ ...defaults, ...slowWorker, now: () => nowMs })
    const flood = () => Array.from({ length: 100 }, () => accepted(pool.verify(slow(), 'unregistered')))
    await accepted(pool.verify(slow(), 'registered'))
    const early = flood()
    await early[0]
    assert.equal(pool.depth().unregistered, 99)
    nowMs += 1_001
    await Promise.all(early)
    await accepted(pool.verify(slow(), 'registered'))
    const late = flood()
    await late[0]
    assert.equal(pool.depth().unregistered, 99)
    await pool.close()
    await Promise.all(late)
  })

  test('do not let registered keys starve the others', async (t) => {
    const pool = startPool(t, { batchLimit: 64, ...free })
    const order = await orderOfVerdicts(pool, [...times(400, 'registered'), ...times(16, 'unregistered')])
    assert.ok(order.lastIndexOf('unregistered') < 256, `${order.lastIndexOf('unregistered')}`)
  })

  test('give a single unregistered request a place in the smallest batch', async (t) => {
    const pool = startPool(t, { batchLimit: 2 })
    const order = await orderOfVerdicts(pool, [...times(20, 'registered'), 'unregistered'])
    assert.ok(order.indexOf('unregistered') < 6, `${order.indexOf('unregistered')}`)
  })

  test('let registered keys pass a flood of bad signatures by other registered ones, whose good requests still get through', async (t) => {
    const pool = startPool(t, { batchLimit: 8, unregisteredLaneLimit: 512 })
    const attacked = testKey('attacked')
    const bad = (): VerifyRequest => ({ ...malformed(''), publicKey: attacked.publicKey })
    await Promise.all(Array.from({ length: 16 }, () => accepted(pool.verify(bad(), 'registered'))))
    const order: string[] = []
    const send = (name: string, request: VerifyRequest) => {
      const verdict = pool.verify(request, 'registered')
      return verdict instanceof Promise ? verdict.then(() => void order.push(name)) : verdict
    }
    const flood = Array.from({ length: 1000 }, () => send('bad', bad()))
    const good = Array.from({ length: 80 }, () =>
      accepted(pool.verify(valid, 'registered')).then(() => order.push('good')),
    )
    // The flood takes at most half of its lane, so a request of the attacked key is told to come back, not lost.
    assert.ok(flood.filter((one) => one === 'crowded_out').length > 700)
    assert.ok(!flood.includes('overloaded'))
    await Promise.all([...flood, ...good])
    assert.ok(order.lastIndexOf('good') < 80 + 16 + 80 / 7 + 8, `${order.lastIndexOf('good')}`)
    assert.equal(await accepted(pool.verify(signed('{"later":1}', attacked), 'registered')), true)
  })

  test('tell a client whose requests wait already that it is crowded out, and another that there is no room', async (t) => {
    const pool = startPool(t, { batchLimit: 2, unregisteredLaneLimit: 2 })
    const bad = (): VerifyRequest => malformed('')
    const verify = (client: string) => pool.verify(bad(), 'registered', () => client)
    await Promise.all(Array.from({ length: 16 }, () => accepted(pool.verify(bad(), 'registered', () => 'attacker'))))
    // Two batches of two go to the thread; then one of each client waits.
    const underWay = Array.from({ length: 4 }, () => accepted(pool.verify(malformed(''), 'unregistered')))
    const waiting = [accepted(verify('attacker')), accepted(verify('other'))]
    assert.equal(verify('attacker'), 'crowded_out')
    assert.equal(verify('newcomer'), 'overloaded')
    await Promise.all([...underWay, ...waiting])
  })

  test('refuse what exceeds their number, each on its own, and accept again when there is room', async (t) => {
    const pool = startPool(t, { batchLimit: 2, registeredLaneLimit: 3, unregisteredLaneLimit: 2 })
    const verify = (lane: VerifyLaneName) => pool.verify(malformed(''), lane)
    // Two batches of two go to the thread, three requests wait.
    const registered = Array.from({ length: 7 }, () => accepted(verify('registered')))
    assert.deepEqual(pool.depth(), { registered: 3, unregistered: 0, inFlight: 4 })
    assert.equal(verify('registered'), 'overloaded')
    const unregistered = [accepted(verify('unregistered')), accepted(verify('unregistered'))]
    assert.equal(verify('unregistered'), 'crowded_out')
    assert.deepEqual(pool.depth(), { registered: 3, unregistered: 2, inFlight: 4 })
    await Promise.all([...registered, ...unregistered])
    assert.equal(await accepted(pool.verify(valid, 'registered')), true)
    assert.equal(await accepted(pool.verify(valid, 'unregistered')), true)
  })

  test('refuse what exceeds their bytes', async (t) => {
    const pool = startPool(t, { batchLimit: 64, laneLimitBytes: 10_000 })
    const large: VerifyRequest = { ...malformed(''), body: Buffer.alloc(4_000) }
    const verdicts = [accepted(pool.verify(large, 'registered')), accepted(pool.verify(large, 'registered'))]
    assert.equal(pool.verify(large, 'registered'), 'overloaded')
    verdicts.push(accepted(pool.verify(malformed(''), 'registered')))
    verdicts.push(accepted(pool.verify(large, 'unregistered')))
    assert.equal(pool.verify({ ...large, body: Buffer.alloc(20_000) }, 'unregistered'), 'crowded_out')
    assert.deepEqual(await Promise.all(verdicts), [false, false, false, false])
    assert.equal(await accepted(pool.verify(large, 'registered')), false)
  })
})

describe('closing the verify pool', () => {
  test('answers what was accepted and accepts nothing more', async () => {
    const pool = createVerifyPool({ ...defaults, threads: 2, batchLimit: 4 })
    const verdicts = Array.from({ length: 50 }, (_, i) => {
      const request = i % 10 === 0 ? valid : malformed(`${i}`)
      return accepted(pool.verify(request, i % 2 === 0 ? 'registered' : 'unregistered'))
    })
    const closed = pool.close()
    assert.equal(pool.verify(valid, 'registered'), 'overloaded')
    assert.equal(pool.close(), closed)
    await closed
    assert.deepEqual(pool.depth(), { registered: 0, unregistered: 0, inFlight: 0 })
    assert.deepEqual(
      await Promise.all(verdicts),
      Array.from({ length: 50 }, (_, i) => i % 10 === 0),
    )
  })

  test('ends a pool that never worked', async () => {
    await createVerifyPool(defaults).close()
  })
})
