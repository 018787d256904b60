import assert from 'node:assert/strict'
import { randomFillSync } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.js'
import { IdGenerator } from '../../../src/crypto/id.js'
import type { InvoiceTerms } from '../../../src/domain/invoice.js'
import { CommitLoop } from '../../../src/store/lmdb/commit/commit-loop.js'
import { createIn } from '../../../src/store/lmdb/invoices/create-invoice.js'
import { createOrderIn } from '../../../src/store/lmdb/orders/create-order.js'
import { openEnvironment, openTables } from '../../../src/store/lmdb/tables/tables.js'
import { invoiceRequest, openFixture } from '../../support/lmdb-fixture.js'
import { TEST_NETWORKS } from '../../support/networks.js'
import { orderCommand } from '../../support/orders.js'

const TERMS: InvoiceTerms = { networks: TEST_NETWORKS, areWalletsShared: true, areCoinsMixed: true }
/** The most that an invoice may name. */
const WALLETS = Array.from({ length: 50 }, (_, n) => `wallet-${n}`)
/** All but one of the wallets, and all but two: 63 sets hold most of the wallets, one less than may. */
const SETS = [
  ...WALLETS.map((left) => WALLETS.filter((id) => id !== left)),
  ...Array.from({ length: 14 }, (_, n) => WALLETS.filter((id) => id !== WALLETS[2 * n] && id !== WALLETS[2 * n + 1])),
]
/** Far fewer than there are sets on all of the wallets: those are 3,000. */
const SEEKS_MAX = 1000

/** For each of 500 wallets its amount, and a few for each of ten invoices. */
const PUTS_MAX = 600

test('an order of the widest options writes its amounts for each wallet, and nothing else, where its sets have open invoices', async () => {
  const fixture = await openFixture()
  const wallets = Array.from({ length: 250 }, (_, n) => `wide-${n}`)
  await fixture.assign('alice', ...wallets)
  await fixture.store.close()
  const root = openEnvironment(fixture.path)
  const tables = openTables(root)
  const ids = new IdGenerator(randomFillSync)
  const world = { clock: systemClock, newId: (nowMs: number) => ids.next(nowMs) }
  const commits = new CommitLoop(tables, world, { obstacle: () => null })
  let puts = 0
  for (const table of Object.values(tables)) {
    const put = table.putSync.bind(table)
    table.putSync = (key: Buffer, value: Buffer) => {
      puts += 1
      put(key, value)
    }
  }
  try {
    for (const [n, most] of [Number.POSITIVE_INFINITY, PUTS_MAX].entries()) {
      const options = ['USDT', 'native'].flatMap((currency) =>
        Array.from({ length: 5 }, (_, i) => {
          return { walletIds: wallets.slice(50 * i, 50 * (i + 1)), currency, amount: `${10 * n + i + 1}` }
        }),
      )
      puts = 0
      const made = await commits.run((commit) => createOrderIn(commit, orderCommand({ options }), TERMS))
      assert.ok(made.outcome.ok)
      assert.ok(puts < most, `${puts} puts`)
    }
  } finally {
    await commits.close()
    await root.close()
    await fixture.close()
  }
})

test('an order with one set of wallets in two coins looks at the other sets on them only where it is one too many', async () => {
  const fixture = await openFixture()
  await fixture.assign('alice', ...WALLETS)
  await fixture.store.close()
  const root = openEnvironment(fixture.path)
  const tables = openTables(root)
  const { openInvoices } = tables
  const getKeys = openInvoices.getKeys.bind(openInvoices)
  let seeks = 0
  openInvoices.getKeys = (range) => {
    seeks += 1
    return getKeys(range)
  }
  const ids = new IdGenerator(randomFillSync)
  const world = { clock: systemClock, newId: (nowMs: number) => ids.next(nowMs) }
  const commits = new CommitLoop(tables, world, { obstacle: () => null })
  try {
    for (const [n, wallets] of SETS.entries()) {
      const request = invoiceRequest('alice', wallets, `${n + 1}`)
      const made = await commits.run((commit) => createIn(commit, { type: 'invoice', request }, TERMS))
      assert.ok(made.outcome.ok)
    }
    seeks = 0
    const options = ['USDT', 'native'].map((currency) => ({ walletIds: WALLETS, currency, amount: '0.5' }))
    const made = await commits.run((commit) => createOrderIn(commit, orderCommand({ options }), TERMS))
    assert.ok(made.outcome.ok)
    assert.ok(seeks < SEEKS_MAX, `${seeks} seeks`)
  } finally {
    await commits.close()
    await root.close()
    await fixture.close()
  }
})
