import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { type OldEvents, removeOldEvents } from '../../../src/store/rules/remove-events.js'

/** The logs of owners 1, 2, …, with so many old events each. */
function logsOf(...counts: number[]): OldEvents<number> & { readonly visited: number[] } {
  const visited: number[] = []
  return {
    visited,
    ownerBehind: (owner) => ((owner ?? 0) < counts.length ? (owner ?? 0) + 1 : null),
    remove: (owner, limit) => {
      visited.push(owner)
      const gone = Math.min(counts[owner - 1] ?? 0, limit)
      counts[owner - 1] = (counts[owner - 1] ?? 0) - gone
      return gone
    },
  }
}

const remove = (logs: OldEvents<number>, doneTo: number | null, limit: number) =>
  answeredNow(removeOldEvents(logs, doneTo, limit))

describe('the removal of old events', () => {
  test('goes on with the owner of whom something may be left', () => {
    const logs = logsOf(2, 5, 1)
    assert.deepEqual(remove(logs, null, 4), { removed: 3, doneTo: 1 })
    assert.deepEqual(remove(logs, 1, 4), { removed: 4, doneTo: 1 })
    assert.deepEqual(remove(logs, 1, 4), { removed: 1, doneTo: null })
    assert.deepEqual(logs.visited, [1, 2, 2, 2, 3])
  })

  test('visits ten owners without old events in place of one removal', () => {
    const logs = logsOf(...Array.from({ length: 20 }, () => 0), 2)
    assert.deepEqual(remove(logs, null, 2), { removed: 0, doneTo: 10 })
    assert.deepEqual(remove(logs, 10, 2), { removed: 0, doneTo: 20 })
    assert.deepEqual(remove(logs, 20, 2), { removed: 2, doneTo: 20 })
    assert.equal(logs.visited.length, 21)
  })
})
