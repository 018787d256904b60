import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OutboxLane } from '../../src/webhooks/outbox-lane.js'
import { type Slot, Slots } from '../../src/webhooks/slots.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { throwIt } from '../support/throw-it.js'

const SIZE = 16
const LATE_MS = 1000

function world() {
  const scheduler = new ManualScheduler()
  let freed = 0
  const slots = new Slots(SIZE, new ManualClock(), scheduler, () => {
    freed += 1
  })
  let made = 0
  const laneOf = (owner: string) => new OutboxLane(`${owner} ${made++}`, owner, SIZE, throwIt)
  /** A lane whose receiver has answered in time before. */
  const prompt = (owner: string) => {
    const lane = laneOf(owner)
    const slot = slots.take(lane)
    slot.sent()
    slot.answered()
    slot.free()
    return lane
  }
  /** A lane whose receiver hangs, and the attempt that does. */
  const hanging = (owner: string): { readonly lane: OutboxLane; readonly slot: Slot } => {
    const lane = laneOf(owner)
    const slot = slots.take(lane)
    slot.sent()
    scheduler.pass(LATE_MS)
    return { lane, slot }
  }
  return { slots, scheduler, laneOf, prompt, hanging, freed: () => freed }
}

describe('the slots for attempts', () => {
  test('are shared out: three quarters to prompt receivers, an eighth each to new and to slow ones', () => {
    const { slots, laneOf, prompt, hanging } = world()
    const { lane: slow, slot } = hanging('slow owner')
    slot.free()
    const room = (lane: OutboxLane) => {
      slots.enter(lane)
      return slots.roomFor(lane)
    }
    // An owner gets half of what is free; a lane starts with two attempts at once.
    assert.deepEqual([room(prompt('a')), room(laneOf('b')), room(slow)], [2, 1, 1])
    for (const owner of ['c', 'd']) slots.take(laneOf(owner))
    assert.equal(room(laneOf('e')), 0, 'new receivers have used their share up')
    assert.equal(room(prompt('f')), 2, 'prompt receivers have theirs')
  })

  test('take turns between the standings, and in each between owners', () => {
    const { slots, laneOf, prompt } = world()
    const lanes = [prompt('a'), prompt('b'), laneOf('c'), laneOf('d')]
    for (const lane of lanes) slots.enter(lane)
    const turns: (string | undefined)[] = []
    for (let lane = slots.next(); lane !== undefined; lane = slots.next()) turns.push(lane.owner)
    assert.deepEqual(turns, ['a', 'c', 'b', 'd'])
  })

  test('are given back by an attempt that is late, which goes on beside them', () => {
    const { slots, laneOf, hanging, freed } = world()
    const { lane, slot } = hanging('a')
    assert.deepEqual([slots.beside, freed()], [1, 1])
    assert.equal(lane.pool, null)
    slot.free()
    slot.free()
    assert.equal(slots.beside, 0)
    const next = laneOf('b')
    slots.enter(next)
    assert.equal(slots.roomFor(next), 1)
  })

  test('are kept by slow receivers that are slow again', () => {
    const { slots, scheduler, hanging, freed } = world()
    const { lane, slot } = hanging('a')
    slot.free()
    const again = slots.take(lane)
    again.sent()
    scheduler.pass(LATE_MS)
    assert.deepEqual([slots.beside, freed()], [0, 1])
    again.free()
  })

  test('are kept by late attempts when as many as there are slots go on beside them', () => {
    const { slots, hanging, freed } = world()
    for (let n = 0; n < SIZE; n += 1) hanging(`owner ${n}`)
    assert.deepEqual([slots.beside, freed()], [SIZE, SIZE])
    const { slot } = hanging('one more')
    assert.deepEqual([slots.beside, freed()], [SIZE, SIZE])
    slot.free()
    assert.equal(slots.beside, SIZE)
  })

  test('are not waited for after an answer: an attempt that ended in time is never late', () => {
    const { slots, scheduler, prompt, freed } = world()
    prompt('a')
    scheduler.pass(10 * LATE_MS)
    assert.deepEqual([slots.beside, freed()], [0, 0])
  })

  test('leave a lane without room when its standing has changed since it entered', () => {
    const { slots, laneOf } = world()
    const lane = laneOf('a')
    slots.enter(lane)
    assert.equal(slots.roomFor(lane), 1)
    const slot = slots.take(lane)
    slot.sent()
    slot.answered()
    slot.free()
    assert.equal(slots.roomFor(lane), 0)
    lane.pause()
    lane.resume()
    slots.enter(lane)
    assert.equal(slots.roomFor(lane), 2)
  })
})
