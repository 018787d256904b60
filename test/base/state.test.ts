import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { State, WrongTransition } from '../../src/base/state.js'
import { throwIt } from '../support/throw-it.js'

type Door = 'open' | 'shut' | 'locked'

describe('a state', () => {
  test('is entered from those that lead to it', () => {
    const door = new State<Door>('a door', 'open', throwIt)
    door.enter('shut', 'open', 'locked')
    door.enter('locked', 'shut')
    assert.equal(door.now, 'locked')
  })

  test('that is entered from another one is a defect, which says what went wrong', () => {
    const door = new State<Door>('a door', 'open', throwIt)
    const wrong = { name: 'WrongTransition', message: 'a door that is open cannot become locked' }
    assert.throws(() => door.enter('locked', 'shut'), wrong)
    assert.throws(() => door.mayEnter('locked', 'shut'), wrong)
    assert.equal(door.now, 'open')
  })

  test('is entered all the same where the defect is only reported', () => {
    const reported: WrongTransition[] = []
    const door = new State<Door>('a door', 'open', (error) => reported.push(error))
    assert.equal(door.mayEnter('locked', 'shut'), false)
    assert.equal(door.now, 'open')
    door.enter('locked', 'shut')
    assert.equal(door.now, 'locked')
    assert.deepEqual(
      reported.map((error) => error instanceof WrongTransition),
      [true, true],
    )
  })
})
