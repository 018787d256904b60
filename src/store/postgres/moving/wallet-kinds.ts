import type { ApiKey } from '../../../domain/api-key.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { MovedRecords, MovedWallet, PaidAmount } from '../../moving/records.js'
import { sql } from '../connection/sql.js'
import type { WalletColumns } from '../wallets/wallet-rows.js'
import { toWithdrawal, WITHDRAWAL_COLUMNS, type WithdrawalColumns } from '../wallets/withdrawals.js'
import { behindPlace, bytesOf, type Column, insertInto, networkOrder, type PostgresMovedKind } from './moved-kind.js'

export const identities: PostgresMovedKind<'identities', { readonly owner: string; readonly is_known: boolean }> = {
  select: (behind) =>
    sql`SELECT owner, is_known FROM identities ${behindPlace([bytesOf(sql`owner`)], ['text'], behind)}`,
  toRecord: ({ owner, is_known }) => ({ record: { owner, isKnown: is_known }, place: [owner] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'identities',
        [
          { name: 'owner', type: 'text', of: ({ owner }) => owner },
          { name: 'is_known', type: 'boolean', of: ({ isKnown }) => isKnown },
        ],
        records,
      ),
    ),
}

interface AddressColumns {
  readonly network: Network
  readonly address: string
  readonly wallet_id: string | null
  readonly network_order: string
}

export const addresses: PostgresMovedKind<'addresses', AddressColumns> = {
  select: (behind) => {
    const order = [networkOrder(sql`network`), bytesOf(sql`address`)]
    return sql`SELECT network, address, wallet_id, ${networkOrder(sql`network`)} AS network_order FROM addresses
      ${behindPlace(order, ['text', 'text'], behind)}`
  },
  toRecord: ({ network, address, wallet_id, network_order }) => {
    return { record: { network, address, walletId: wallet_id }, place: [network_order, address] }
  },
  write: (work, records) =>
    work.write(
      insertInto(
        'addresses',
        [
          { name: 'network', type: 'text', of: ({ network }) => network },
          { name: 'address', type: 'text', of: ({ address }) => address },
          { name: 'wallet_id', type: 'text', of: ({ walletId }) => walletId },
        ],
        records,
      ),
    ),
}

interface MovedWalletColumns extends WalletColumns, WithdrawalColumns {
  readonly place: number
  readonly leased_until: number
  readonly ledger_at: number | null
  /** Each a currency and atoms, with a blank between them. */
  readonly paid: readonly string[]
  readonly is_aloud: boolean | null
}

/** In which order wallets came to have addresses is kept as the order in which they became known. */
const WALLET: readonly Column<MovedWallet>[] = [
  { name: 'id', type: 'text', of: ({ id }) => id },
  { name: 'no', type: 'bigint', of: ({ place }) => place },
  { name: 'network', type: 'text', of: ({ network }) => network },
  { name: 'address', type: 'text', of: ({ address }) => address },
  {
    name: 'address_id',
    type: 'text',
    of: ({ network, address }) => (network === null || address === null ? null : canonicalAddress(address)),
    as: '(SELECT a.id FROM addresses AS a WHERE a.network = m.network AND a.address = m.address_id)',
  },
  {
    name: 'bound_no',
    type: 'bigint',
    of: ({ network, address, place }) => (network === null || address === null ? null : place),
  },
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'assigned_at', type: 'bigint', of: ({ assignedAt }) => assignedAt },
  { name: 'assignment_no', type: 'bigint', of: ({ assignmentNo }) => assignmentNo },
  { name: 'leased_until', type: 'bigint', of: ({ leasedUntil }) => leasedUntil },
  { name: 'ledger_at', type: 'bigint', of: ({ ledgerAt }) => ledgerAt },
]

