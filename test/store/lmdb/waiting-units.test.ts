import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMMIT_BATCH_MAX, REQUESTED_UNITS_MAX, WaitingUnits } from '../../../src/store/lmdb/commit/waiting-units.js'

interface Unit {
  readonly name: string
  readonly isRequested: boolean
  readonly call: string
}

function unitsOf(call: string, count: number, isRequested = false): readonly Unit[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${call}${i + 1}`, isRequested, call }))
}

const namesOf = (taken: readonly Unit[]) => taken.map(({ name }) => name).join(' ')

/** Takes the units of a transaction in which there is time for `count`. */
function takeInTime(waiting: WaitingUnits<Unit>, count: number): readonly Unit[] {
  const batch = waiting.take()
  const last = batch[count - 1]
  if (last !== undefined) waiting.putBack(batch.slice(count), last)
  return batch.slice(0, count)
}

describe('units that wait for a transaction', () => {
  test('all are taken in order, a bounded number at once', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', 2))
    waiting.add(unitsOf('b', COMMIT_BATCH_MAX))
    const batch = waiting.take()
    assert.equal(batch.length, COMMIT_BATCH_MAX)
    assert.equal(namesOf(batch.slice(0, 3)), 'a1 a2 b1')
    assert.equal(namesOf(waiting.take()), `b${COMMIT_BATCH_MAX - 1} b${COMMIT_BATCH_MAX}`)
    assert.equal(waiting.isEmpty, true)
  })

  test('a call that took all the time of a transaction comes behind what others wait for, in its order', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', 4))
    waiting.add(unitsOf('b', 2))
    assert.equal(namesOf(takeInTime(waiting, 2)), 'a1 a2')
    waiting.add(unitsOf('c', 1))
    assert.equal(namesOf(takeInTime(waiting, 9)), 'b1 b2 c1')
    assert.equal(namesOf(takeInTime(waiting, 9)), 'a3 a4')
  })

  test('it rests once only, and not while nobody else waits', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', 3))
    assert.equal(namesOf(takeInTime(waiting, 1)), 'a1')
    assert.equal(namesOf(takeInTime(waiting, 1)), 'a2')
    waiting.add(unitsOf('b', 1))
    assert.equal(namesOf(takeInTime(waiting, 9)), 'b1')
    waiting.add(unitsOf('c', 1))
    assert.equal(namesOf(takeInTime(waiting, 9)), 'a3 c1')
  })

  test('so does what a transaction did not even take of it', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', COMMIT_BATCH_MAX + 2))
    waiting.add(unitsOf('b', 1))
    assert.equal(namesOf(takeInTime(waiting, 1)), 'a1')
    assert.equal(namesOf(takeInTime(waiting, 2)), 'b1')
    assert.equal(namesOf(takeInTime(waiting, 2)), 'a2 a3')
  })

  test('what was not begun of others keeps its place before what has come since', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', 1))
    waiting.add(unitsOf('b', 2))
    const batch = waiting.take()
    waiting.add(unitsOf('c', 1))
    const [last] = batch
    assert.ok(last !== undefined)
    waiting.putBack(batch.slice(1), last)
    assert.equal(namesOf(waiting.take()), 'b1 b2 c1')
  })

  test('requested units are bounded, those that were taken and put back included', () => {
    const waiting = new WaitingUnits<Unit>()
    waiting.add(unitsOf('a', REQUESTED_UNITS_MAX, true))
    assert.equal(waiting.hasRoom(1), false)
    takeInTime(waiting, 1)
    assert.equal(waiting.hasRoom(1), true)
    assert.equal(waiting.hasRoom(2), false)
    waiting.add(unitsOf('b', 100))
    assert.equal(waiting.hasRoom(1), true)
  })
})
