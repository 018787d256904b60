import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { openEnvironment } from '../../../src/store/lmdb/tables/tables.js'
import { present, Scenario } from '../../contract/store/harness.js'
import { refusalOf, unwrap } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { projectRoot } from '../../support/project-root.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/**
 * Written by the program of version 2 of the data: invoices of alice, among them `paid` (1, paid by the deposit `pays`),
 * `again` (1), `matched` (2, matched by a pending deposit), one of 3 on two wallets, `last` (5, whose deposit was dropped)
 * and `former` (7, on wallet-2, which is bob's since).
 */
const DATA = join(projectRoot, 'test/store/lmdb/data/version-2.mdb.gz')
const AFTER_MS = 1_700_000_100_000
const ADDRESS = '0xAddress-of-wallet-'
const OBSOLETE = ['queues', 'queue-invoices', 'wallet-payees']

test('data of version 2 opens with its payments, collisions, matches and former owners', async () => {
  const place = temporaryDirectory()
  try {
    mkdirSync(place.path, { recursive: true })
    writeFileSync(join(place.path, 'data.mdb'), gunzipSync(readFileSync(DATA)))
    const clock = new ManualClock()
    clock.set(AFTER_MS)
    for (const isFirst of [true, false]) {
      const store = await openLmdbStore({ ...lmdbStoreOptions(place.path, clock), migration: quiet() })
      if (isFirst)
        await examine(
          new Scenario({
            store,
            clock,
            failIds() {},
            expectFlaw() {},
            reopen: () => assert.fail(),
            discard: assert.fail,
          }),
        )
      assert.equal(store.invoices.page('alice', { after: null, limit: 99 }).items.length, 7)
      await store.close()
    }
    const root = openEnvironment(place.path)
    const names = [...root.getKeys()].map((key) => key.toString().replace(/\0$/, ''))
    await root.close()
    assert.deepEqual(
      OBSOLETE.filter((name) => names.includes(name)),
      [],
    )
  } finally {
    place.remove()
  }
})

async function examine(t: Scenario): Promise<void> {
  const invoiceOf = async (reference: string) => present(await t.store.invoices.findByReference(reference))
  const notified = async (report: 'pending' | 'dropped', txHash: string, amount: string, wallet = 1) => {
    const fields = { txHash, amount, toAddress: `${ADDRESS}${wallet}`, receivedAt: AFTER_MS }
    const { deliveries } = await t.deposit(report, fields)
    return deliveries.map(({ body }) => JSON.parse(body).reference).join()
  }
  for (const [reference, status] of [
    ['paid', 'paid'],
    ['again', 'unpaid'],
  ] as const) {
    const { payment, voidedAt, expiresAt } = await t.told(await invoiceOf(reference))
    assert.deepEqual([payment.status, voidedAt, expiresAt], [status, null, null])
  }
  assert.equal((await t.paymentOf(await invoiceOf('matched'))).pending, '2')

  assert.equal(refusalOf(await t.request({ amount: '1' })), 'amount_in_use')
  assert.equal(refusalOf(await t.request({ amount: '3' })), 'amount_in_use')
  unwrap(await t.request({ owner: 'bob', amount: '7', walletIds: ['wallet-2'] }))
  unwrap(await t.request({ amount: '6', reference: 'six' }))

  assert.equal(await notified('pending', 'exact', '5'), 'last')
  assert.equal(await notified('pending', 'equal to a matched one', '2'), 'again')
  assert.equal(await notified('pending', 'to the new owner', '7', 2), '')
  await notified('dropped', 'pays', '1')
  assert.equal((await t.paymentOf(await invoiceOf('paid'))).status, 'unpaid')
  assert.equal(await notified('pending', 'odd', '0.5'), 'paid')
  assert.equal(refusalOf(await t.void((await invoiceOf('last')).id)), 'invoice_paid')
  unwrap(await t.void((await invoiceOf('six')).id))
}
