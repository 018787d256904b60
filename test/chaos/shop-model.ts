import assert from 'node:assert/strict'

/*
 * What a shop must see, by the decisions alone (4 to 7): which invoice a deposit belongs to, what is an invoice's own, when it is void.
 * It is as plain as it can be, scans everything, and has nothing of `src`. Amounts are in units of 10⁻¹⁸.
 */

export type Coin = 'USDT' | 'native'

const DAY_MS = 24 * 60 * 60 * 1000
const HUNDRED_PERCENT = 100n

export interface ModelWallet {
  readonly id: string
  readonly network: string
  readonly address: string
  owner: string
}

export interface ModelInvoice {
  readonly id: string
  readonly owner: string
  readonly walletIds: readonly string[]
  readonly coin: Coin
  /** The amount as the shop has written it. */
  readonly asked: string
  readonly amount: bigint
  /** What a payer can send of it: rounded up to what the coin can carry. */
  readonly payable: bigint
  readonly reference: string | null
  readonly orderNumber: string | null
  readonly returnUrl: string
  /** What the shop keeps with it, and no payer may see. */
  readonly cart: string
  /** Where it is told of: its own URL, or the default of its owner. */
  readonly callback: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  voidedAt: number | null
  acceptedAt: number | null
  /** It was paid or being paid when it would have expired. */
  hasOutlived: boolean
}

export interface ModelDeposit {
  readonly network: string
  readonly txHash: string
  readonly wallet: ModelWallet
  readonly coin: Coin
  readonly amount: bigint
  receivedAt: number
  kind: 'pending' | 'confirmed' | 'dropped'
  match: ModelInvoice | null
  isLate: boolean
  readonly told: Set<'pending' | 'confirmed'>
}

export interface ModelPayment {
  readonly isPaid: boolean
  readonly received: bigint
  readonly pending: bigint
  readonly remaining: bigint
  readonly overpaid: bigint
  readonly own: bigint
  /** What of `pending` is not matched to another invoice. */
  readonly ownPending: bigint
}

/** What the owner's log of events must have once. */
export interface ModelEvent {
  readonly owner: string
  readonly type: string
  readonly invoiceId: string | null
  readonly txHash: string | null
  readonly isLate: boolean
}

/** A webhook with the specified fields that must arrive. */
export interface ModelWebhook {
  readonly url: string
  readonly invoice: ModelInvoice
  readonly deposit: ModelDeposit
  readonly status: 'pending' | 'confirmed'
  /** A deposit that was dropped and seen again came later than was told before. */
  readonly receivedAt: number
  /** As it was with the deposit. */
  payment: ModelPayment
}

export interface ModelTerms {
  readonly lateDays: number
  /** Percent of the amount that may be missing; 0 for nothing. */
  readonly underpayment: number
  /** Owners with the payload `events`. */
  readonly hearEvents: ReadonlySet<string>
  /** Owners with the payload `with-invoice`. */
  readonly hearInvoices: ReadonlySet<string>
}

export class ShopModel {
  readonly wallets = new Map<string, ModelWallet>()
  readonly invoices: ModelInvoice[] = []
  readonly deposits: ModelDeposit[] = []
  readonly events: ModelEvent[] = []
  readonly webhooks: ModelWebhook[] = []
  /** Invoices that were accepted because little was missing. When exactly, only the service knows. */
  readonly acceptedByItself: ModelInvoice[] = []

  constructor(private readonly terms: ModelTerms) {}

  /** Decides the expiries up to a time. Nothing has come since the last call. */
  passTo(nowMs: number): void {
    const due = this.invoices
      .filter((one) => one.expiresAt !== null && one.expiresAt <= nowMs && this.isOpen(one) && !one.hasOutlived)
      .sort((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0))
    for (const invoice of due) {
      const { own, ownPending } = this.payment(invoice)
      if (this.isCovered(invoice) || this.isNearly(invoice, own + ownPending)) {
        invoice.hasOutlived = true
        continue
      }
      invoice.voidedAt = invoice.expiresAt
      this.log('invoice.expired', invoice)
    }
  }

