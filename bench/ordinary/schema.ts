/** Tables and indexes of the ordinary stack. Money is in atoms (10⁻¹⁸), times are Unix milliseconds. */
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
`
