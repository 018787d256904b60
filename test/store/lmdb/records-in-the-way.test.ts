import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Invoice } from '../../../src/domain/invoice.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { checkData } from '../../support/check-data.js'
import { invoiceRequest, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { memoryDirectory } from '../../support/temporary-directory.js'

const URL_FLAW = /^a deposit would trip over it: callback_url must be an absolute http or https URL/
const REFERENCE_FLAW = /^a deposit would trip over it: reference is longer than 80 characters$/

test('a check notices invoices that a deposit would trip over, which an earlier version imported', async () => {
  const directory = memoryDirectory()
  try {
    const store = await openLmdbStore(lmdbStoreOptions(directory.path, new ManualClock()))
    await store.ledger.applyFacts(
      [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')].map((fact) => ({ eventId: null, fact })),
    )
    const [made] = await store.commands.perform([{ type: 'invoice', request: invoiceRequest() }])
    const whole = made?.status === 'fulfilled' && made.value.type === 'invoice' ? unwrap(made.value.outcome) : null
    assert.ok(whole !== null)
    const add = async (no: number, change: Partial<Invoice>, voidedAt: number | null = null) => {
      const invoice = { ...whole, id: `${no}`.repeat(32), amount: `${no}`, reference: `r${no}`, ...change }
      const [fate] = await store.imports.add([
        { type: 'invoice', invoice, expiresAt: null, voidedAt, acceptedAt: null },
      ])
      assert.deepEqual(fate, { status: 'fulfilled', value: { status: 'added' } })
    }
    await add(2, { callback_url: 'shop.example/hook' })
    await add(3, { callback_url: 'http://u:p@shop.example/' })
    await add(4, { reference: 'r'.repeat(81) })
    await add(5, { callback_url: 'https://shop.example/hook' })
    // No deposit comes to it any more.
    await add(6, { callback_url: 'shop.example/hook' }, START_MS)
    await store.webhooks.put('alice', 'shop.example/hook')
    await store.close()
    const { found } = await checkData(directory.path)
    const told = found.map(({ what }) => what).sort()
    assert.equal(told.length, 4, told.join('\n'))
    for (const [i, expected] of [URL_FLAW, URL_FLAW, REFERENCE_FLAW, /^no webhook can be sent to its URL$/].entries()) {
      assert.match(told[i] ?? '', expected)
    }
  } finally {
    directory.remove()
  }
})
