import assert from 'node:assert/strict'
import { parseFormattedAmount } from '../../../src/domain/amount.js'
import type { DepositReport, Sighting } from '../../../src/domain/deposit.js'
import type { Outcome } from '../../../src/domain/failure.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { EventOutcome, LedgerFact } from '../../../src/domain/ledger-fact.js'
import type { Networks } from '../../../src/domain/network.js'
import type { Delivery } from '../../../src/domain/webhook.js'
import type { Settled, WalletCommand, WalletResult } from '../../../src/store/commands.js'
import type { InvoiceWithPayment, PageOf } from '../../../src/store/reading.js'
import type { Store } from '../../../src/store/store.js'
import {
  depositFact,
  type InvoiceFields,
  invoiceRequest,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import type { ManualClock } from '../../support/manual-clock.js'

/** What an operator may set. */
export interface Reconfigured {
  readonly networks: Networks
  readonly areCoinsMixed: boolean
  readonly lateMs: number
  readonly underpayment: number
}

/** A store under test, with the world it was given. */
export interface StoreHarness {
  /** The store as of the last `reopen`. */
  readonly store: Store
  readonly clock: ManualClock
  /** From now on the store is thrown `error` when it asks for an id; null ends that. */
  failIds(error: Error | null): void
  /** Closes the store and opens another on the same data, under other settings if there are some. */
  reopen(changed?: Partial<Reconfigured>): Promise<void>
  /** What a check of the data must find at the end, and nothing else. Without it, it must find nothing. */
  expectFlaw(what: RegExp): void
  /** Closes the store, checks its data, and removes it. */
  discard(): Promise<void>
}

/** Opens an empty store. USDT has 6 decimals on SEP and TRX-NILE, and 18 on BNB. */
export type OpenStore = () => Promise<StoreHarness>

/** More deposits than a scenario makes for one invoice. */
const DEPOSITS_MAX = 100_000

/** Runs a scenario on a store of its own. */
export function withStore(open: OpenStore, scenario: (t: Scenario) => Promise<void>): () => Promise<void> {
  return async () => {
    const harness = await open()
    try {
      await scenario(new Scenario(harness))
    } finally {
      await harness.discard()
    }
  }
}

/** What scenarios say in one line. */
export class Scenario {
  constructor(readonly harness: StoreHarness) {}

  get store(): Store {
    return this.harness.store
  }

  get clock(): ManualClock {
    return this.harness.clock
  }

  /** A wallet of the SEP network that belongs to `owner`. */
  async own(owner: string, ...walletIds: readonly string[]): Promise<void> {
    for (const id of walletIds) {
      await this.tell(walletCreated(id))
      await this.tell(walletAssigned(id, owner))
    }
  }

  async tell(fact: LedgerFact, eventId: string | null = null): Promise<EventOutcome> {
    const [fate] = await this.store.ledger.applyFacts([{ eventId, fact }])
    return settledValue(fate)
  }

  async perform(command: WalletCommand): Promise<WalletResult> {
    const fates = await this.store.commands.perform([command])
    assert.equal(fates.length, 1)
    return settledValue(fates[0])
  }

  async request(fields: InvoiceFields = {}): Promise<Outcome<Invoice>> {
    const result = await this.perform({ type: 'invoice', request: invoiceRequest(fields) })
    assert.equal(result.type, 'invoice')
    return result.type === 'invoice' ? result.outcome : assert.fail()
  }

  async invoice(fields: InvoiceFields = {}): Promise<Invoice> {
    return unwrap(await this.request(fields))
  }

  /** Reports a deposit and answers how it was taken and the deliveries that it owes, in order. */
  async deposit(report: DepositReport, fields: Partial<Sighting> = {}, eventId: string | null = null) {
    const result = await this.perform({ type: 'deposit', eventId, fact: depositFact(report, fields) })
    if (result.type !== 'deposit') assert.fail()
    const deliveries: Delivery[] = []
    for (const { id } of result.owed) deliveries.push(present(await this.store.outbox.find(id)))
    return { ...result, deliveries }
  }

  async void(invoiceId: string, owner = 'alice'): Promise<Outcome<InvoiceWithPayment>> {
    const result = await this.perform({ type: 'void', invoiceId, owner })
    return result.type === 'void' ? result.outcome : assert.fail()
  }

  async accept(invoiceId: string, owner = 'alice'): Promise<Outcome<InvoiceWithPayment>> {
    const result = await this.perform({ type: 'accept', invoiceId, owner })
    return result.type === 'accept' ? result.outcome : assert.fail()
  }

  /** Reads twice, because an engine may keep what is read again, and must then tell of what changes. */
  async told({ id }: Pick<Invoice, 'id'>): Promise<InvoiceWithPayment> {
    const first = present(await this.store.invoices.findWithPayment(id))
    const second = present(await this.store.invoices.findWithPayment(id))
    assert.deepEqual(second, first)
    return second
  }

  async paymentOf(invoice: Pick<Invoice, 'id'>) {
    return (await this.told(invoice)).payment
  }

  /** The deposits that are listed for an invoice are the very ones that its own money is the sum of. */
  async assertDepositsSum(invoice: Pick<Invoice, 'id'>): Promise<void> {
    const { own, deposits } = present(await this.store.invoices.findWithDeposits(invoice.id, DEPOSITS_MAX))
    const sum = (isConfirmed: boolean) =>
      deposits
        .filter((one) => one.isConfirmed === isConfirmed)
        .reduce((atoms, { amount }) => atoms + parseFormattedAmount(amount), 0n)
    assert.deepEqual([sum(true), sum(false)], [own.received, own.pending].map(parseFormattedAmount))
  }

  /** Everything that the readers tell about owners and invoices, to be compared before and after a refusal. */
  async snapshot(owners: readonly string[] = ['alice', 'bob']): Promise<unknown> {
    const everything = { after: null, limit: 10_000 }
    const told: unknown[] = []
    for (const owner of owners) {
      told.push(
        await this.store.invoices.pageWithPayment(owner, everything),
        await this.store.keys.page(owner, everything),
        await this.store.wallets.page(owner, everything),
        await this.store.webhooks.find(owner),
        await this.store.identities.isKnown(owner),
      )
    }
    for (const { lane } of await this.store.outbox.queuedLanes())
      told.push(await this.store.outbox.queued(lane, null, 10_000))
    told.push(await this.store.wallets.countUnassigned('SEP'), await this.store.wallets.countUnassigned('TRX-NILE'))
    return told
  }

  /** All items of a list, read in pages of `limit`. */
  async walk<T>(read: (after: string | null) => PageOf<T> | Promise<PageOf<T>>): Promise<readonly (readonly T[])[]> {
    const pages: (readonly T[])[] = []
    let after: string | null = null
    do {
      const page: PageOf<T> = await read(after)
      pages.push(page.items)
      after = page.next
      assert.ok(pages.length <= 1000, 'the list has no end')
    } while (after !== null)
    return pages
  }
}

export function settledValue<T>(fate: Settled<T> | undefined): T {
  if (fate === undefined) assert.fail('there is no fate')
  if (fate.status === 'rejected') throw fate.reason
  return fate.value
}

export function present<T>(value: T | undefined): T {
  assert.ok(value !== undefined, 'it is not there')
  return value
}
