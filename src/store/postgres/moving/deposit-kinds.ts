import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { MovedDeposit } from '../../moving/records.js'
import { putWatch, toWatch, type WatchColumns } from '../chain/watch-rows.js'
import { sql } from '../connection/sql.js'
import { DEPOSIT_COLUMNS, type DepositColumns, toDeposit } from '../deposits/deposit-rows.js'
import { NETWORK_COLUMNS, type NetworkColumns, putNetwork, toNetwork } from '../networks.js'
import { behindPlace, bytesOf, type Column, insertInto, networkOrder, type PostgresMovedKind } from './moved-kind.js'

const DEPOSIT: readonly Column<MovedDeposit>[] = [
  { name: 'network', type: 'text', of: ({ deposit }) => deposit.network },
  { name: 'tx_hash', type: 'text', of: ({ deposit }) => deposit.txHash },
  { name: 'index', type: 'bigint', of: ({ deposit }) => deposit.index },
  { name: 'to_address', type: 'text', of: ({ deposit }) => deposit.toAddress },
  {
    name: 'address_id',
    type: 'text',
    of: ({ deposit }) => canonicalAddress(deposit.toAddress),
    as: '(SELECT a.id FROM addresses AS a WHERE a.network = m.network AND a.address = m.address_id)',
  },
  { name: 'label', type: 'text', of: ({ deposit }) => deposit.currency },
  { name: 'amount', type: 'text', of: ({ deposit }) => deposit.amount },
  { name: 'kind', type: 'text', of: ({ deposit }) => deposit.kind },
  { name: 'received_at', type: 'bigint', of: ({ deposit }) => deposit.receivedAt },
  { name: 'confirmed_at', type: 'bigint', of: ({ deposit }) => deposit.confirmedAt },
  { name: 'counted_as', type: 'text', of: ({ countedAs }) => countedAs },
  { name: 'atoms', type: 'numeric', of: ({ atoms }) => atoms },
  { name: 'invoice_id', type: 'uuid', of: ({ invoiceId }) => invoiceId },
  { name: 'is_pending_reached', type: 'boolean', of: ({ isPendingReached }) => isPendingReached },
  { name: 'is_confirmed_reached', type: 'boolean', of: ({ isConfirmedReached }) => isConfirmedReached },
  { name: 'is_late', type: 'boolean', of: ({ isLate }) => isLate },
]

/** The sums are made at the end, of all deposits. */
export const deposits: PostgresMovedKind<'deposits', DepositColumns> = {
  select: (behind) => sql`SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d ${behindPlace([sql`d.no`], ['bigint'], behind)}`,
  toRecord: (row) => ({
    record: {
      deposit: toDeposit(row),
      countedAs: row.counted_as,
      atoms: String(row.atoms),
      invoiceId: row.invoice_id,
      isPendingReached: row.is_pending_reached,
      isConfirmedReached: row.is_confirmed_reached,
      isLate: row.is_late,
    },
    place: [row.no],
  }),
  write: (work, records) =>
    work.write(
      insertInto('deposits', DEPOSIT, records, { no: '(SELECT coalesce(max(no), 0) FROM deposits) + m.ordinality' }),
    ),
}

interface PlacedWatch extends WatchColumns {
  readonly network: Network
  readonly network_order: string
}

interface ChainColumns {
  readonly network: Network
  readonly network_order: string
  readonly confirmed: number
}

export const networks: PostgresMovedKind<'networks', NetworkColumns> = {
  select: (behind) => sql`
    SELECT ${NETWORK_COLUMNS} FROM networks AS n ${behindPlace([bytesOf(sql`n.id`)], ['text'], behind)}`,
  toRecord: (columns) => ({ record: toNetwork(columns), place: [columns.id] }),
  write(work, records) {
    for (const about of records) work.write(putNetwork(about))
  },
}

