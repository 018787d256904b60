import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokenData, isDamage } from '../../src/store/damage.js'
import { isUnreadable, QueueFull, StorageUnavailable } from '../../src/store/refusals.js'

const withCode = (code: unknown) => Object.assign(new Error('an error'), { code })

const CASES: readonly (readonly [what: string, error: unknown, isDamage: boolean])[] = [
  ['MDB_CORRUPTED', withCode(-30_796), true],
  ['MDB_PAGE_NOTFOUND', withCode(-30_797), true],
  ['MDB_PANIC', withCode(-30_795), true],
  ['MDB_BAD_TXN', withCode(-30_782), true],
  ['EIO of the system, which is also a write that the disk had no room for', withCode(5), false],
  ['a record that is none', new BrokenData('a record'), true],
  ['a refusal that damage caused', new StorageUnavailable(withCode(-30_796)), true],
  ['data_corrupted of PostgreSQL', withCode('XX001'), true],
  ['index_corrupted', withCode('XX002'), true],
  ['internal_error', withCode('XX000'), true],
  ['io_error', withCode('58030'), true],
  ['undefined_file', withCode('58P01'), true],
  ['MDB_NOTFOUND', withCode(-30_798), false],
  ['MDB_MAP_FULL', withCode(-30_792), false],
  ['MDB_READERS_FULL', withCode(-30_790), false],
  ['ENOSPC of the system', withCode(28), false],
  ['disk_full of PostgreSQL', withCode('53100'), false],
  ['unique_violation', withCode('23505'), false],
  ['a code of Node', withCode('EIO'), false],
  ['a full disk', new StorageUnavailable(new Error('fewer than 16 MiB are free')), false],
  ['a full queue', new QueueFull(), false],
  ['a defect', new TypeError('x is not a function'), false],
  ['no error', undefined, false],
]

test('which errors say that stored data are damaged', () => {
  for (const [what, error, expected] of CASES) assert.equal(isDamage(error), expected, what)
})

test('an error that caused itself is looked at and left', () => {
  const error = new Error('a circle')
  error.cause = error
  assert.equal(isDamage(error), false)
})

test('what cannot be read is told from a defect', () => {
  assert.equal(isUnreadable(new StorageUnavailable(new Error('away'))), true)
  assert.equal(isUnreadable(withCode(-30_796)), true)
  assert.equal(isUnreadable(new TypeError('a fault')), false)
})
