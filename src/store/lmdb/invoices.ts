import { refuseInvoice } from '../../domain/collision.js'
import { type Outcome, refuse, succeed } from '../../domain/failure.js'
import type { Invoice, InvoiceRequest } from '../../domain/invoice.js'
import { refuseVoiding } from '../../domain/voiding.js'
import type { InvoiceWithPayment } from '../invoices.js'
import type { Page, PageOf } from '../pages.js'
import { ID_BYTES, isKey, numberKey, under } from './bytes.js'
import { CreationFacts, type CreationParts } from './creation-facts.js'
import type { Expiries } from './expiries.js'
import type { Identities } from './identities.js'
import { callbackOf, type InvoiceIndex } from './invoice-index.js'
import type { Place } from './invoice-places.js'
import { type InvoiceRow, type InvoiceRows, toInvoice } from './invoice-rows.js'
import { pageKeys } from './pages.js'
import type { Payees } from './payees.js'
import type { Payments } from './payments.js'
import { NOTHING, type Tables } from './tables.js'
import type { WalletRow, Wallets } from './wallets.js'

const MS_PER_SECOND = 1000

/**
 * Invoices whose expiry is decided before one command. More fall due between two commands only when thousands were made to
 * expire together; those are judged by the clock where they are met, until a later command decides.
 */
const EXPIRED_AT_ONCE = 1000

/** Creates, ends and lists invoices. */
export class Invoices {
  private readonly facts: CreationParts

  constructor(
    private readonly tables: Tables,
    private readonly rows: InvoiceRows,
    private readonly identities: Identities,
    private readonly wallets: Wallets,
    private readonly payees: Payees,
    private readonly index: InvoiceIndex,
    private readonly expiries: Expiries,
    private readonly payments: Payments,
    areWalletsShared: boolean,
  ) {
    this.facts = { tables, index, payees, areWalletsShared }
  }

  /** Loads the facts, lets the domain decide, applies. */
  create(
    request: InvoiceRequest,
    nowMs: number,
    newId: (nowMs: number) => Buffer,
    isRepeated: () => boolean,
  ): Outcome<Invoice> {
    const ownerNo = this.identities.numberInCommit(request.owner)
    const wallets = this.ownedWallets(request.walletIds, ownerNo)
    const facts = new CreationFacts(this.facts, request, ownerNo, wallets, nowMs, isRepeated)
    const refusal = refuseInvoice(request, facts)
    if (refusal !== null) return { ok: false, failure: refusal }
    if (wallets === null || ownerNo === undefined)
      throw new Error('an invoice was allowed on wallets that are not owned')
    return succeed(this.insert(request, wallets, ownerNo, facts.places, nowMs, newId(nowMs)))
  }

  /** Voids an invoice for `owner`, in a commit in which what is due has expired. A void one stays as it is. */
  void(id: Buffer, owner: string, nowMs: number): Outcome<InvoiceWithPayment> {
    const row = this.rows.find(id)
    if (row === undefined) return refuse('invoice_not_found')
    const refusal = refuseVoiding(owner, row.owner, row.voidedAt === null && this.index.isCovered(row))
    if (refusal !== null) return { ok: false, failure: refusal }
    if (row.voidedAt === null) this.index.put(id, { ...row, voidedAt: nowMs })
    return succeed(this.payments.answer(id, this.rows.get(id), nowMs))
  }

  /** Decides about the invoices whose expiry is due. */
  expireDue(nowMs: number): void {
    for (let taken = 0; taken < EXPIRED_AT_ONCE; taken += 1) {
      const id = this.expiries.takeDue(nowMs)
      if (id === null) return
      this.index.decideExpiry(id, nowMs)
    }
  }

  /** The invoices of an owner, newest first. */
  pageOf(owner: string, page: Page): PageOf<Invoice> {
    return this.page(owner, page, (id) => toInvoice(id, this.rows.get(id)))
  }

  pageWithPayments(owner: string, page: Page, nowMs: number): PageOf<InvoiceWithPayment> {
    return this.page(owner, page, (id) => this.payments.answer(id, this.rows.get(id), nowMs))
  }

  find(id: Buffer): Invoice | undefined {
    const row = this.rows.find(id)
    return row === undefined ? undefined : toInvoice(id, row)
  }

  byReference(reference: string): Invoice | undefined {
    const key = Buffer.from(reference)
    const id = isKey(key) ? this.tables.references.get(key) : undefined
    return id === undefined ? undefined : this.find(id)
  }

  private page<T>(owner: string, page: Page, toItem: (id: Buffer) => T): PageOf<T> {
    const ownerNo = this.identities.numberOf(owner)
    if (ownerNo === undefined) return { items: [], next: null }
    const prefix = numberKey(ownerNo)
    return pageKeys(this.tables.ownerInvoices, prefix, ID_BYTES, page, (key) =>
      toItem(Buffer.from(key.subarray(prefix.length))),
    )
  }

  /** The wallets, or null unless every one is known and belongs to the owner. */
  private ownedWallets(ids: readonly string[], ownerNo: number | undefined): readonly WalletRow[] | null {
    if (ownerNo === undefined) return null
    const wallets: WalletRow[] = []
    for (const id of ids) {
      const wallet = this.wallets.findInCommit(id)
      // A wallet without an address cannot be paid to.
      if (wallet === undefined || wallet.ownerNo !== ownerNo || wallet.addressNo === null) return null
      wallets.push(wallet)
    }
    return wallets
  }

  private insert(
    request: InvoiceRequest,
    wallets: readonly WalletRow[],
    ownerNo: number,
    places: readonly Place[],
    nowMs: number,
    id: Buffer,
  ): Invoice {
    const { expiresInSeconds } = request
    const row: InvoiceRow = {
      owner: request.owner,
      wallet_id: request.walletIds[0] ?? '',
      wallet_ids: request.walletIds.join(','),
      name: request.name,
      description: request.description,
      reference: request.reference,
      amount: request.amountText,
      currency: request.currency,
      callback_url: request.callbackUrl,
      created_at: nowMs,
      payeeNo: this.payees.intern(request.owner, ownerNo, wallets),
      expiresAt: expiresInSeconds === null ? null : nowMs + expiresInSeconds * MS_PER_SECOND,
      voidedAt: null,
      hasOutlivedExpiry: false,
    }
    this.rows.put(id, row)
    this.tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
    if (row.reference !== null) this.tables.references.putSync(Buffer.from(row.reference), id)
    if (row.expiresAt !== null) this.expiries.add(row.expiresAt, id)
    const { payeeNo, currency } = row
    const callback = callbackOf(row)
    // Every open invoice of the amount would have refused this one.
    this.index.open.enter({ id, places, payeeNo, currency, amount: request.amount, callback }, true)
    return toInvoice(id, row)
  }
}