export const chains: PostgresMovedKind<'chains', ChainColumns> = {
  select: (behind) => {
    const order = behindPlace([bytesOf(sql`c.network_order`)], ['text'], behind)
    return sql`SELECT c.* FROM (
        SELECT network, confirmed, ${networkOrder(sql`network`)} AS network_order FROM chains WHERE confirmed IS NOT NULL
      ) AS c ${order}`
  },
  toRecord: ({ network, confirmed, network_order }) => ({ record: { network, confirmed }, place: [network_order] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'chains',
        [
          { name: 'network', type: 'text', of: ({ network }) => network },
          { name: 'confirmed', type: 'bigint', of: ({ confirmed }) => confirmed },
        ],
        records,
        { bound: '0' },
      ),
    ),
}

/** They are columns of `chains`, which has rows of more networks than those of which blocks are kept. */
export const watches: PostgresMovedKind<'watches', PlacedWatch> = {
  select: (behind) => {
    const order = behindPlace([bytesOf(sql`c.network_order`)], ['text'], behind)
    return sql`SELECT c.* FROM (
        SELECT network, watched_at, first_wallet_at, watched_as, ${networkOrder(sql`network`)} AS network_order FROM chains
        WHERE coalesce(watched_at, first_wallet_at) IS NOT NULL OR watched_as IS NOT NULL
      ) AS c ${order}`
  },
  toRecord: (columns) => ({
    record: { network: columns.network, ...toWatch(columns) },
    place: [columns.network_order],
  }),
  write(work, records) {
    for (const { network, ...watch } of records) putWatch(work, network, watch)
  },
}

interface BlockColumns {
  readonly network: Network
  readonly network_order: string
  readonly height: number
  readonly hash: string
  readonly parent_hash: string
  readonly time_ms: number
  readonly tx_hashes: readonly string[]
  readonly indexes: readonly string[]
}

export const blocks: PostgresMovedKind<'blocks', BlockColumns> = {
  select: (behind) => {
    const order = [networkOrder(sql`b.network`), sql`b.height`]
    return sql`
      SELECT b.network, ${networkOrder(sql`b.network`)} AS network_order, b.height, b.hash, b.parent_hash, b.time_ms, held.tx_hashes,
        held.indexes
      FROM blocks AS b CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(d.tx_hash ORDER BY d.place), '{}') AS tx_hashes,
          coalesce(array_agg(d.index::text ORDER BY d.place), '{}') AS indexes
        FROM block_deposits AS d WHERE d.network = b.network AND d.height = b.height
      ) AS held ${behindPlace(order, ['text', 'bigint'], behind)}`
  },
  toRecord: ({ network, network_order, height, hash, parent_hash, time_ms, tx_hashes, indexes }) => ({
    record: {
      network,
      height,
      hash,
      parentHash: parent_hash,
      timeMs: time_ms,
      deposits: tx_hashes.map((txHash, i) => ({ txHash, index: Number(indexes[i]) })),
    },
    place: [network_order, height],
  }),
  write(work, records) {
    work.write(
      insertInto(
        'blocks',
        [
          { name: 'network', type: 'text', of: ({ network }) => network },
          { name: 'height', type: 'bigint', of: ({ height }) => height },
          { name: 'hash', type: 'text', of: ({ hash }) => hash },
          { name: 'parent_hash', type: 'text', of: ({ parentHash }) => parentHash },
          { name: 'time_ms', type: 'bigint', of: ({ timeMs }) => timeMs },
        ],
        records,
      ),
    )
    const held = records.flatMap(({ network, height, deposits }) =>
      deposits.map((name, place) => ({ network, height, place, ...name })),
    )
    work.write(
      insertInto(
        'block_deposits',
        [
          { name: 'network', type: 'text', of: ({ network }) => network },
          { name: 'tx_hash', type: 'text', of: ({ txHash }) => txHash },
          { name: 'index', type: 'bigint', of: ({ index }) => index },
          { name: 'height', type: 'bigint', of: ({ height }) => height },
          { name: 'place', type: 'bigint', of: ({ place }) => place },
        ],
        held,
      ),
    )
  },
}
