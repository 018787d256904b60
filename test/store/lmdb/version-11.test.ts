import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { Scenario } from '../../contract/store/harness.js'
import { assertSound } from '../../support/check-data.js'
import { addressOf } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { projectRoot } from '../../support/project-root.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/**
 * Written by the program of version 11 of the data. Alice's invoices, none of which can be notified but G, H and I: A (25, paid), C (40,
 * void) and B (60, paid, and 0.5 too much) on one wallet after another; E (10, paid in two parts) and F (7, of which 3 came); G (5, void,
 * to which 4 came late, and 2 that are pending); H (9, of which 9.5 came) and I (3, pending). 8 came to bob's wallet, who has no invoice.
 */
const DATA = join(projectRoot, 'test/store/lmdb/data/version-11.mdb.gz')
const LATER_MS = 1_700_001_000_000

const OWN: Readonly<Record<string, readonly [received: string, pending: string, overpaid: string]>> = {
  A: ['25', '0', '0'],
  C: ['0', '0', '0'],
  B: ['60.5', '0', '0.5'],
  E: ['10', '0', '0'],
  F: ['3', '0', '0'],
  G: ['4', '2', '0'],
  H: ['9.5', '0', '0.5'],
  I: ['0', '3', '0'],
}

test('data of version 11 opens with every confirmed deposit matched to the invoice that it was for', async () => {
  const place = temporaryDirectory()
  try {
    writeFileSync(join(place.path, 'data.mdb'), gunzipSync(readFileSync(DATA)))
    const clock = new ManualClock()
    clock.set(LATER_MS)
    const store = await openLmdbStore({ ...lmdbStoreOptions(place.path, clock), migration: quiet() })
    const t = new Scenario({
      store,
      clock,
      failIds() {},
      expectFlaw() {},
      reopen: () => assert.fail(),
      discard: () => assert.fail(),
    })
    const { items } = store.invoices.pageWithPayment('alice', { after: null, limit: 99 })
    const told = items.map(({ invoice, own, payment }) => [invoice.name, [own.received, own.pending, payment.overpaid]])
    assert.deepEqual(Object.fromEntries(told), OWN)
    for (const { invoice } of items) await t.assertDepositsSum(invoice)
    // Nothing of it was told: what was paid before is no news.
    assert.equal(items.length, Object.keys(OWN).length)
    // A pending deposit is matched when it is confirmed, and told then.
    const seen = { txHash: 'tx 8', toAddress: addressOf('late'), amount: '2' }
    const { deliveries } = await t.deposit('confirmed', seen)
    assert.deepEqual(
      deliveries.map(({ status, body }) => [status, JSON.parse(body).reference, JSON.parse(body).late]),
      [['confirmed', 'g', true]],
    )
    await store.close()
    await assertSound(place.path)
  } finally {
    place.remove()
  }
})
