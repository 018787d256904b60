import type pg from 'pg'
import { type FailureCode, type Outcome, refuse, succeed } from '../../src/domain/failure.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import { hexOf } from './invoice-id.js'
import { receivedFor } from './received.js'

/**
 * Creates an invoice in one call: one round trip and one transaction. It locks the wallets in the order of their ids
 * before it looks for conflicting invoices. The function is volatile, so at the default isolation level each of its
 * statements sees what was committed before the statement began, even if the call had to wait for locks.
 */
export const FUNCTION = `
CREATE FUNCTION create_invoice(
  signer bytea, of_wallets text[], its_name text, its_description text, its_reference text, its_amount text,
  its_atoms numeric, its_currency text, its_callback_url text, is_callback_url_valid boolean,
  OUT refusal text, OUT invoice_id uuid
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  key api_keys;
  owned integer;
BEGIN
  SELECT * INTO key FROM api_keys WHERE public_key = signer;
  refusal := CASE
    WHEN key.public_key IS NULL THEN 'unknown_api_key'
    WHEN key.revoked_at IS NOT NULL THEN 'api_key_revoked'
    WHEN key.expires_at < now_ms() THEN 'api_key_expired'
    WHEN NOT 'invoices:create' = ANY (key.permissions) THEN 'permission_missing'
  END;
  IF refusal IS NOT NULL THEN RETURN; END IF;

  SELECT count(*) INTO owned FROM (
    SELECT FROM wallets WHERE id = ANY (of_wallets) AND owner = key.owner ORDER BY id FOR UPDATE
  ) AS locked;
  IF owned < cardinality(of_wallets) THEN refusal := 'wallet_not_owned'; RETURN; END IF;
  IF NOT is_callback_url_valid THEN refusal := 'invalid_callback_url'; RETURN; END IF;

  IF EXISTS (
    SELECT FROM invoice_wallets AS shared JOIN invoices AS rival ON rival.id = shared.invoice_id,
      LATERAL (${receivedFor('rival')}) AS received
    WHERE shared.wallet_id = ANY (of_wallets) AND shared.currency = its_currency AND shared.atoms = its_atoms
      AND received.confirmed < rival.atoms
  ) THEN
    -- A taken reference is the earlier of the two answers.
    refusal := CASE
      WHEN EXISTS (SELECT FROM invoices WHERE reference = its_reference) THEN 'reference_in_use' ELSE 'amount_in_use'
    END;
    RETURN;
  END IF;

  INSERT INTO invoices VALUES (
    uuidv7(), key.owner, of_wallets, its_name, its_description, its_reference, its_amount, its_atoms, its_currency,
    its_callback_url, now_ms()
  ) ON CONFLICT (reference) DO NOTHING RETURNING id INTO invoice_id;
  IF invoice_id IS NULL THEN refusal := 'reference_in_use'; RETURN; END IF;
  INSERT INTO invoice_wallets SELECT wallet, its_currency, its_atoms, invoice_id FROM unnest(of_wallets) AS wallet;
END
$$;

CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
`

export async function createByFunction(
  pool: pg.Pool,
  publicKey: Uint8Array,
  request: InvoiceRequest,
): Promise<Outcome<string>> {
  const { rows } = await pool.query<{ refusal: FailureCode | null; invoice_id: string }>({
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
  return refuse(row.refusal, { amount: request.amountText, currency: request.currency, permission: 'invoices:create' })
}
