import { parseInvoiceAmount } from '../../domain/amount.js'
import { CURRENCIES } from '../../domain/currency.js'
import type { Invoice } from '../../domain/invoice.js'
import { type Ending, NO_ENDING } from '../../domain/voiding.js'
import { WIDE_BYTES } from './bytes.js'
import type { Payee, Payees } from './payees.js'
import { CorruptRecord, type FieldReader, recordCodec } from './record-codec.js'
import type { Tables } from './tables.js'

/** An invoice with what only the store knows of it. */
export interface InvoiceRow extends Omit<Invoice, 'id'>, Ending {
  readonly payeeNo: number
}

/**
 * What is stored of an invoice: neither the time of its creation, which is in its id, nor its owner and wallets, which
 * are its payee's. That is less than half of it, and a long list reads correspondingly less.
 */
interface StoredInvoice extends Ending {
  readonly payeeNo: number
  /** The wallet ids as the record shows them; null when they are the payee's, in the payee's order. */
  readonly walletIds: string | null
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly amount: string
  /** Position in `CURRENCIES`. */
  readonly currencyNo: number
  readonly callbackUrl: string | null
}

const codec = recordCodec<StoredInvoice>(
  'invoices',
  2,
  (row) => [
    row.payeeNo,
    row.walletIds,
    row.name,
    row.description,
    row.reference,
    row.amount,
    row.currencyNo,
    row.callbackUrl,
    row.expiresAt,
    row.voidedAt,
    row.hasOutlivedExpiry,
  ],
  (fields) => ({
    ...readBeginning(fields),
    expiresAt: fields.integerOrNull(),
    voidedAt: fields.integerOrNull(),
    hasOutlivedExpiry: fields.flag(),
  }),
  {
    1: (fields) => {
      const beginning = readBeginning(fields)
      // Ids of invoices that an index of before version 3 of the data needed.
      fields.bytesOrNull()
      return { ...beginning, ...NO_ENDING }
    },
  },
)

/** The fields that every version of the record begins with. */
function readBeginning(fields: FieldReader): Omit<StoredInvoice, keyof Ending> {
  return {
    payeeNo: fields.integer(),
    walletIds: fields.textOrNull(),
    name: fields.text(),
    description: fields.textOrNull(),
    reference: fields.textOrNull(),
    amount: fields.text(),
    currencyNo: fields.integer(),
    callbackUrl: fields.textOrNull(),
  }
}

/** The invoices by id. */
export class InvoiceRows {
  constructor(
    private readonly tables: Tables,
    private readonly payees: Payees,
  ) {}

  find(id: Buffer): InvoiceRow | undefined {
    const bytes = this.tables.invoices.getBinaryFast(id)
    if (bytes === undefined) return undefined
    const stored = codec.decode(bytes)
    const payee = this.payees.find(stored.payeeNo)
    const currency = CURRENCIES[stored.currencyNo]
    if (currency === undefined) throw new CorruptRecord(`an invoice has no currency ${stored.currencyNo}`)
    return {
      owner: payee.owner,
      wallet_id: payee.walletIds[0] ?? '',
      wallet_ids: payee.walletIdsText,
      ...(stored.walletIds === null ? {} : asShown(stored.walletIds, payee)),
      name: stored.name,
      description: stored.description,
      reference: stored.reference,
      amount: stored.amount,
      currency,
      callback_url: stored.callbackUrl,
      created_at: id.readUIntBE(0, WIDE_BYTES),
      payeeNo: stored.payeeNo,
      expiresAt: stored.expiresAt,
      voidedAt: stored.voidedAt,
      hasOutlivedExpiry: stored.hasOutlivedExpiry,
    }
  }

  /** An invoice that an index names. */
  get(id: Buffer): InvoiceRow {
    const row = this.find(id)
    if (row === undefined) throw new Error('an index names an invoice that is not there')
    return row
  }

  /** The owner and the wallets must be the payee's, and the time of creation the id's. */
  put(id: Buffer, row: InvoiceRow): void {
    const payee = this.payees.find(row.payeeNo)
    if (row.created_at !== id.readUIntBE(0, WIDE_BYTES) || row.owner !== payee.owner) {
      throw new Error('an invoice is not of the time of its id or not of its payee')
    }
    const bytes = codec.encode({
      payeeNo: row.payeeNo,
      walletIds: row.wallet_ids === payee.walletIdsText ? null : (row.wallet_ids ?? ''),
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
    this.tables.invoices.putSync(id, bytes)
  }
}

/** An empty text is a record from before multi-wallet support: null, and the payee's only wallet. */
function asShown(walletIds: string, payee: Payee): Pick<Invoice, 'wallet_id' | 'wallet_ids'> {
  if (walletIds === '') return { wallet_id: payee.walletIds[0] ?? '', wallet_ids: null }
  const comma = walletIds.indexOf(',')
  return { wallet_id: comma === -1 ? walletIds : walletIds.slice(0, comma), wallet_ids: walletIds }
}

/** The amount of a stored invoice in atoms. */
export function atomsOf(row: Pick<InvoiceRow, 'amount'>): bigint {
  const atoms = parseInvoiceAmount(row.amount)
  if (atoms === null) throw new Error('a stored invoice has no valid amount')
  return atoms
}

export function toInvoice(id: Buffer, row: InvoiceRow): Invoice {
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
