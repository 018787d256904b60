import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenStore, withStore } from './harness.js'

const cursor = { origin: 'a ledger', timestampMs: 1_700_000_000_000, umids: ['ab'.repeat(32), 'cd'.repeat(32)] }

export function describeLedgerCursor(open: OpenStore): void {
  test(
    'has no ledger cursor at first, then the last one that was saved, also when it is opened again',
    withStore(open, async (t) => {
      assert.equal(await t.store.ledgerCursor(), undefined)
      await t.store.saveLedgerCursor(cursor)
      assert.deepEqual(await t.store.ledgerCursor(), cursor)
      const next = { origin: 'another', timestampMs: 0, umids: [] }
      await t.store.saveLedgerCursor(next)
      await t.harness.reopen()
      assert.deepEqual(await t.store.ledgerCursor(), next)
    }),
  )

  test(
    'keeps a ledger cursor with ten thousand transactions of one millisecond',
    withStore(open, async (t) => {
      const umids = Array.from({ length: 10_000 }, (_, i) => i.toString(16).padStart(64, '0'))
      await t.store.saveLedgerCursor({ ...cursor, umids })
      await t.harness.reopen()
      assert.deepEqual(await t.store.ledgerCursor(), { ...cursor, umids })
    }),
  )
}
