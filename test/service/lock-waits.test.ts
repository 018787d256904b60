import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { LockWaits } from '../../src/service/lock-waits.js'
import { StorageUnavailable } from '../../src/store/refusals.js'

test('a lock that did not come is told for a minute, and logged once as long as it is told', () => {
  const lines: string[] = []
  let elapsedMs = 0
  const clock = { now: () => 0, elapsed: () => elapsedMs }
  const waits = new LockWaits(createLog('info', { write: (line) => lines.push(line) }), clock)
  const reasons = () => waits.complaints().map(({ reason }) => reason)
  const reason = new StorageUnavailable(new Error('a lock'))
  assert.deepEqual(reasons(), [])
  waits.missed(reason)
  elapsedMs += 59_999
  assert.deepEqual(reasons(), ['database_lock'])
  waits.missed(reason)
  elapsedMs += 59_999
  assert.deepEqual(reasons(), ['database_lock'])
  assert.equal(lines.length, 1)
  elapsedMs += 1
  assert.deepEqual(reasons(), [])
  waits.missed(reason)
  assert.equal(lines.length, 2)
})
