/**
 * Tables, indexes and functions of the ordinary stack. Money is in atoms (10⁻¹⁸), times are Unix milliseconds.
 *
 * A creation is one call of `create_invoice`, hence one round trip and one transaction. It locks the wallets in the order
 * of their ids and only then looks for rivals. The function is volatile, so at the default isolation level each of its
 * statements sees what was committed before it began, whatever the call had to wait for.
 */
export const SCHEMA = `
CREATE TABLE api_keys (
  public_key bytea PRIMARY KEY,
  owner text NOT NULL,
  permissions text[] NOT NULL,
  expires_at bigint,
  revoked_at bigint
);

CREATE TABLE wallets (
  id text PRIMARY KEY,
  owner text NOT NULL,
  network text NOT NULL,
  address text NOT NULL,
  UNIQUE (network, address)
);
CREATE INDEX ON wallets (owner);

CREATE TABLE invoices (
  id uuid PRIMARY KEY,
  owner text NOT NULL,
  wallet_ids text[] NOT NULL,
  name text NOT NULL,
  description text,
  reference text UNIQUE,
  amount text NOT NULL,
  atoms numeric NOT NULL,
  currency text NOT NULL,
  callback_url text,
  created_at bigint NOT NULL
);
CREATE INDEX ON invoices (owner, id);

CREATE TABLE invoice_wallets (
  wallet_id text NOT NULL,
  currency text NOT NULL,
  atoms numeric NOT NULL,
  invoice_id uuid NOT NULL,
  PRIMARY KEY (wallet_id, currency, atoms, invoice_id)
);

CREATE TABLE deposits (
  network text NOT NULL,
  tx_hash text NOT NULL,
  index bigint NOT NULL,
  address text NOT NULL,
  currency text,
  atoms numeric NOT NULL,
  kind text NOT NULL,
  received_at bigint NOT NULL,
  PRIMARY KEY (network, tx_hash, index)
);
CREATE INDEX ON deposits (network, address, currency, received_at) INCLUDE (kind, atoms);

CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Why a key whose signature is good may not create invoices; null when it may.
CREATE FUNCTION key_refusal(api_keys) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT CASE
    WHEN $1.public_key IS NULL THEN 'unknown_api_key'
    WHEN $1.revoked_at IS NOT NULL THEN 'api_key_revoked'
    WHEN $1.expires_at < now_ms() THEN 'api_key_expired'
    WHEN NOT 'invoices:create' = ANY ($1.permissions) THEN 'permission_missing'
  END
$$;

-- What came in on the wallets strictly after a moment.
CREATE FUNCTION received(
  of_wallets text[], in_currency text, since bigint, OUT confirmed numeric, OUT pending numeric
) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(atoms) FILTER (WHERE kind = 'confirmed'), 0), coalesce(sum(atoms) FILTER (WHERE kind = 'pending'), 0)
  FROM wallets JOIN deposits USING (network, address)
  WHERE wallets.id = ANY (of_wallets) AND deposits.currency = in_currency AND received_at > since
$$;

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
  refusal := key_refusal(key);
  IF refusal IS NOT NULL THEN RETURN; END IF;

  SELECT count(*) INTO owned FROM (
    SELECT FROM wallets WHERE id = ANY (of_wallets) AND owner = key.owner ORDER BY id FOR UPDATE
  ) AS locked;
  IF owned < cardinality(of_wallets) THEN refusal := 'wallet_not_owned'; RETURN; END IF;
  IF NOT is_callback_url_valid THEN refusal := 'invalid_callback_url'; RETURN; END IF;

  IF EXISTS (
    SELECT FROM invoice_wallets AS shared JOIN invoices AS rival ON rival.id = shared.invoice_id
    WHERE shared.wallet_id = ANY (of_wallets) AND shared.currency = its_currency AND shared.atoms = its_atoms
      AND (received(rival.wallet_ids, rival.currency, rival.created_at)).confirmed < rival.atoms
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
`
