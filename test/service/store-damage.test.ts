import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { StoreDamage } from '../../src/service/store-damage.js'

test('damage is told until the end, and logged once', () => {
  const lines: string[] = []
  const damage = new StoreDamage(createLog('info', { write: (line) => lines.push(line) }))
  const reasons = () => damage.complaints().map(({ reason }) => reason)
  assert.deepEqual(reasons(), [])
  damage.found(new Error('MDB_CORRUPTED'))
  damage.found(new Error('MDB_CORRUPTED'))
  assert.deepEqual(reasons(), ['store_damaged'])
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /DAMAGED/)
})
