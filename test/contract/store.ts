import { describe } from 'node:test'
import { describeApiKeys } from './store/api-keys.js'
import { describeChains } from './store/chain.js'
import { describeCollisions } from './store/collisions.js'
import { describeDeliveries } from './store/deliveries.js'
import { describeDeposits } from './store/deposits.js'
import { describeEndings } from './store/endings.js'
import type { OpenStore } from './store/harness.js'
import { describeInvoices } from './store/invoices.js'
import { describeLedgerMemory } from './store/ledger-memory.js'
import { describeMatching } from './store/matching.js'
import { describeOutbox } from './store/outbox.js'
import { describeOutboxDepth } from './store/outbox-depth.js'
import { describeHistories } from './store/random-histories.js'
import { describeRetries } from './store/retries.js'
import { describeSettledDeliveries } from './store/settled-deliveries.js'
import { describeWallets } from './store/wallets.js'
import { describeWebhooks } from './store/webhooks.js'
import { describeWrites } from './store/writes.js'

/** What every engine of the store must pass. */
export function describeStore(engine: string, open: OpenStore): void {
  describe(`the store on ${engine}`, () => {
    describeInvoices(open)
    describeCollisions(open)
    describeDeposits(open)
    describeChains(open)
    describeDeliveries(open)
    describeMatching(open)
    describeEndings(open)
    describeOutbox(open)
    describeOutboxDepth(open)
    describeRetries(open)
    describeSettledDeliveries(open)
    describeWallets(open)
    describeApiKeys(open)
    describeWebhooks(open)
    describeWrites(open)
    describeHistories(open)
    describeLedgerMemory(open)
  })
}
