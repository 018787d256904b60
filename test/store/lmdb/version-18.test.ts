import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { Scenario } from '../../contract/store/harness.js'
import { assertSound } from '../../support/check-data.js'
import { addressOf, refusalOf, unwrap } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { quiet } from '../../support/migration.js'
import { projectRoot } from '../../support/project-root.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/**
 * Written by the program of version 18 of the data. Alice's invoices, by their references: `alone` (1, on wallet one), `two wallets` (2, on
 * one and two), `three wallets` (3) and `in another order` (4, on the same three), `finer than the token` (5.0000004, on two), `paid` (6) and
 * `void` (7); `of the former owner` (8, on a wallet that is bob's since, who has one of 10 there) and `… on two wallets` (9, there and on
 * two). On the wallet `crowd` are 120 from 100 to 219, and a deposit of 1000 that has paid them all: some are not settled yet.
 */
const DATA = join(projectRoot, 'test/store/lmdb/data/version-18.mdb.gz')
const LATER_MS = 1_700_000_100_000
const CROWD = 120

test('data of version 18 opens with its open invoices on each of their wallets', async () => {
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
    for (const [wallet, amount, refusal] of [
      ['one', '1', 'amount_in_use'],
      ['two', '2', 'amount_in_use'],
      ['one', '3', 'amount_in_use'],
      ['three', '4', 'amount_in_use'],
    ] as const) {
      assert.equal(
        refusalOf(await t.request({ walletIds: [wallet], amount, currency: 'USDT' })),
        refusal,
        `${amount} on ${wallet}`,
      )
    }
    unwrap(await t.request({ walletIds: ['three'], amount: '7', currency: 'USDT' }))
    unwrap(await t.request({ owner: 'bob', walletIds: ['moved'], amount: '8', currency: 'USDT' }))
    const paying = async (wallet: string, amount: string) => {
      clock.set(clock.now() + 10)
      const sighting = { toAddress: addressOf(wallet), amount, txHash: `${wallet} ${amount}`, receivedAt: clock.now() }
      const { deliveries } = await t.deposit('pending', { ...sighting, currency: 'Tether' })
      return deliveries.map(({ body }) => JSON.parse(body).reference).join()
    }
    assert.equal(await paying('two', '2000000'), 'two wallets')
    assert.equal(await paying('one', '4000000'), 'in another order')
    assert.equal(await paying('two', '5000001'), 'finer than the token')
    assert.equal(await paying('three', '1234'), 'three wallets')
    assert.equal(await paying('moved', '9000000'), 'of the new owner')
    while (await store.commands.catchUp());
    const { items } = await store.invoices.pageWithPayment('alice', { after: null, limit: 2 * CROWD })
    const crowd = items.filter(({ invoice }) => invoice.reference?.startsWith('crowd'))
    assert.deepEqual([crowd.length, new Set(crowd.map(({ payment }) => payment.status))], [CROWD, new Set(['paid'])])
    const events = unwrap(await store.events.page('alice', { after: null, limit: 10 * CROWD }))
    assert.equal(events.items.filter(({ type }) => type === 'invoice.paid').length, CROWD + 1)
    await store.close()
    await assertSound(place.path)
  } finally {
    place.remove()
  }
})
