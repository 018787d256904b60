import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { WalletCommand } from '../../../src/store/commands.js'
import { type LmdbStore, openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { present, settledValue } from '../../contract/store/harness.js'
import { assertSound } from '../../support/check-data.js'
import { depositFact, invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { moved } from '../../support/moved.js'
import { memoryDirectory } from '../../support/temporary-directory.js'

const FOUR_PERCENT = 400
const MINUTE_MS = 60_000

test('an invoice that does not expire because nearly all was seen expires in the next store when that is dropped', async () => {
  const place = memoryDirectory()
  const clock = new ManualClock()
  const [first, last] = [join(place.path, 'first'), join(place.path, 'last')]
  const open = (directory: string) =>
    openLmdbStore({ ...lmdbStoreOptions(directory, clock), underpayment: FOUR_PERCENT })
  const perform = async (store: LmdbStore, command: WalletCommand) =>
    settledValue((await store.commands.perform([command]))[0])
  const report = (store: LmdbStore, kind: 'pending' | 'dropped') => {
    const fact = depositFact(kind, { amount: '24', receivedAt: START_MS + 1 })
    return perform(store, { type: 'deposit', eventId: null, fact })
  }
  try {
    for (const directory of [first, last]) mkdirSync(directory)
    const source = await open(first)
    for (const fact of [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')])
      await source.ledger.applyFacts([{ eventId: null, fact }])
    const request = invoiceRequest({ amount: '25', expiresInSeconds: 60 })
    const created = await perform(source, { type: 'invoice', request })
    assert.ok(created.type === 'invoice' && created.outcome.ok)
    const { id } = created.outcome.value
    await report(source, 'pending')
    await source.close()
    await moved(first, last)
    const target = await open(last)
    await report(target, 'dropped')
    clock.advance(MINUTE_MS)
    assert.equal(await target.commands.catchUp(), false)
    assert.equal(present(await target.invoices.findWithPayment(id)).voidedAt, START_MS + MINUTE_MS)
    const events = await target.events.page('alice', { after: null, limit: 10 })
    assert.equal(events.ok ? events.value.items.at(-1)?.type : null, 'invoice.expired')
    await target.close()
    await assertSound(last)
  } finally {
    place.remove()
  }
})
