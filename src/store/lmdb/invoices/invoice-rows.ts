import { parseInvoiceAmount } from '../../../domain/amount.js'
import { INVOICE_ID } from '../../../domain/id.js'
import type { Invoice } from '../../../domain/invoice.js'
import { type Ending, NO_ENDING } from '../../../domain/voiding.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CurrencyNumbers } from '../tables/currencies.js'
import { type InvoiceId, parseId, type SetNo, timeOfId } from '../tables/keys.js'
import { bytes, fieldsOf, flag, integer, orNull, recordCodec, type Shape, text } from '../tables/record-codec.js'
import type { WalletSet } from './wallet-set.js'
import { findSet } from './wallet-sets.js'

/** An invoice with what only the store knows of it. */
export interface InvoiceRow extends Ending {
  /** The invoice's own id, unless it was imported with one that does not begin with the time of its creation (`storeIdOf`). */
  readonly id: InvoiceId
  readonly invoice: Invoice
  readonly setNo: SetNo
  /** The order that it is an option of, in hex; null for none. */
  readonly orderId: string | null
}

/**
 * What is stored of an invoice: neither the time of its creation, which is in its id, nor its owner and wallets, which are
 * its set's. That is less than half of it, and a long list reads correspondingly less.
 */
export interface StoredInvoice extends Ending {
  readonly setNo: SetNo
  /** The wallet ids as the record shows them; null when they are the set's, in the set's order. */
  readonly walletIds: string | null
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly amount: string
  /** A `CurrencyNo`. */
  readonly currencyNo: number
  readonly callbackUrl: string | null
  /** The invoice's own id where the store has it under another one. */
  readonly importedAs: string | null
  readonly orderId: Uint8Array | null
}

/** The fields that every version of the record begins with. */
const BEGINNING: Shape<Omit<StoredInvoice, keyof Ending | 'importedAs' | 'orderId'>> = {
  setNo: integer,
  walletIds: orNull(text),
  name: text,
  description: orNull(text),
  reference: orNull(text),
  amount: text,
  currencyNo: integer,
  callbackUrl: orNull(text),
}

/** Version 1 ended with ids of invoices that an index of before version 3 of the data needed. */
const version1 = fieldsOf<
  Omit<StoredInvoice, keyof Ending | 'importedAs' | 'orderId'> & { readonly ids: Uint8Array | null }
>({
  ...BEGINNING,
  ids: orNull(bytes),
})

/** As versions 2 and 3 had it. */
const ENDING: Shape<Omit<Ending, 'acceptedAt'>> = {
  expiresAt: orNull(integer),
  voidedAt: orNull(integer),
  hasOutlivedExpiry: flag,
}

/** Version 2 had no invoices under another id. */
const version2 = fieldsOf<Omit<StoredInvoice, 'importedAs' | 'acceptedAt' | 'orderId'>>({ ...BEGINNING, ...ENDING })

const VERSION_3: Shape<Omit<StoredInvoice, 'acceptedAt' | 'orderId'>> = {
  ...BEGINNING,
  ...ENDING,
  importedAs: orNull(text),
}
/** Version 3 had no accepted invoices. */
const version3 = fieldsOf<Omit<StoredInvoice, 'acceptedAt' | 'orderId'>>(VERSION_3)

const VERSION_4: Shape<Omit<StoredInvoice, 'orderId'>> = { ...VERSION_3, acceptedAt: orNull(integer) }
/** Version 4 had no orders. */
const version4 = fieldsOf<Omit<StoredInvoice, 'orderId'>>(VERSION_4)

export const invoiceCodec = recordCodec<StoredInvoice>(
  'invoices',
  5,
  { ...VERSION_4, orderId: orNull(bytes) },
  {
    1: (from) => {
      const { ids: _, ...row } = version1.read(from)
      return { ...row, ...NO_ENDING, importedAs: null, orderId: null }
    },
    2: (from) => ({ ...version2.read(from), importedAs: null, acceptedAt: null, orderId: null }),
    3: (from) => ({ ...version3.read(from), acceptedAt: null, orderId: null }),
    4: (from) => ({ ...version4.read(from), orderId: null }),
  },
)

