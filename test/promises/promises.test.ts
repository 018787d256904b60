import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presentNames, promisedNames } from './names.js'

test('every setting, metric, endpoint, error code, command and flag that was promised is there', () => {
  const promised = promisedNames()
  for (const one of ['setting BILLHOOK_DATA', 'endpoint POST /api/invoices', 'error amount_in_use']) {
    assert.ok(promised.includes(one), one)
  }
  const present = presentNames()
  // To take one out: deprecate it first (docs/versioning.md). When its time has come, remove it from names.txt and tell it in the changelog.
  assert.deepEqual(
    promised.filter((name) => !present.includes(name)),
    [],
  )
})