  /** Whether a new invoice would ask what an unpaid one of a wallet asks. */
  isTaken(owner: string, walletIds: readonly string[], coin: Coin, amount: bigint): boolean {
    return this.invoices.some(
      (one) =>
        one.owner === owner &&
        one.coin === coin &&
        one.amount === amount &&
        one.walletIds.some((id) => walletIds.includes(id)) &&
        this.isOpen(one) &&
        !this.payment(one).isPaid,
    )
  }

  create(invoice: ModelInvoice): void {
    this.invoices.push(invoice)
    this.log('invoice.created', invoice)
  }

  /** False when it is refused. */
  void(invoice: ModelInvoice, nowMs: number): boolean {
    if (invoice.voidedAt !== null) return true
    if (invoice.acceptedAt !== null || this.isCovered(invoice)) return false
    invoice.voidedAt = nowMs
    this.log('invoice.voided', invoice)
    return true
  }

  /** False when it is refused. */
  accept(invoice: ModelInvoice, nowMs: number): boolean {
    if (invoice.voidedAt !== null) return false
    if (invoice.acceptedAt !== null) return true
    invoice.acceptedAt = nowMs
    this.log('invoice.accepted', invoice)
    return true
  }

  /** The service sees a deposit in a block, for the first time or again. */
  see(seen: Pick<ModelDeposit, 'network' | 'txHash' | 'wallet' | 'coin' | 'amount' | 'receivedAt'>): ModelDeposit {
    let deposit = this.find(seen.txHash)
    if (deposit === undefined) {
      deposit = { ...seen, kind: 'dropped', match: null, isLate: false, told: new Set() }
      this.deposits.push(deposit)
    }
    assert.equal(deposit.kind, 'dropped')
    deposit.receivedAt = seen.receivedAt
    this.match(deposit)
    deposit.kind = 'pending'
    this.tell(deposit, 'pending')
    return deposit
  }

  confirm(deposit: ModelDeposit, nowMs: number): void {
    assert.equal(deposit.kind, 'pending')
    this.match(deposit)
    deposit.kind = 'confirmed'
    this.tell(deposit, 'confirmed')
    const { match: invoice } = deposit
    if (invoice === null || !this.isOpen(invoice) || !this.isNearly(invoice, this.payment(invoice).own)) return
    this.accept(invoice, nowMs)
    this.acceptedByItself.push(invoice)
  }

  /** A deposit was confirmed already when it was first seen: both webhooks are made at that moment. */
  tellTogether(deposit: ModelDeposit): void {
    const [pending, confirmed] = this.webhooks.filter((one) => one.deposit === deposit)
    if (pending !== undefined && confirmed !== undefined) pending.payment = confirmed.payment
  }

  /** Whether the webhooks of an owner show the invoice. */
  showsInvoices(owner: string): boolean {
    return this.terms.hearInvoices.has(owner)
  }

  drop(deposit: ModelDeposit): void {
    assert.equal(deposit.kind, 'pending')
    deposit.kind = 'dropped'
    this.logDeposit('deposit.dropped', deposit)
  }

  find(txHash: string): ModelDeposit | undefined {
    return this.deposits.find((one) => one.txHash === txHash)
  }

  payment(invoice: ModelInvoice): ModelPayment {
    const all = this.deposits.filter((one) => this.counts(one, invoice))
    const own = all.filter(({ match }) => match === null || match === invoice)
    const received = sum(all, 'confirmed')
    const ownReceived = sum(own, 'confirmed')
    return {
      isPaid: received >= invoice.amount,
      received,
      pending: sum(all, 'pending'),
      remaining: positive(invoice.amount - received),
      overpaid: positive(ownReceived - invoice.amount),
      own: ownReceived,
      ownPending: sum(own, 'pending'),
    }
  }

  /** The deposits that are shown with an invoice, the last received first. */
  ownDeposits(invoice: ModelInvoice): readonly ModelDeposit[] {
    return this.deposits
      .filter((one) => one.kind !== 'dropped' && this.counts(one, invoice))
      .filter(({ match }) => match === null || match === invoice)
      .sort((one, other) => other.receivedAt - one.receivedAt)
  }

