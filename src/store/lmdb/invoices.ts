import { refuseInvoice } from '../../domain/collision.js'
import { type Outcome, succeed } from '../../domain/failure.js'
import { type Invoice, type InvoiceRequest, walletsOf } from '../../domain/invoice.js'
import type { InvoiceWithPayment, Page, PageOf } from '../store.js'
import { ID_BYTES, isKey, numberKey, under } from './bytes.js'
import type { Identities } from './identities.js'
import { type InvoiceRow, type InvoiceRows, toInvoice } from './invoice-rows.js'
import { amountKey, type OpenAmounts } from './open-amounts.js'
import { pageKeys } from './pages.js'
import type { Payees } from './payees.js'
import type { Payments } from './payments.js'
import type { Queues } from './queues.js'
import { NOTHING, type Tables } from './tables.js'
import type { WalletRow, Wallets } from './wallets.js'

/** An earlier invoice of the same amount on one of the wallets, and what it received. */
interface LoadedRival {
  readonly id: Buffer
  readonly createdAt: number
  readonly wallets: ReadonlySet<string>
  readonly received: bigint
}

/** The amount of an invoice on one of its wallets: where that lies in the index, and whom it meets there. */
interface Place {
  readonly key: Buffer
  readonly rivals: readonly LoadedRival[]
}

/** Creates and lists invoices. */
export class Invoices {
  constructor(
    private readonly tables: Tables,
    private readonly rows: InvoiceRows,
    private readonly identities: Identities,
    private readonly wallets: Wallets,
    private readonly payees: Payees,
    private readonly openAmounts: OpenAmounts,
    private readonly queues: Queues,
    private readonly payments: Payments,
  ) {}

  /** Loads the facts, lets the domain decide, applies. */
  create(request: InvoiceRequest, nowMs: number, newId: (nowMs: number) => Buffer): Outcome<Invoice> {
    const ownerNo = this.identities.numberInCommit(request.owner)
    const wallets = this.ownedWallets(request.walletIds, ownerNo)
    const places = (wallets ?? []).map((wallet) => this.placeOn(wallet, request))
    const refusal = refuseInvoice(request, {
      areWalletsOwned: wallets !== null,
      isReferenceTaken: request.reference !== null && this.tables.references.doesExist(Buffer.from(request.reference)),
      rivals: places.flatMap(({ rivals }) => rivals),
    })
    if (refusal !== null) return { ok: false, failure: refusal }
    if (wallets === null || ownerNo === undefined)
      throw new Error('an invoice was allowed on wallets that are not owned')
    return succeed(this.insert(request, wallets, ownerNo, places, nowMs, newId(nowMs)))
  }

  /** The invoices of an owner, newest first. */
  pageOf(owner: string, page: Page): PageOf<Invoice> {
    return this.page(owner, page, (id) => toInvoice(id, this.rows.get(id)))
  }

  pageWithPayments(owner: string, page: Page): PageOf<InvoiceWithPayment> {
    return this.page(owner, page, (id) => this.withPayment(id, this.rows.get(id)))
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

  private withPayment(id: Buffer, row: InvoiceRow): InvoiceWithPayment {
    return { invoice: toInvoice(id, row), payment: this.payments.paymentOf(row) }
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

  private placeOn(wallet: WalletRow, request: InvoiceRequest): Place {
    const key = amountKey(wallet.no, request.currency, request.amount)
    const rivals = this.openAmounts.rivals(key).map((id): LoadedRival => {
      const row = this.rows.get(id)
      return {
        id,
        createdAt: row.created_at,
        wallets: new Set(walletsOf(row)),
        received: this.payments.confirmed(row),
      }
    })
    return { key, rivals }
  }

  private insert(
    request: InvoiceRequest,
    wallets: readonly WalletRow[],
    ownerNo: number,
    places: readonly Place[],
    nowMs: number,
    id: Buffer,
  ): Invoice {
    const self = { id, createdAt: nowMs, wallets: new Set(request.walletIds) }
    const displaced = new Map<string, Buffer>()
    for (const { key, rivals } of places) {
      for (const other of this.openAmounts.enter(key, self, rivals)) displaced.set(other.toString('hex'), other)
    }
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
      displaced: displaced.size === 0 ? null : Buffer.concat([...displaced.values()]),
    }
    this.rows.put(id, row)
    this.tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
    if (row.reference !== null) {
      this.tables.references.putSync(Buffer.from(row.reference), id)
      this.queues.enter(row.payeeNo, row.currency, row.callback_url !== null, id, request.amount)
    }
    return toInvoice(id, row)
  }
}
