import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'

/*
 * A process that opens the store in the directory it is given, creates an invoice, says so and stays until it is killed;
 * or says why it cannot.
 */
const directory = process.argv[2] ?? ''
try {
  const store = await openLmdbStore(lmdbStoreOptions(directory, new ManualClock()))
  const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
  await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
  await store.commands.perform([{ type: 'invoice', request: invoiceRequest({ reference: 'durable' }) }])
  process.send?.({ opened: true })
  process.on('message', () => {})
} catch (error) {
  process.send?.({ opened: false, name: (error as Error).name, message: (error as Error).message }, () =>
    process.disconnect(),
  )
}
