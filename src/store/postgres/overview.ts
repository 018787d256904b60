import type { ApiKey } from '../../domain/api-key.js'
import type { Deposit } from '../../domain/deposit.js'
import { firstIdAt, ID } from '../../domain/id.js'
import { keysText } from '../../domain/key-history.js'
import type { Wallet } from '../../domain/wallet.js'
import type { Delivery } from '../../domain/webhook.js'
import type { KnownOwner, OverviewPort, RecordCounts } from '../overview.js'
import type { InvoiceWithPayment, Page, PageOf } from '../reading.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import { pageOfDeposits } from './deposits/deposit-port.js'
import { type IdentityKeysColumns, toIdentityKeys } from './identity-keys.js'
import type { PostgresInvoices } from './invoices/invoice-port.js'
import { pageOfKeys } from './keys/key-port.js'
import { deliveriesSince, newestDeliveries } from './outbox/outbox-port.js'
import { numberOfCursor, pageOf } from './pages.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallets/wallet-rows.js'

/** Records of all owners. */
export class PostgresOverview implements OverviewPort {
  constructor(
    private readonly database: Database,
    private readonly ofInvoices: Pick<PostgresInvoices, 'newest'>,
  ) {}

  async counts(): Promise<RecordCounts> {
    const [row] = await this.database.readPage<RecordCounts>(sql`
      SELECT (SELECT count(*) FROM identities) AS identities, (SELECT count(*) FROM wallets) AS wallets,
        (SELECT count(*) FROM api_keys) AS keys, (SELECT count(*) FROM invoices) AS invoices,
        (SELECT count(*) FROM deposits) AS deposits, (SELECT count(*) FROM deliveries) AS deliveries`)
    if (row === undefined) throw new Error('the database does not count')
    return row
  }

  async owners({ after, limit }: Page): Promise<PageOf<KnownOwner>> {
    const rows = await this.database.readPage<IdentityKeysColumns & { owner: string; is_known: boolean }>(sql`
      SELECT o.owner, o.is_known, o.owner AS identity, k.pushed, NULL AS history FROM identities AS o
      LEFT JOIN identity_keys AS k ON k.identity = o.owner
      WHERE o.owner > ${after ?? ''} ORDER BY o.owner LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map(({ owner, is_known, ...kept }) => {
        return { item: { owner, isKnown: is_known, keys: keysText(toIdentityKeys(kept).pushed) }, id: owner }
      }),
      limit,
    )
  }

  async wallets({ after, limit }: Page): Promise<PageOf<Wallet>> {
    const rows = await this.database.readPage<WalletColumns>(sql`
      SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE w.no > ${numberOfCursor(after) ?? 0}::bigint
      ORDER BY w.no LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toWallet(row), id: String(row.no) })),
      limit,
    )
  }

  keys(page: Page): Promise<PageOf<ApiKey>> {
    return pageOfKeys(this.database, page)
  }

  invoices(page: Page): Promise<PageOf<InvoiceWithPayment>> {
    return this.ofInvoices.newest(page)
  }

  deliveries(page: Page): Promise<PageOf<Delivery>> {
    return newestDeliveries(this.database, page)
  }

  deposits(page: Page): Promise<PageOf<Deposit>> {
    return pageOfDeposits(this.database, page)
  }

  async deliveriesSince(owner: string, timeMs: number, { after, limit }: Page): Promise<PageOf<Delivery>> {
    if (after !== null && !ID.test(after)) return { items: [], next: null }
    const condition = after === null ? sql`d.id >= ${firstIdAt(timeMs)}::uuid` : sql`d.id > ${after}::uuid`
    const found = await deliveriesSince(this.database, owner, condition, limit + 1)
    return pageOf(
      found.map((item) => ({ item, id: item.id })),
      limit,
    )
  }
}
