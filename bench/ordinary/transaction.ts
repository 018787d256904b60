import type pg from 'pg'
import { type Outcome, refuse, succeed } from '../../src/domain/failure.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import { ownerOfKey } from './api-keys.js'
import { hexOf } from './invoice-id.js'
import { receivedFor } from './received.js'

/**
 * Creates an invoice statement by statement in one transaction. It locks the wallets in the order of their ids before
 * it looks for conflicting invoices. At the default isolation level each statement sees what was committed before it
 * began, and therefore everything that earlier holders of the locks committed.
 */
export async function createByStatements(
  pool: pg.Pool,
  publicKey: Uint8Array,
  request: InvoiceRequest,
): Promise<Outcome<string>> {
  const owner = await ownerOfKey(pool, publicKey)
  if (!owner.ok) return owner
  return inTransaction(pool, async (client) => {
    if (!(await lockWallets(client, request.walletIds, owner.value))) return refuse('wallet_not_owned')
    if (!request.isCallbackUrlValid) return refuse('invalid_callback_url')
    if (await hasUnpaidRival(client, request)) {
      // Of two reasons to reject, a taken reference comes first.
      return (await isReferenceTaken(client, request.reference))
        ? refuse('reference_in_use')
        : refuse('amount_in_use', { amount: request.amountText, currency: request.currency })
    }
    const id = await insertInvoice(client, owner.value, request)
    if (id === null) return refuse('reference_in_use')
    await client.query({
      name: 'insert-wallets',
      text: 'INSERT INTO invoice_wallets SELECT wallet, $2, $3, $4 FROM unnest($1::text[]) AS wallet',
      values: [request.walletIds, request.currency, String(request.amount), id],
    })
    return succeed(hexOf(id))
  })
}

/** Commits what succeeded and rolls back what was refused. */
async function inTransaction<T>(
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const outcome = await run(client)
    await client.query(outcome.ok ? 'COMMIT' : 'ROLLBACK')
    client.release()
    return outcome
  } catch (error) {
    // Closed instead of released, so that no other request inherits a failed transaction.
    client.release(true)
    throw error
  }
}

/** Whether all wallets belong to the owner. */
async function lockWallets(client: pg.PoolClient, ids: readonly string[], owner: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'lock-wallets',
    text: 'SELECT id FROM wallets WHERE id = ANY ($1) AND owner = $2 ORDER BY id FOR UPDATE',
    values: [ids, owner],
  })
  return rowCount === ids.length
}

async function hasUnpaidRival(
  client: pg.PoolClient,
  { walletIds, currency, amount }: InvoiceRequest,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'rivals',
    text: `SELECT rival.id
           FROM invoice_wallets AS shared JOIN invoices AS rival ON rival.id = shared.invoice_id,
             LATERAL (${receivedFor('rival')}) AS received
           WHERE shared.wallet_id = ANY ($1) AND shared.currency = $2 AND shared.atoms = $3
             AND received.confirmed < rival.atoms
           LIMIT 1`,
    values: [walletIds, currency, String(amount)],
  })
  return rowCount !== 0
}

async function isReferenceTaken(client: pg.PoolClient, reference: string | null): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'reference',
    text: 'SELECT id FROM invoices WHERE reference = $1',
    values: [reference],
  })
  return rowCount !== 0
}

/** The id, or null when the reference is taken. */
async function insertInvoice(client: pg.PoolClient, owner: string, request: InvoiceRequest): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>({
    name: 'insert-invoice',
    text: `INSERT INTO invoices VALUES (uuidv7(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           ON CONFLICT (reference) DO NOTHING RETURNING id`,
    values: [
      owner,
      request.walletIds,
      request.name,
      request.description,
      request.reference,
      request.amountText,
      String(request.amount),
      request.currency,
      request.callbackUrl,
      Date.now(),
    ],
  })
  return rows[0]?.id ?? null
}