/** The row of an invoice that a client named. */
export function findInvoice(at: Reader, name: string): InvoiceRow | undefined {
  if (!INVOICE_ID.test(name)) return undefined
  const own = parseId<InvoiceId>(name)
  const row = own === undefined ? undefined : findRow(at, own)
  if (row?.invoice.id === name) return row
  const imported = at.tables.importedInvoices.get(Buffer.from(name))
  return imported === undefined ? undefined : findRow(at, imported as InvoiceId)
}

/** The row of an invoice that an index names. */
export function invoiceRow(at: Reader, id: InvoiceId): InvoiceRow {
  const row = findRow(at, id)
  if (row === undefined) throw new Error('an index names an invoice that is not there')
  return row
}

function findRow(at: Reader, id: InvoiceId): InvoiceRow | undefined {
  const packed = at.tables.invoices.getBinaryFast(id)
  if (packed === undefined) return undefined
  const stored = invoiceCodec.decode(packed)
  return fromStored(id, stored, findSet(at, stored.setNo), at.currencies)
}

/** The owner and the wallets must be the set's, and the time of creation the id's. */
export function putInvoiceRow(commit: Commit, row: InvoiceRow): void {
  const set = findSet(commit, row.setNo)
  if (row.invoice.created_at !== timeOfId(row.id) || row.invoice.owner !== set.owner) {
    throw new Error('an invoice is not of the time of its id or not of the owner of its wallets')
  }
  const stored = toStored(row, set, commit.currencies)
  commit.tables.invoices.putSync(row.id, invoiceCodec.encode(stored))
  if (stored.importedAs !== null) commit.tables.importedInvoices.putSync(Buffer.from(stored.importedAs), row.id)
}

export function fromStored(
  id: InvoiceId,
  stored: StoredInvoice,
  set: WalletSet,
  currencies: Pick<CurrencyNumbers, 'nameOf'>,
): InvoiceRow {
  return {
    id,
    invoice: {
      id: stored.importedAs ?? id.toString('hex'),
      owner: set.owner,
      ...shownWallets(stored.walletIds, set),
      name: stored.name,
      description: stored.description,
      reference: stored.reference,
      amount: stored.amount,
      currency: currencies.nameOf(stored.currencyNo),
      callback_url: stored.callbackUrl,
      created_at: timeOfId(id),
    },
    setNo: stored.setNo,
    orderId: stored.orderId === null ? null : Buffer.from(stored.orderId).toString('hex'),
    expiresAt: stored.expiresAt,
    voidedAt: stored.voidedAt,
    acceptedAt: stored.acceptedAt,
    hasOutlivedExpiry: stored.hasOutlivedExpiry,
  }
}

export function toStored(row: InvoiceRow, set: WalletSet, currencies: Pick<CurrencyNumbers, 'noOf'>): StoredInvoice {
  const { invoice } = row
  return {
    setNo: row.setNo,
    walletIds: invoice.wallet_ids === set.walletIdsText ? null : (invoice.wallet_ids ?? ''),
    name: invoice.name,
    description: invoice.description,
    reference: invoice.reference,
    amount: invoice.amount,
    currencyNo: currencies.noOf(invoice.currency),
    callbackUrl: invoice.callback_url,
    expiresAt: row.expiresAt,
    voidedAt: row.voidedAt,
    acceptedAt: row.acceptedAt,
    hasOutlivedExpiry: row.hasOutlivedExpiry,
    importedAs: invoice.id === row.id.toString('hex') ? null : invoice.id,
    orderId: row.orderId === null ? null : Buffer.from(row.orderId, 'hex'),
  }
}

/** An empty text is a record from before multi-wallet support: null, and the only wallet of the set. */
function shownWallets(walletIds: string | null, set: WalletSet): Pick<Invoice, 'wallet_id' | 'wallet_ids'> {
  const [first = ''] = set.walletIds
  if (walletIds === null) return { wallet_id: first, wallet_ids: set.walletIdsText }
  if (walletIds === '') return { wallet_id: first, wallet_ids: null }
  const comma = walletIds.indexOf(',')
  return { wallet_id: comma === -1 ? walletIds : walletIds.slice(0, comma), wallet_ids: walletIds }
}

/** The amount of a stored invoice in atoms. */
export function atomsOf({ amount }: Invoice): bigint {
  const atoms = parseInvoiceAmount(amount)
  if (atoms === null) throw new Error('a stored invoice has no valid amount')
  return atoms
}
