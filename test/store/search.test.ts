import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsBeginning } from '../../src/store/search.js'

test('the ids that begin with a text are those between two', () => {
  const first = '018b'.padEnd(32, '0')
  const last = '018b'.padEnd(32, 'f')
  assert.deepEqual(idsBeginning('018b'), [first, last])
  assert.deepEqual(idsBeginning(last), [last, last])
  for (const none of ['', '018B', 'x', `${last}0`]) assert.equal(idsBeginning(none), null)
})
