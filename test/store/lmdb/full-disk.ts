import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import { invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'

/*
 * A process whose files may not grow beyond a limit. It creates invoices until the disk refuses, and some more, and says
 * which of them were acknowledged.
 */
const ATTEMPTS = 400
const DESCRIPTION = 'x'.repeat(500)

const directory = process.argv[2] ?? ''
const store = await openLmdbStore(lmdbStoreOptions(directory, new ManualClock()))
const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
const acknowledged: string[] = []
let refused = 0
for (let i = 1; i <= ATTEMPTS; i += 1) {
  const batch = Array.from({ length: 20 }, (_, j) => ({
    type: 'invoice' as const,
    request: invoiceRequest({ amount: `${i}.${j + 1}1`, reference: `${i}-${j}`, description: DESCRIPTION }),
  }))
  for (const fate of await store.commands.perform(batch)) {
    if (fate.status === 'rejected') {
      if (!(fate.reason instanceof StorageUnavailable)) throw fate.reason
      refused += 1
    } else if (fate.value.type === 'invoice' && fate.value.outcome.ok) {
      acknowledged.push(fate.value.outcome.value.reference ?? '')
    }
  }
  if (refused > 100) break
}
const isReadable = store.invoices.findByReference(acknowledged[0] ?? '') !== undefined
process.stdout.write(JSON.stringify({ acknowledged, refused, isReadable }))
await store.close()