  /** Deposits that are nobody's, on the wallets of an invoice. */
  unmatchedOn(invoice: ModelInvoice): readonly ModelDeposit[] {
    return this.deposits.filter(
      ({ match, kind, wallet }) => match === null && kind !== 'dropped' && invoice.walletIds.includes(wallet.id),
    )
  }

  /** Whether a deposit counts for an invoice, whatever it is matched to. */
  counts({ wallet, coin, receivedAt }: ModelDeposit, invoice: ModelInvoice): boolean {
    return invoice.walletIds.includes(wallet.id) && coin === invoice.coin && receivedAt > invoice.createdAt
  }

  private isOpen({ voidedAt, acceptedAt }: ModelInvoice): boolean {
    return voidedAt === null && acceptedAt === null
  }

  private isCovered(invoice: ModelInvoice): boolean {
    const { received, pending } = this.payment(invoice)
    return received + pending >= invoice.amount
  }

  /** Decision 6. Once made the choice is kept. */
  private match(deposit: ModelDeposit): void {
    if (deposit.match !== null) return
    const { wallet, coin, receivedAt, amount } = deposit
    const ofOwner = this.invoices.filter(
      (one) =>
        one.owner === wallet.owner &&
        one.walletIds.includes(wallet.id) &&
        one.coin === coin &&
        one.createdAt < receivedAt,
    )
    const candidates = ofOwner.filter((one) => this.isOpen(one)).sort((one, other) => one.createdAt - other.createdAt)
    const isTold = ({ reference, callback }: ModelInvoice) => reference !== null && callback !== null
    for (const some of [candidates.filter(isTold), candidates.filter((one) => !isTold(one))]) {
      const isMatched = (invoice: ModelInvoice) =>
        this.deposits.some(({ match, kind }) => match === invoice && kind !== 'dropped')
      const chosen =
        some.findLast((one) => one.payable === amount && !isMatched(one)) ??
        some.find((one) => !this.payment(one).isPaid) ??
        some.at(-1)
      if (chosen === undefined) continue
      deposit.match = chosen
      return
    }
    const since = receivedAt - this.terms.lateDays * DAY_MS
    const gone = ofOwner
      .filter(({ voidedAt }) => voidedAt !== null && voidedAt >= since)
      .sort((one, other) => (one.voidedAt ?? 0) - (other.voidedAt ?? 0))
      .at(-1)
    if (gone === undefined) return
    deposit.match = gone
    deposit.isLate = true
  }

  /** Whether little enough of the amount is missing. */
  private isNearly({ amount }: ModelInvoice, came: bigint): boolean {
    const least = amount * (HUNDRED_PERCENT - BigInt(this.terms.underpayment))
    return came < amount && came * HUNDRED_PERCENT >= least
  }

  private tell(deposit: ModelDeposit, status: 'pending' | 'confirmed'): void {
    this.logDeposit(`deposit.${status}`, deposit)
    const { match: invoice, told } = deposit
    if (told.has(status)) return
    told.add(status)
    if (invoice === null || this.terms.hearEvents.has(invoice.owner)) return
    const { reference, callback: url } = invoice
    if (reference === null || url === null) return
    this.webhooks.push({
      ...{ url, invoice, deposit, status },
      receivedAt: deposit.receivedAt,
      payment: this.payment(invoice),
    })
  }

  private log(type: string, { owner, id }: ModelInvoice): void {
    this.events.push({ owner, type, invoiceId: id, txHash: null, isLate: false })
  }

  private logDeposit(type: string, { wallet, match, txHash, isLate }: ModelDeposit): void {
    this.events.push({ owner: match?.owner ?? wallet.owner, type, invoiceId: match?.id ?? null, txHash, isLate })
  }
}

function sum(deposits: readonly ModelDeposit[], kind: ModelDeposit['kind']): bigint {
  return deposits.filter((one) => one.kind === kind).reduce((total, { amount }) => total + amount, 0n)
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
