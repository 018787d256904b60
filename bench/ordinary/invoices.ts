import type pg from 'pg'
import { idFromHex } from '../../src/crypto/id.js'
import type { Currency } from '../../src/domain/currency.js'
import { type Failure, type FailureCode, failure, type Outcome, refuse, succeed } from '../../src/domain/failure.js'
import type { Invoice, InvoiceRequest } from '../../src/domain/invoice.js'
import { type Payment, paymentOf } from '../../src/domain/payment.js'

/** Refusals that a key causes, whatever the body says. */
type KeyRefusal = 'unknown_api_key' | 'api_key_revoked' | 'api_key_expired' | 'permission_missing'

interface InvoiceRow extends Omit<Invoice, 'id' | 'wallet_id' | 'wallet_ids' | 'created_at'> {
  readonly id: string
  readonly wallet_ids: readonly string[]
  readonly atoms: string
  readonly currency: Currency
  readonly created_at: string
  readonly confirmed: string
  readonly pending: string
}

/** Invoices in PostgreSQL. */
export class Invoices {
  constructor(private readonly pool: pg.Pool) {}

  /** The id of the new invoice. The owner is the key's, whatever the request says. */
  async create(publicKey: Uint8Array, request: InvoiceRequest): Promise<Outcome<string>> {
    const { rows } = await this.pool.query<{ refusal: FailureCode | null; invoice_id: string }>({
      name: 'create',
      text: 'SELECT refusal, invoice_id FROM create_invoice($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      values: [
        publicKey,
        request.walletIds,
        request.name,
        request.description,
        request.reference,
        request.amountText,
        String(request.amount),
        request.currency,
        request.callbackUrl,
        request.isCallbackUrlValid,
      ],
    })
    const [row] = rows
    if (row === undefined) throw new Error('create_invoice answered nothing')
    if (row.refusal === null) return succeed(hexOf(row.invoice_id))
    return refuse(row.refusal, {
      amount: request.amountText,
      currency: request.currency,
      permission: 'invoices:create',
    })
  }

  /** Why the key may not create invoices, else null. */
  async refusalOfKey(publicKey: Uint8Array): Promise<Failure | null> {
    const { rows } = await this.pool.query<{ refusal: KeyRefusal | null }>({
      name: 'key',
      text: 'SELECT key_refusal(api_keys) AS refusal FROM (SELECT) AS one LEFT JOIN api_keys ON public_key = $1',
      values: [publicKey],
    })
    const refusal = rows[0]?.refusal ?? null
    return refusal === null ? null : failure(refusal, { permission: 'invoices:create' })
  }

  async read(id: string): Promise<(Invoice & { readonly payment: Payment }) | null> {
    if (idFromHex(id) === null) return null
    const { rows } = await this.pool.query<InvoiceRow>({
      name: 'read',
      text: `SELECT id, owner, wallet_ids, name, description, reference, amount, atoms, currency, callback_url, created_at,
               confirmed, pending
             FROM invoices, received(wallet_ids, currency, created_at) WHERE id = $1`,
      values: [id],
    })
    const [row] = rows
    if (row === undefined) return null
    const { atoms, confirmed, pending, wallet_ids, created_at, ...rest } = row
    return {
      ...rest,
      id,
      wallet_id: wallet_ids[0] ?? '',
      wallet_ids: wallet_ids.join(','),
      created_at: Number(created_at),
      payment: paymentOf(BigInt(atoms), { confirmed: BigInt(confirmed), pending: BigInt(pending) }),
    }
  }
}

function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}
