import type { BlockAside, DepositAside } from '../../../domain/aside.js'
import {
  BLOCK_ASIDE_COLUMNS,
  type BlockAsideColumns,
  DEPOSIT_ASIDE_COLUMNS,
  type DepositAsideColumns,
  putBlockAside,
  toBlockAside,
  toDepositAside,
} from '../chain/aside-rows.js'
import { sql } from '../connection/sql.js'
import { behindPlace, bytesOf, type Column, insertInto, networkOrder, type PostgresMovedKind } from './moved-kind.js'

interface Ordered {
  readonly network_order: string
}

export const blocksAside: PostgresMovedKind<'blocksAside', BlockAsideColumns & Ordered> = {
  select: (behind) => sql`
    SELECT ${BLOCK_ASIDE_COLUMNS}, ${networkOrder(sql`a.network`)} AS network_order FROM blocks_aside AS a
    ${behindPlace([networkOrder(sql`a.network`), sql`a.height`], ['text', 'bigint'], behind)}`,
  toRecord: ({ network_order, ...row }) => ({ record: toBlockAside(row), place: [network_order, row.height] }),
  write(work, records: readonly BlockAside[]) {
    for (const record of records) putBlockAside(work, record)
  },
}

const DEPOSIT: readonly Column<DepositAside>[] = [
  { name: 'network', type: 'text', of: ({ sighting }) => sighting.network },
  { name: 'tx_hash', type: 'text', of: ({ sighting }) => sighting.txHash },
  { name: 'index', type: 'bigint', of: ({ sighting }) => sighting.index },
  { name: 'to_address', type: 'text', of: ({ sighting }) => sighting.toAddress },
  { name: 'label', type: 'text', of: ({ sighting }) => sighting.currency },
  { name: 'amount', type: 'text', of: ({ sighting }) => sighting.amount },
  { name: 'received_at', type: 'bigint', of: ({ sighting }) => sighting.receivedAt },
  { name: 'report', type: 'text', of: ({ report }) => report },
  { name: 'height', type: 'bigint', of: ({ height }) => height },
  { name: 'error', type: 'text', of: ({ error }) => error },
  { name: 'since', type: 'bigint', of: ({ since }) => since },
]

export const depositsAside: PostgresMovedKind<'depositsAside', DepositAsideColumns & Ordered> = {
  select: (behind) => {
    const order = [networkOrder(sql`a.network`), sql`a.index`, bytesOf(sql`a.tx_hash`)]
    return sql`
      SELECT ${DEPOSIT_ASIDE_COLUMNS}, ${networkOrder(sql`a.network`)} AS network_order FROM deposits_aside AS a
      ${behindPlace(order, ['text', 'bigint', 'text'], behind)}`
  },
  toRecord: ({ network_order, ...row }) => ({
    record: toDepositAside(row),
    place: [network_order, row.index, row.tx_hash],
  }),
  write: (work, records) => work.write(insertInto('deposits_aside', DEPOSIT, records)),
}
