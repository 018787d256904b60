import type pg from 'pg'
import type { Currency } from '../../src/domain/amount.js'
import type { Failure, Outcome } from '../../src/domain/failure.js'
import type { Invoice, InvoiceRequest } from '../../src/domain/invoice.js'
import { type Payment, paymentOf } from '../../src/domain/payment.js'
import { ownerOfKey } from './api-keys.js'
import type { Creation } from './creation.js'
import { receivedFor } from './received.js'

const ID = /^[0-9a-f]{32}$/

interface InvoiceRow extends Omit<Invoice, 'id' | 'wallet_id' | 'wallet_ids' | 'created_at'> {
  readonly wallet_ids: readonly string[]
  readonly atoms: string
  readonly currency: Currency
  readonly created_at: string
  readonly confirmed: string
  readonly pending: string
}

/** Invoices in PostgreSQL. */
export class Invoices {
  constructor(
    private readonly pool: pg.Pool,
    private readonly creation: Creation,
  ) {}

  /** Returns the id of the new invoice. The owner of the key is its owner, whatever the request says. */
  create(publicKey: Uint8Array, request: InvoiceRequest): Promise<Outcome<string>> {
    return this.creation.create(this.pool, publicKey, request)
  }

  /** Returns why the key may not create invoices, or null. */
  async refusalOfKey(publicKey: Uint8Array): Promise<Failure | null> {
    const owner = await ownerOfKey(this.pool, publicKey)
    return owner.ok ? null : owner.failure
  }

  async read(id: string): Promise<(Invoice & { readonly payment: Payment }) | null> {
    if (!ID.test(id)) return null
    const { rows } = await this.pool.query<InvoiceRow>({
      name: 'read',
      text: `SELECT owner, wallet_ids, name, description, reference, amount, atoms, currency, callback_url, created_at,
               confirmed, pending
             FROM invoices, LATERAL (${receivedFor('invoices')}) AS received WHERE id = $1`,
      values: [id],
    })
    const [row] = rows
    if (row === undefined) return null
    const { atoms, confirmed, pending, wallet_ids, created_at, ...rest } = row
    const received = { confirmed: BigInt(confirmed), pending: BigInt(pending) }
    // It matches deposits to nobody, so nothing is another invoice's.
    const payment = paymentOf(BigInt(atoms), { ...received, own: received })
    return {
      ...rest,
      id,
      wallet_id: wallet_ids[0] ?? '',
      wallet_ids: wallet_ids.join(','),
      created_at: Number(created_at),
      payment,
    }
  }
}
