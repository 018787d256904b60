import type { Deposit } from '../../domain/deposit.js'
import { canonicalAddress, type Network, type Networks } from '../../domain/network.js'
import type { Wallet } from '../../domain/wallet.js'
import type { InvoiceWithPayment, Page, PageOf } from '../reading.js'
import { answeredLater } from '../rules/asking.js'
import { CALLBACK } from '../rules/callbacks.js'
import { findByInvoiceId, type InvoiceIdWork } from '../rules/invoice-ids.js'
import { SEARCHED_ROWS_MAX, type SearchPort } from '../search.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'
import { DEPOSIT_COLUMNS, type DepositColumns, toDeposit } from './deposits/deposit-rows.js'
import type { PostgresInvoices } from './invoices/invoice-port.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallets/wallet-rows.js'

/**
 * Finds records by how something of them begins, in the order of the indexes that there are, from where the text stands. Where texts are
 * compared by their bytes, those that begin with it are the next ones. In another collation texts that differ in case or punctuation may
 * stand between them.
 */
export class PostgresSearch implements SearchPort {
  constructor(
    private readonly database: Database,
    private readonly invoices: Pick<PostgresInvoices, 'found'>,
    private readonly networks: Networks,
  ) {}

  byOrderNumber(beginning: string, limit: number): Promise<readonly InvoiceWithPayment[]> {
    return this.named(sql`order_number`, beginning, limit)
  }

  byReference(beginning: string, limit: number): Promise<readonly InvoiceWithPayment[]> {
    return this.named(sql`reference`, beginning, limit)
  }

  byInvoiceId(beginning: string, limit: number): Promise<readonly InvoiceWithPayment[]> {
    const work: InvoiceIdWork = {
      imported: () => this.named(sql`imported_as`, beginning, limit),
      between: (first, last) =>
        this.invoices.found(
          sql`i.id >= ${first}::uuid AND i.id <= ${last}::uuid AND i.imported_as IS NULL`,
          sql`ORDER BY i.id LIMIT ${limit}::bigint`,
        ),
    }
    return answeredLater(findByInvoiceId(work, beginning, limit))
  }

  async byAddress(network: Network, beginning: string, limit: number): Promise<readonly Wallet[]> {
    if (beginning === '') return []
    const wanted = canonicalAddress(beginning)
    const rows = await this.database.readPage<WalletColumns>(sql`
      SELECT ${WALLET_COLUMNS} FROM (
        SELECT a.address, a.wallet_id FROM addresses AS a WHERE a.network = ${network} AND a.address >= ${wanted}
        ORDER BY a.address LIMIT ${SEARCHED_ROWS_MAX}::bigint
      ) AS found JOIN wallets AS w ON w.id = found.wallet_id
      WHERE ${beginsWith(sql`found.address`, wanted)} ORDER BY found.address LIMIT ${limit}::bigint`)
    return rows.map(toWallet)
  }

  async byTransaction(network: Network, beginnings: readonly string[], { limit }: Page): Promise<PageOf<Deposit>> {
    const items: Deposit[] = []
    for (const beginning of beginnings.filter((one) => one !== '')) {
      const rows = await this.database.readPage<DepositColumns>(sql`
        SELECT ${DEPOSIT_COLUMNS} FROM (
          SELECT * FROM deposits AS all_of WHERE all_of.network = ${network} AND all_of.tx_hash >= ${beginning}
          ORDER BY all_of.tx_hash, all_of.index LIMIT ${SEARCHED_ROWS_MAX}::bigint
        ) AS d WHERE ${beginsWith(sql`d.tx_hash`, beginning)} ORDER BY d.index, d.tx_hash
        LIMIT ${limit - items.length}::bigint`)
      items.push(...rows.map(toDeposit))
    }
    return { items, next: null }
  }

  async unmatchedTo(network: Network, address: string, limit: number): Promise<readonly Deposit[]> {
    const rows = await this.database.readPage<DepositColumns>(sql`
      SELECT ${DEPOSIT_COLUMNS} FROM addresses AS a CROSS JOIN unnest(${this.networks.currenciesOn(network)}::text[]) AS c (currency)
      CROSS JOIN LATERAL (
        SELECT * FROM deposits AS one WHERE one.address_id = a.id AND one.counted_as = c.currency AND one.invoice_id IS NULL
          AND one.kind <> 'dropped'
        ORDER BY one.received_at DESC, one.no DESC LIMIT ${limit}::bigint
      ) AS d WHERE a.network = ${network} AND a.address = ${canonicalAddress(address)}
      ORDER BY d.received_at DESC, d.no DESC LIMIT ${limit}::bigint`)
    return rows.map(toDeposit)
  }

  invoicesOn(walletId: string, owner: string, limit: number): Promise<readonly InvoiceWithPayment[]> {
    return this.invoices.found(
      sql`i.id IN (
        SELECT f.invoice_id FROM (
          (SELECT p.invoice_id FROM open_places AS p WHERE ${isOn(walletId, owner)}
           ORDER BY p.set_id DESC, p.currency DESC, p.callback DESC, p.invoice_id DESC LIMIT ${SEARCHED_ROWS_MAX}::bigint)
          UNION ALL
          (SELECT paid.invoice_id FROM unnest(${this.networks.knownCurrencies}::text[]) AS c (currency)
           CROSS JOIN unnest(${Object.values(CALLBACK)}::smallint[]) AS k (callback)
           CROSS JOIN LATERAL (
             SELECT p.invoice_id FROM paid_places AS p
             WHERE ${isOn(walletId, owner)} AND p.currency = c.currency AND p.callback = k.callback
             ORDER BY p.invoice_id DESC LIMIT ${limit}::bigint
           ) AS paid)
          UNION ALL
          (SELECT ended.invoice_id FROM unnest(${this.networks.knownCurrencies}::text[]) AS c (currency) CROSS JOIN LATERAL (
             SELECT p.invoice_id FROM void_places AS p WHERE ${isOn(walletId, owner)} AND p.currency = c.currency
             ORDER BY p.voided_at DESC, p.invoice_id DESC LIMIT ${limit}::bigint
           ) AS ended)
        ) AS f ORDER BY f.invoice_id DESC LIMIT ${limit}::bigint)`,
      sql`ORDER BY i.id DESC`,
    )
  }

  private async named(column: Fragment, beginning: string, limit: number): Promise<readonly InvoiceWithPayment[]> {
    if (beginning === '') return []
    return await this.invoices.found(
      sql`i.id IN (
        SELECT f.id FROM (
          SELECT n.id, n.${column} AS name FROM invoices AS n WHERE n.${column} >= ${beginning} AND n.${column} IS NOT NULL
          ORDER BY n.${column} LIMIT ${SEARCHED_ROWS_MAX}::bigint
        ) AS f WHERE ${beginsWith(sql`f.name`, beginning)} ORDER BY f.name LIMIT ${limit}::bigint)`,
      sql`ORDER BY i.${column}, i.id`,
    )
  }
}

/** Of `open_places AS p`, `paid_places AS p` or `void_places AS p`. */
function isOn(walletId: string, owner: string): Fragment {
  return sql`p.wallet_id = ${walletId} AND p.owner = ${owner}`
}

function beginsWith(column: Fragment, beginning: string): Fragment {
  return sql`left(${column}, length(${beginning}::text)) = ${beginning}`
}
