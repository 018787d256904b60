import { CURRENCIES, parseInvoiceAmount } from '../../../domain/amount.js'
import type { Invoice } from '../../../domain/invoice.js'
import { type Ending, NO_ENDING } from '../../../domain/voiding.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { timeOfId } from '../tables/bytes.js'
import type { InvoiceId, SetNo } from '../tables/names.js'
import {
  bytes,
  CorruptRecord,
  fieldsOf,
  flag,
  integer,
  orNull,
  recordCodec,
  type Shape,
  text,
} from '../tables/record-codec.js'
import { findSet, type WalletSet } from './wallet-sets.js'

/** An invoice with what only the store knows of it. */
export interface InvoiceRow extends Omit<Invoice, 'id'>, Ending {
  readonly setNo: SetNo
}

/**
 * What is stored of an invoice: neither the time of its creation, which is in its id, nor its owner and wallets, which are
 * its set's. That is less than half of it, and a long list reads correspondingly less.
 */
interface StoredInvoice extends Ending {
  readonly setNo: SetNo
  /** The wallet ids as the record shows them; null when they are the set's, in the set's order. */
  readonly walletIds: string | null
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly amount: string
  /** Position in `CURRENCIES`. */
  readonly currencyNo: number
  readonly callbackUrl: string | null
}

/** The fields that every version of the record begins with. */
const BEGINNING: Shape<Omit<StoredInvoice, keyof Ending>> = {
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
const version1 = fieldsOf<Omit<StoredInvoice, keyof Ending> & { readonly ids: Uint8Array | null }>({
  ...BEGINNING,
  ids: orNull(bytes),
})

const codec = recordCodec<StoredInvoice>(
  'invoices',
  2,
  { ...BEGINNING, expiresAt: orNull(integer), voidedAt: orNull(integer), hasOutlivedExpiry: flag },
  {
    1: (from) => {
      const { ids: _, ...row } = version1.read(from)
      return { ...row, ...NO_ENDING }
    },
  },
)

export function findInvoiceRow(at: Reader, id: InvoiceId): InvoiceRow | undefined {
  const packed = at.tables.invoices.getBinaryFast(id)
  return packed === undefined ? undefined : decodeInvoice(id, packed, (setNo) => findSet(at, setNo))
}

/** `setOf` finds the set of wallets that the record names by number. */
export function decodeInvoice(id: InvoiceId, packed: Uint8Array, setOf: (no: SetNo) => WalletSet): InvoiceRow {
  const stored = codec.decode(packed)
  const set = setOf(stored.setNo)
  const currency = CURRENCIES[stored.currencyNo]
  if (currency === undefined) throw new CorruptRecord(`an invoice has no currency ${stored.currencyNo}`)
  return {
    owner: set.owner,
    wallet_id: set.walletIds[0] ?? '',
    wallet_ids: set.walletIdsText,
    ...(stored.walletIds === null ? {} : asShown(stored.walletIds, set)),
    name: stored.name,
    description: stored.description,
    reference: stored.reference,
    amount: stored.amount,
    currency,
    callback_url: stored.callbackUrl,
    created_at: timeOfId(id),
    setNo: stored.setNo,
    expiresAt: stored.expiresAt,
    voidedAt: stored.voidedAt,
    hasOutlivedExpiry: stored.hasOutlivedExpiry,
  }
}

/** The row of an invoice that an index names. */
export function invoiceRow(at: Reader, id: InvoiceId): InvoiceRow {
  const row = findInvoiceRow(at, id)
  if (row === undefined) throw new Error('an index names an invoice that is not there')
  return row
}

/** The owner and the wallets must be the set's, and the time of creation the id's. */
export function putInvoiceRow(commit: Commit, id: InvoiceId, row: InvoiceRow): void {
  const set = findSet(commit, row.setNo)
  if (row.created_at !== timeOfId(id) || row.owner !== set.owner) {
    throw new Error('an invoice is not of the time of its id or not of the owner of its wallets')
  }
  commit.tables.invoices.putSync(id, encodeInvoice(row, set))
}

export function encodeInvoice(row: InvoiceRow, set: WalletSet): Buffer {
  return codec.encode({
    setNo: row.setNo,
    walletIds: row.wallet_ids === set.walletIdsText ? null : (row.wallet_ids ?? ''),
    name: row.name,
    description: row.description,
    reference: row.reference,
    amount: row.amount,
    currencyNo: CURRENCIES.indexOf(row.currency),
    callbackUrl: row.callback_url,
    expiresAt: row.expiresAt,
    voidedAt: row.voidedAt,
    hasOutlivedExpiry: row.hasOutlivedExpiry,
  })
}

/** An empty text is a record from before multi-wallet support: null, and the only wallet of the set. */
function asShown(walletIds: string, set: WalletSet): Pick<Invoice, 'wallet_id' | 'wallet_ids'> {
  if (walletIds === '') return { wallet_id: set.walletIds[0] ?? '', wallet_ids: null }
  const comma = walletIds.indexOf(',')
  return { wallet_id: comma === -1 ? walletIds : walletIds.slice(0, comma), wallet_ids: walletIds }
}

/** The amount of a stored invoice in atoms. */
export function atomsOf(row: Pick<InvoiceRow, 'amount'>): bigint {
  const atoms = parseInvoiceAmount(row.amount)
  if (atoms === null) throw new Error('a stored invoice has no valid amount')
  return atoms
}

export function toInvoice(id: InvoiceId, row: InvoiceRow): Invoice {
  return {
    id: id.toString('hex'),
    owner: row.owner,
    wallet_id: row.wallet_id,
    wallet_ids: row.wallet_ids,
    name: row.name,
    description: row.description,
    reference: row.reference,
    amount: row.amount,
    currency: row.currency,
    callback_url: row.callback_url,
    created_at: row.created_at,
  }
}
