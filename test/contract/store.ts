import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Store } from '../../src/store/store.js'
import { describeAllowances } from './store/allowances.js'
import { describeAside } from './store/aside.js'
import { describeAudit } from './store/audit.js'
import { describeBatches } from './store/batches.js'
import { describeBirth } from './store/birth.js'
import { describeChains } from './store/chain.js'
import { describeChanges } from './store/changes.js'
import { describeCollisions } from './store/collisions.js'
import { describeCommands } from './store/commands.js'
import { describeDeliveries } from './store/deliveries.js'
import { describeDeposits } from './store/deposits.js'
import { describeEndings } from './store/endings.js'
import { describeEventOutbox } from './store/event-outbox.js'
import { describeEvents } from './store/events.js'
import { type OpenStore, withStore } from './store/harness.js'
import { describeIdentities } from './store/identities.js'
import { describeImports } from './store/imports.js'
import { describeInvoices } from './store/invoices.js'
import { describeKeys } from './store/keys.js'
import { describeLeadership } from './store/leadership.js'
import { describeLedger } from './store/ledger.js'
import { describeMatching } from './store/matching.js'
import { describeMovedEvents } from './store/moved-events.js'
import { describeNetworks } from './store/networks.js'
import { describeNotes } from './store/notes.js'
import { describeOrderFields } from './store/order-fields.js'
import { describeOrderHistories } from './store/order-histories.js'
import { describeOrders } from './store/orders.js'
import { describeOutbox } from './store/outbox.js'
import { describeOutboxDepth } from './store/outbox-depth.js'
import { describeOverview } from './store/overview.js'
import { describeOwnMoney } from './store/own-money.js'
import { describeQualifyingDeposits } from './store/qualifying-deposits.js'
import { describeHistories } from './store/random-histories.js'
import { describeRates } from './store/rates.js'
import { describeReceived } from './store/received.js'
import { describeRetries } from './store/retries.js'
import { describeSearch } from './store/search.js'
import { describeSetAside } from './store/set-aside.js'
import { describeSettledDeliveries } from './store/settled-deliveries.js'
import { describeStrayDeposits } from './store/stray-deposits.js'
import { describeTokens } from './store/tokens.js'
import { describeUnderpaid } from './store/underpaid.js'
import { describeWaitingDeposits } from './store/waiting-deposits.js'
import { describeWallets } from './store/wallets.js'
import { describeWebhooks } from './store/webhooks.js'

type Suite = (open: OpenStore, share?: number) => void

type Port = Exclude<keyof Store, 'turns' | 'probeWrite' | 'commitNothing' | 'readClock' | 'isOpen' | 'close'>

/** What every engine must pass for each port: a port without a suite does not compile. */
const SUITES: Readonly<Record<Port, readonly [Suite, ...Suite[]]>> = {
  birth: [describeBirth],
  networks: [describeNetworks, describeTokens],
  commands: [describeCommands, describeBatches, describeCollisions, describeEndings, describeHistories],
  keys: [describeKeys],
  identities: [describeIdentities],
  wallets: [describeWallets],
  invoices: [describeInvoices, describeOrderFields, describeQualifyingDeposits],
  orders: [describeOrders, describeOrderHistories],
  notes: [describeNotes],
  deposits: [
    describeDeposits,
    describeMatching,
    describeOwnMoney,
    describeReceived,
    describeStrayDeposits,
    describeUnderpaid,
  ],
  chain: [describeChains],
  aside: [describeAside, describeSetAside, describeWaitingDeposits],
  outbox: [describeOutbox, describeDeliveries, describeRetries, describeSettledDeliveries, describeOutboxDepth],
  eventOutbox: [describeEventOutbox],
  events: [describeEvents],
  webhooks: [describeWebhooks],
  ledger: [describeLedger],
  rates: [describeRates],
  overview: [describeOverview],
  search: [describeSearch],
  imports: [describeImports, describeMovedEvents],
  changes: [describeChanges],
  leadership: [describeLeadership],
  allowances: [describeAllowances],
  audit: [describeAudit],
}

/** The ports whose suites take half of the time: an engine that is slow to ask has them in a file of their own. */
const LONG_PORTS: ReadonlySet<string> = new Set<Port>(['commands', 'invoices', 'deposits'])

/** Those suites, or the others. */
export type Half = 'long' | 'other'

interface Extent {
  readonly half?: Half
  /** A share of the random histories must do, a small one on an engine that is slow to ask. */
  readonly share?: number
}

/** What every engine of the store must pass. */
export function describeStore(engine: string, open: OpenStore, { half, share = 1 }: Extent = {}): void {
  describe(`the store on ${engine}`, () => {
    for (const [port, suites] of Object.entries(SUITES)) {
      if (half !== undefined && LONG_PORTS.has(port) !== (half === 'long')) continue
      describe(`its ${port}`, () => {
        for (const suite of suites) suite(open, share)
      })
    }

    if (half === 'long') return
    test(
      'tells the time by which it dates records',
      withStore(open, async ({ store, clock }) => {
        assert.equal(await store.readClock(), clock.now())
        clock.advance(-60_000)
        assert.equal(await store.readClock(), clock.now())
      }),
    )
  })
}
