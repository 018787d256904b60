import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnreadAnswers } from '../../src/http/unread-answers.js'

test('answers that clients do not take leave no room beyond the bound of all, or beyond the quarter of one', () => {
  const unread = new UnreadAnswers(100)
  const room = (...clients: readonly (string | null)[]) => clients.map((client) => unread.hasRoom(() => client))
  assert.deepEqual(room('a', 'b', null), [true, true, true])
  const ofA = unread.hold('a', 25)
  assert.deepEqual(room('a', 'b', null), [false, true, true])
  const ofProxy = unread.hold(null, 75)
  assert.deepEqual(room('a', 'b', null), [false, false, false])
  ofA()
  // Taken once, whatever is said twice.
  ofA()
  assert.deepEqual(room('a', 'b', null), [true, true, true])
  ofProxy()
  const more = unread.hold('a', 24)
  assert.deepEqual(room('a'), [true])
  more()
})
