import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Effect, Effects } from '../../../../src/store/postgres/connection/effects.js'
import { compile, sql } from '../../../../src/store/postgres/connection/sql.js'

interface Row {
  readonly id: string
  readonly by: number
}

function kind(name: string, table: string, options: Partial<Effect<Row>> = {}): Effect<Row> {
  return {
    table,
    nameOf: ({ id }) => id,
    statement: (rows) => sql`${`${name} ${rows.map(({ id, by }) => `${id}+${by}`).join(' ')}`}`,
    ...options,
  }
}

const taken = (effects: Effects) => effects.take().flatMap((fragment) => compile(fragment).values)

describe('effects that wait', () => {
  test('are one statement of each kind, in order, once', () => {
    const effects = new Effects()
    const enter = kind('enter', 'rows')
    const note = kind('note', 'notes')
    for (const [one, id] of [
      [enter, 'a'],
      [note, 'a'],
      [enter, 'b'],
    ] as const) {
      assert.equal(effects.add(one, { id, by: 1 }), true)
    }
    assert.deepEqual(taken(effects), ['enter a+1 b+1', 'note a+1'])
    assert.deepEqual(taken(effects), [])
  })

  test('do not wait with another on the same row of a table, of whatever kind, until that is taken', () => {
    const effects = new Effects()
    const enter = kind('enter', 'rows')
    const leave = kind('leave', 'rows')
    assert.equal(effects.add(leave, { id: 'a', by: 1 }), true)
    assert.equal(effects.add(enter, { id: 'a', by: 1 }), false)
    assert.equal(effects.add(leave, { id: 'a', by: 1 }), false)
    assert.deepEqual(taken(effects), ['leave a+1'])
    assert.equal(effects.add(enter, { id: 'a', by: 1 }), true)
    assert.deepEqual(taken(effects), ['enter a+1'])
  })

  test('are merged where their kind says how, or are of no row', () => {
    const effects = new Effects()
    const merged = kind('change', 'rows', { merge: (one, other) => ({ ...one, by: one.by + other.by }) })
    const summed = kind('sum', 'sums', { nameOf: null })
    for (const one of [merged, summed]) {
      assert.equal(effects.add(one, { id: 'a', by: 1 }), true)
      assert.equal(effects.add(one, { id: 'a', by: 2 }), true)
    }
    assert.deepEqual(taken(effects), ['change a+3', 'sum a+1 a+2'])
  })
})
