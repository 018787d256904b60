import { EVENT_TYPES } from '../../../domain/event.js'
import { WEBHOOK_PAYLOADS } from '../../../domain/webhook.js'
import { WITHDRAWN_UNTIL } from '../../../domain/withdrawal.js'
import { canonical, isNoNetwork, listed, type Rule, rulesOf } from './rule.js'

export const WALLET_RULES: readonly Rule[] = [
  ...rulesOf('identities', {
    'it has no name': `SELECT owner AS name FROM identities WHERE owner = ''`,
  }),
  ...rulesOf('wallets', {
    'it is withdrawn, and nothing says why': `
      SELECT w.id AS name FROM wallets AS w LEFT JOIN withdrawn_wallets AS x ON x.wallet_id = w.id
      WHERE w.owner IS NULL AND w.leased_until = ${WITHDRAWN_UNTIL} AND x.wallet_id IS NULL`,
    'identities does not say that the ledger has its owner': `
      SELECT w.id AS name FROM wallets AS w LEFT JOIN identities AS o ON o.owner = w.owner
      WHERE w.owner IS NOT NULL AND o.is_known IS NOT TRUE`,
    'it was assigned at no time, or to nobody': `
      SELECT id AS name FROM wallets
      WHERE (owner IS NULL) <> (assigned_at IS NULL) OR (owner IS NULL) <> (assignment_no IS NULL)
        OR (owner IS NULL AND ledger_at IS NOT NULL)`,
    'it has part of an address': `
      SELECT id AS name FROM wallets
      WHERE (network IS NULL) <> (address_id IS NULL) OR (address IS NULL) <> (address_id IS NULL)
        OR (bound_no IS NULL) <> (address_id IS NULL) OR ${isNoNetwork('network')}`,
    'addresses does not have its address as its own': `
      SELECT w.id AS name FROM wallets AS w
      LEFT JOIN addresses AS a ON a.network = w.network AND a.address = ${canonical('w.address')}
      WHERE w.address IS NOT NULL AND (a.id IS DISTINCT FROM w.address_id OR a.wallet_id IS DISTINCT FROM w.id)`,
    'another one has its number': `
      SELECT id AS name FROM (
        SELECT id, count(*) OVER (PARTITION BY no) AS nos, count(*) OVER (PARTITION BY assignment_no) AS assignments,
          count(*) OVER (PARTITION BY network, bound_no) AS bound, assignment_no, bound_no FROM wallets
      ) AS w WHERE nos > 1 OR (assignments > 1 AND assignment_no IS NOT NULL) OR (bound > 1 AND bound_no IS NOT NULL)`,
    'its number is below 1, or its lease ended before time began': `
      SELECT id AS name FROM wallets WHERE no < 1 OR assignment_no < 1 OR bound_no < 1 OR leased_until < 0`,
  }),
  ...rulesOf('withdrawn_wallets', {
    'wallets does not have its wallet': `
      SELECT x.wallet_id AS name FROM withdrawn_wallets AS x LEFT JOIN wallets AS w ON w.id = x.wallet_id
      WHERE w.id IS NULL`,
  }),
  ...rulesOf('networks', {
    // A database that was brought to this version, and not opened since, has no row at all.
    'it has addresses and no row': `
      SELECT network AS name FROM addresses WHERE EXISTS (SELECT FROM networks) EXCEPT SELECT id FROM networks`,
  }),
  ...rulesOf('addresses', {
    'it is not in the form in which addresses are compared': `
      SELECT network || ' ' || address AS name FROM addresses
      WHERE ${isNoNetwork('network')} OR address <> ${canonical('address')}`,
    'wallets does not have its wallet with this address': `
      SELECT a.network || ' ' || a.address AS name FROM addresses AS a LEFT JOIN wallets AS w ON w.id = a.wallet_id
      WHERE a.wallet_id IS NOT NULL AND w.address_id IS DISTINCT FROM a.id`,
  }),
  ...rulesOf('api_keys', {
    'its key is not its public key': `
      SELECT id AS name FROM api_keys
      WHERE octet_length(public_key) <> 33 OR lower(right(public_key_text, 66)) <> encode(public_key, 'hex')`,
    'its id is malformed': `SELECT id AS name FROM api_keys WHERE id !~ '^[0-9a-f]{16}$'`,
    'identities does not have its owner': `
      SELECT k.id AS name FROM api_keys AS k LEFT JOIN identities AS o ON o.owner = k.owner WHERE o.owner IS NULL`,
    'another one of its owner has its number': `
      SELECT id AS name FROM (SELECT id, count(*) OVER (PARTITION BY no) AS nos FROM api_keys) AS k WHERE nos > 1`,
  }),
  ...rulesOf('webhooks', {
    'identities does not have its owner': `
      SELECT w.owner AS name FROM webhooks AS w LEFT JOIN identities AS o ON o.owner = w.owner WHERE o.owner IS NULL`,
    'its payload is none': `SELECT owner AS name FROM webhooks WHERE payload NOT IN (${listed(WEBHOOK_PAYLOADS)})`,
    'it names a type of events that is none': `
      SELECT w.owner AS name FROM webhooks AS w CROSS JOIN LATERAL unnest(string_to_array(w.types, ',')) AS t (type)
      WHERE t.type NOT IN (${listed(EVENT_TYPES)})`,
    'event_cursors does not say which events are sent': `
      SELECT w.owner AS name FROM webhooks AS w LEFT JOIN event_cursors AS c ON c.owner = w.owner
      WHERE w.payload = 'events' AND c.owner IS NULL`,
    'its secret is malformed': `
      SELECT owner AS name FROM webhooks WHERE secret !~ '^[0-9a-f]{64}$' OR previous_secret !~ '^[0-9a-f]{64}$'`,
    'it has a former secret for no time, or a time for none': `
      SELECT owner AS name FROM webhooks WHERE (previous_secret IS NULL) <> (overlap_ends_at IS NULL)`,
  }),
  ...rulesOf('event_cursors', {
    'it stands at no event, or behind its end': `
      SELECT owner AS name FROM event_cursors WHERE after < 0 OR until <= after`,
    'its owner has not chosen events in webhooks, or it ends although the owner has': `
      SELECT c.owner AS name FROM event_cursors AS c LEFT JOIN webhooks AS w ON w.owner = c.owner
      WHERE w.owner IS NULL OR (c.until IS NULL) <> (w.payload = 'events')`,
  }),
]