export const wallets: PostgresMovedKind<'wallets', MovedWalletColumns> = {
  select: (behind) => sql`
    SELECT w.id, w.place, w.no, w.network, w.address, w.address_id, w.owner, w.assigned_at, w.assignment_no, w.leased_until,
      w.ledger_at, ${WITHDRAWAL_COLUMNS}, u.is_aloud,
      (SELECT coalesce(array_agg(p.currency || ' ' || p.atoms::text ORDER BY p.currency), '{}') FROM paid_amounts AS p
       WHERE p.wallet_id = w.id) AS paid
    FROM (SELECT known.*, row_number() OVER (ORDER BY known.no) AS place FROM wallets AS known) AS w
    LEFT JOIN unsettled_wallets AS u ON u.wallet_id = w.id
    LEFT JOIN withdrawn_wallets AS x ON x.wallet_id = w.id
    ${behindPlace([bytesOf(sql`w.id`)], ['text'], behind)}`,
  toRecord: (row) => ({
    record: {
      id: row.id,
      network: row.network,
      address: row.address,
      owner: row.owner,
      assignedAt: row.assigned_at,
      place: row.place,
      assignmentNo: row.assignment_no,
      leasedUntil: row.leased_until,
      ledgerAt: row.ledger_at,
      withdrawal: toWithdrawal(row),
      paid: row.paid.map(toPaidAmount),
      isUnsettledAloud: row.is_aloud,
    },
    place: [row.id],
  }),
  write(work, records) {
    work.write(insertInto('wallets', WALLET, records))
    const withdrawn = records.flatMap(({ id, withdrawal }) => (withdrawal === null ? [] : [{ id, ...withdrawal }]))
    work.write(
      insertInto(
        'withdrawn_wallets',
        [
          { name: 'wallet_id', type: 'text', of: ({ id }) => id },
          { name: 'umid', type: 'text', of: ({ umid }) => umid },
          { name: 'ledger_ms', type: 'bigint', of: ({ ledgerMs }) => ledgerMs },
          { name: 'at', type: 'bigint', of: ({ at }) => at },
        ],
        withdrawn,
      ),
    )
    const all = records.flatMap(({ id, paid }) => paid.map((amount) => ({ id, ...amount })))
    work.write(
      insertInto(
        'paid_amounts',
        [
          { name: 'wallet_id', type: 'text', of: ({ id }) => id },
          { name: 'currency', type: 'text', of: ({ currency }) => currency },
          { name: 'atoms', type: 'numeric', of: ({ atoms }) => atoms },
        ],
        all,
      ),
    )
    work.write(
      insertInto(
        'unsettled_wallets',
        [
          { name: 'wallet_id', type: 'text', of: ({ id }) => id },
          { name: 'is_aloud', type: 'boolean', of: ({ isUnsettledAloud }) => isUnsettledAloud },
        ],
        records.filter(({ isUnsettledAloud }) => isUnsettledAloud !== null),
        { is_again: 'false' },
      ),
    )
  },
}

function toPaidAmount(text: string): PaidAmount {
  const [currency = '', atoms = ''] = text.split(' ')
  return { currency, atoms }
}

interface KeyColumns extends ApiKeyColumns {
  readonly public_key: Buffer
  readonly no: number
}

interface ApiKeyColumns {
  readonly id: string
  readonly owner: string
  readonly label: string
  readonly public_key_text: string
  readonly permissions: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

const KEY: readonly Column<MovedRecords['keys']>[] = [
  { name: 'public_key', type: 'bytea', of: ({ publicKey }) => Buffer.from(publicKey, 'hex') },
  { name: 'id', type: 'text', of: ({ key }) => key.id },
  { name: 'owner', type: 'text', of: ({ key }) => key.owner },
  { name: 'label', type: 'text', of: ({ key }) => key.label },
  { name: 'public_key_text', type: 'text', of: ({ key }) => key.public_key },
  { name: 'permissions', type: 'text', of: ({ key }) => key.permissions },
  { name: 'expires_at', type: 'bigint', of: ({ key }) => key.expires_at },
  { name: 'revoked_at', type: 'bigint', of: ({ key }) => key.revoked_at },
  { name: 'created_at', type: 'bigint', of: ({ key }) => key.created_at },
]

export const keys: PostgresMovedKind<'keys', KeyColumns> = {
  select: (behind) => sql`
    SELECT public_key, id, no, owner, label, public_key_text, permissions, expires_at, revoked_at, created_at FROM api_keys
    ${behindPlace([bytesOf(sql`owner`), sql`no`], ['text', 'bigint'], behind)}`,
  toRecord: ({ public_key, no, public_key_text, ...columns }) => {
    const key: ApiKey = {
      id: columns.id,
      owner: columns.owner,
      label: columns.label,
      public_key: public_key_text,
      permissions: columns.permissions,
      expires_at: columns.expires_at,
      revoked_at: columns.revoked_at,
      created_at: columns.created_at,
    }
    return { record: { publicKey: public_key.toString('hex'), key }, place: [columns.owner, no] }
  },
  write: (work, records) =>
    work.write(
      insertInto('api_keys', KEY, records, {
        no: '(SELECT coalesce(max(no), 0) FROM api_keys) + m.ordinality',
      }),
    ),
}
