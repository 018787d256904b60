import { derivedIdRange, indexOfDerived } from '../../../domain/derived-wallet.js'
import type { Outcome } from '../../../domain/failure.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import { type ClaimedWallet, flawOfWalletId, type Wallet } from '../../../domain/wallet.js'
import { WITHDRAWN_UNTIL, type WithdrawnWallet } from '../../../domain/withdrawal.js'
import type { Page, PageOf } from '../../reading.js'
import { answeredLater } from '../../rules/asking.js'
import { claimWallet, putWalletBack } from '../../rules/wallet-pool.js'
import type { WalletPort } from '../../wallets.js'
import { tracedIn } from '../audit.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import { numberOfCursor, pageOf } from '../pages.js'
import { free, poolWorkOn } from './pool-work.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallet-rows.js'
import { selectWithdrawn, toWithdrawn, type WithdrawalColumns } from './withdrawals.js'

/** A place in the pool of a network. */
const POOL_CURSOR = /^([0-9]{1,15}):(-?[0-9]{1,15})$/

/** Wallets, their addresses and owners. */
export class PostgresWallets implements WalletPort {
  /** Those that are looked for at once are read together. */
  private readonly found = new Batcher((ids: readonly string[]) => this.readAll(ids))

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<Wallet | undefined> {
    // What is no id must not fail the questions of others.
    return flawOfWalletId(id) === null ? this.found.ask(id) : undefined
  }

  at(network: Network, address: string): Promise<Wallet | undefined> {
    const canonical = canonicalAddress(address)
    return this.only(
      sql`w.id = (SELECT a.wallet_id FROM addresses AS a WHERE a.network = ${network} AND a.address = ${canonical})`,
    )
  }

  async page(owner: string, { after, limit }: Page): Promise<PageOf<Wallet>> {
    const before = numberOfCursor(after)
    if (before === undefined) return { items: [], next: null }
    const behind = before === null ? sql`` : sql`AND w.assignment_no < ${before}::bigint`
    const rows = await this.database.readPage<WalletColumns>(sql`
      SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE w.owner = ${owner} ${behind}
      ORDER BY w.assignment_no DESC LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toWallet(row), id: String(row.assignment_no) })),
      limit,
    )
  }

  /** In any collation these ids, which differ in digits only, are in the order of their indexes; others may stand among them. */
  async lastDerived(prefix: string): Promise<number | null> {
    const { low, high } = derivedIdRange(prefix)
    const row = await this.database.readOne<{ readonly id: string }>(sql`
      SELECT w.id FROM wallets AS w
      WHERE w.id >= ${low} AND w.id <= ${high} AND w.id COLLATE "C" ~ ${`^${prefix}[0-9]{10}$`} ORDER BY w.id DESC LIMIT 1`)
    return row === undefined ? null : indexOfDerived(prefix, row.id)
  }

  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
    return this.database.writeRequested((work) => answeredLater(claimWallet(poolWorkOn(work), network, leaseMs)))
  }

  async countUnassigned(network: Network): Promise<number> {
    const row = await this.database.readOne<{ count: number }>(
      sql`SELECT count(*) AS count FROM wallets AS w WHERE ${free(network)}`,
    )
    return row?.count ?? 0
  }

  /** Cursors are the end of the lease and the number of a wallet. */
  async unassigned(network: Network, { after, limit }: Page): Promise<PageOf<Wallet>> {
    const [, leasedUntil, no] = POOL_CURSOR.exec(after ?? '0:-1') ?? []
    if (leasedUntil === undefined || no === undefined) return { items: [], next: null }
    const rows = await this.database.read<WalletColumns & { readonly leased_until: number }>(sql`
      SELECT ${WALLET_COLUMNS}, w.leased_until FROM wallets AS w
      WHERE ${free(network)} AND (w.leased_until, w.no) > (${Number(leasedUntil)}::bigint, ${Number(no)}::bigint)
      ORDER BY w.leased_until, w.no LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toWallet(row), id: `${row.leased_until}:${row.no}` })),
      limit,
    )
  }

  async countClaimable(network: Network, limit: number): Promise<number> {
    const row = await this.database.readOne<{ count: number }>(sql`
      SELECT count(*) AS count FROM (
        SELECT 1 FROM wallets AS w WHERE ${free(network)} AND w.leased_until <= ${this.database.now} LIMIT ${limit}::bigint
      ) AS claimable`)
    return row?.count ?? 0
  }

  async countWithdrawn(network: Network): Promise<number> {
    const row = await this.database.readOne<{ count: number }>(sql`
      SELECT count(*) AS count FROM wallets AS w
      WHERE w.network = ${network} AND w.owner IS NULL AND w.leased_until = ${WITHDRAWN_UNTIL}::bigint`)
    return row?.count ?? 0
  }

  /** Cursors are wallet ids. */
  async withdrawn({ after, limit }: Page): Promise<PageOf<WithdrawnWallet>> {
    const rows = await this.database.readPage<WalletColumns & WithdrawalColumns>(selectWithdrawn(after, limit + 1))
    return pageOf(
      rows.map((row) => ({ item: toWithdrawn(row), id: row.id })),
      limit,
    )
  }

  putBack(id: string, leaseMs: number, trace?: string): Promise<Outcome<Wallet>> {
    return this.database.writeRequested((work) => tracedIn(work, trace, putWalletBack(poolWorkOn(work), id, leaseMs)))
  }

  private async readAll(ids: readonly string[]): Promise<ReadonlyMap<string, Wallet>> {
    const rows = await this.database.read<WalletColumns>(
      sql`SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE w.id = ANY(${ids}::text[])`,
    )
    return new Map(rows.map((row) => [row.id, toWallet(row)]))
  }

  private async only(condition: Fragment): Promise<Wallet | undefined> {
    const row = await this.database.readOne<WalletColumns>(
      sql`SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE ${condition}`,
    )
    return row === undefined ? undefined : toWallet(row)
  }
}
