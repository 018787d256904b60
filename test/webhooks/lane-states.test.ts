import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WrongTransition } from '../../src/base/state.js'
import { OutboxLane } from '../../src/webhooks/outbox-lane.js'
import { Pool } from '../../src/webhooks/pool.js'
import { throwIt } from '../support/throw-it.js'

const TRANSITIONS = {
  enter: (lane: OutboxLane) => lane.enter(new Pool(1)),
  beginTurn: (lane: OutboxLane) => lane.beginTurn(),
  endTurn: (lane: OutboxLane) => lane.endTurn(),
  pause: (lane: OutboxLane) => lane.pause(),
  resume: (lane: OutboxLane) => lane.resume(),
  drop: (lane: OutboxLane) => lane.drop(),
} as const
type Transition = keyof typeof TRANSITIONS
const NAMES = Object.keys(TRANSITIONS) as Transition[]

/** By state: how a new lane comes there, and where each transition leads that it has. All others are wrong. */
const STATES: Readonly<
  Record<OutboxLane['state'], { readonly by: readonly Transition[]; readonly to: Partial<Record<Transition, string>> }>
> = {
  resting: { by: [], to: { enter: 'ready', pause: 'paused', drop: 'gone' } },
  ready: { by: ['enter'], to: { beginTurn: 'in_turn', pause: 'paused' } },
  in_turn: { by: ['enter', 'beginTurn'], to: { endTurn: 'resting', pause: 'paused' } },
  paused: { by: ['pause'], to: { resume: 'resting' } },
  gone: { by: ['drop'], to: {} },
}

function laneAfter(by: readonly Transition[], onWrong: (error: Error) => void = throwIt): OutboxLane {
  const lane = new OutboxLane('lane', 'owner', 1, onWrong)
  for (const name of by) TRANSITIONS[name](lane)
  return lane
}

describe('the states of a lane', () => {
  for (const [state, { by, to }] of Object.entries(STATES)) {
    for (const name of NAMES) {
      const next = to[name]
      test(`${state}: ${name} ${next === undefined ? 'is a defect' : `leads to ${next}`}`, () => {
        const lane = laneAfter(by)
        assert.equal(lane.state, state)
        if (next === undefined) {
          assert.throws(() => TRANSITIONS[name](lane), WrongTransition)
        } else {
          TRANSITIONS[name](lane)
          assert.equal(lane.state, next)
        }
      })
    }
  }

  test('go on with a defect that is only reported', () => {
    const reported: Error[] = []
    const lane = laneAfter(['enter', 'enter', 'beginTurn', 'endTurn'], (error) => reported.push(error))
    assert.deepEqual(
      reported.map(({ message }) => message),
      ['a lane that is ready cannot become ready'],
    )
    assert.equal(lane.state, 'resting')
  })

  test('a lane that is paused is in no pool, and counts the failures of the store in a row', () => {
    const pool = new Pool<OutboxLane>(1)
    const lane = laneAfter([])
    lane.enter(pool)
    pool.enter(lane)
    lane.pause()
    assert.equal(pool.next(), undefined)
    assert.equal(lane.failures, 1)
  })
})
