import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Tarpit } from '../../src/auth/tarpit.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const MIB = 1024 * 1024
const HELD_MAX = 8192
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function open() {
  let nowMs = 0
  const scheduler = new ManualScheduler()
  const refusals = new Tarpit(() => nowMs, scheduler)
  const released: string[] = []
  return {
    refusals,
    scheduler,
    released,
    hold: (name: string, bytes = 0) => void refusals.hold(bytes).then(() => released.push(name)),
    pass: async (ms: number) => {
      nowMs += ms
      scheduler.pass(ms)
      await nextTurn()
    },
  }
}

describe('refusals are held back', () => {
  test('for a second each, and released in their order', async () => {
    const { hold, pass, released, scheduler, refusals } = open()
    hold('first')
    await pass(400)
    hold('second')
    hold('third')
    await pass(599)
    assert.deepEqual(released, [])
    await pass(1)
    assert.deepEqual(released, ['first'])
    await pass(399)
    assert.deepEqual(released, ['first'])
    await pass(1)
    assert.deepEqual(released, ['first', 'second', 'third'])
    assert.equal(refusals.size, 0)
    assert.equal(scheduler.pending, 0)
  })

  test('again after all were released', async () => {
    const { hold, pass, released } = open()
    for (const name of ['first', 'second']) {
      hold(name)
      await pass(999)
      assert.ok(!released.includes(name))
      await pass(1)
      assert.ok(released.includes(name))
    }
  })

  test('with one timer, however many there are', () => {
    const { hold, scheduler } = open()
    for (let i = 0; i < 100; i += 1) hold(String(i))
    assert.equal(scheduler.pending, 1)
  })

  test('up to a number; what comes on top is answered at once', async () => {
    const { hold, pass, released, refusals } = open()
    for (let i = 0; i < HELD_MAX; i += 1) hold('held')
    hold('on top')
    await nextTurn()
    assert.deepEqual(released, ['on top'])
    assert.equal(refusals.size, HELD_MAX)
    await pass(1000)
    assert.equal(released.length, HELD_MAX + 1)
    hold('later')
    await nextTurn()
    assert.ok(!released.includes('later'))
  })

  test('up to so many bytes of bodies, which count until they are released', async () => {
    const { hold, pass, released } = open()
    for (let i = 0; i < 32; i += 1) hold('held', MIB)
    hold('on top', 1)
    hold('empty')
    await nextTurn()
    assert.deepEqual(released, ['on top'])
    await pass(1000)
    hold('later', 32 * MIB)
    await nextTurn()
    assert.ok(released.includes('empty') && !released.includes('later'))
  })
})
