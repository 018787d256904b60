import type { Deposit } from '../../../domain/deposit.js'
import type { Network, Networks } from '../../../domain/network.js'
import type { StrayDeposit } from '../../../domain/payment.js'
import type { Span } from '../../../domain/zone.js'
import type { DepositPort, StraySearch } from '../../deposits.js'
import type { Page, PageOf } from '../../reading.js'
import type { ReceivedDeposit } from '../../received.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { numberOfCursor, pageOf } from '../pages.js'
import { DEPOSIT_COLUMNS, type DepositColumns, isDeposit, isIndex, toDeposit } from './deposit-rows.js'
import { pageReceived } from './received.js'
import { strayDeposits } from './stray-deposits.js'

/** Reads deposits. */
export class PostgresDeposits implements DepositPort {
  constructor(
    private readonly database: Database,
    private readonly networks: Networks,
  ) {}

  async find(network: Network, txHash: string, index: number): Promise<Deposit | undefined> {
    if (!isIndex(index)) return undefined
    const row = await this.database.readOne<DepositColumns>(
      sql`SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d WHERE ${isDeposit({ network, txHash, index })}`,
    )
    return row === undefined ? undefined : toDeposit(row)
  }

  strays(search: StraySearch, limit: number): Promise<readonly StrayDeposit[]> {
    return strayDeposits(this.database, this.networks, search, limit)
  }

  received(span: Span, page: Page): Promise<PageOf<ReceivedDeposit>> {
    return pageReceived(this.database, span, page)
  }

  /** In the order in which they were first seen. */
  async page(network: Network, { after, limit }: Page): Promise<PageOf<Deposit>> {
    const behind = numberOfCursor(after) ?? 0
    const rows = await this.database.readPage<DepositColumns>(sql`
      SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d WHERE d.network = ${network} AND d.no > ${behind}::bigint
      ORDER BY d.no LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toDeposit(row), id: String(row.no) })),
      limit,
    )
  }
}

/** Lists the deposits of all networks in the order in which they were first seen, newest first. */
export async function pageOfDeposits(database: Database, { after, limit }: Page): Promise<PageOf<Deposit>> {
  const before = numberOfCursor(after)
  if (before === undefined) return { items: [], next: null }
  const behind = before === null ? sql`` : sql`WHERE d.no < ${before}::bigint`
  const rows = await database.readPage<DepositColumns>(
    sql`SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d ${behind} ORDER BY d.no DESC LIMIT ${limit + 1}::bigint`,
  )
  return pageOf(
    rows.map((row) => ({ item: toDeposit(row), id: String(row.no) })),
    limit,
  )
}
