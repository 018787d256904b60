import type { Outcome } from '../../../domain/failure.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { ClaimedWallet, Wallet } from '../../../domain/wallet.js'
import { LEASE_END_MAX, WITHDRAWN_UNTIL, type WithdrawnWallet } from '../../../domain/withdrawal.js'
import type { Page, PageOf, WalletPort } from '../../store.js'
import { noteDone } from '../audit.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { numberOfCursor, pageOf } from '../pages.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallet-rows.js'
import { putBack, selectWithdrawn, toWithdrawn, type WithdrawalColumns } from './withdrawals.js'

/** A place in the pool of a network. */
const POOL_CURSOR = /^([0-9]{1,15}):(-?[0-9]{1,15})$/

/** The pool of a network, in the order in which its wallets are claimed. */
function free(network: Network): Fragment {
  return sql`w.network = ${network} AND w.owner IS NULL AND w.leased_until < ${WITHDRAWN_UNTIL}::bigint`
}

/** Wallets, their addresses and owners. */
export class PostgresWallets implements WalletPort {
  constructor(private readonly database: Database) {}

  find(id: string): Promise<Wallet | undefined> {
    return this.only(sql`w.id = ${id}`)
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
    const rows = await this.database.read<WalletColumns>(sql`
      SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE w.owner = ${owner} ${behind}
      ORDER BY w.assignment_no DESC LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toWallet(row), id: String(row.assignment_no) })),
      limit,
    )
  }

  claim(network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
    return this.database.writeRequested((work) => claimWallet(work, network, leaseMs))
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
    const rows = await this.database.read<WalletColumns & WithdrawalColumns>(selectWithdrawn(after, limit + 1))
    return pageOf(
      rows.map((row) => ({ item: toWithdrawn(row), id: row.id })),
      limit,
    )
  }

  putBack(id: string, leaseMs: number, trace?: string): Promise<Outcome<Wallet>> {
    return this.database.writeRequested(async (work) => {
      const outcome = await putBack(work, id, leaseMs)
      if (outcome.ok) await noteDone(work, trace)
      return outcome
    })
  }

  private async only(condition: Fragment): Promise<Wallet | undefined> {
    const row = await this.database.readOne<WalletColumns>(
      sql`SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE ${condition}`,
    )
    return row === undefined ? undefined : toWallet(row)
  }
}

/** Times that a claim looks again because another one was given the wallet that it waited for. */
const LOOKS_MAX = 10

/**
 * Hands out the wallet that has been free the longest. Claims at the same time pass over each other's, and over wallets that are
 * locked for another reason; only when nothing else is left they wait for those.
 */
async function claimWallet(work: Work, network: Network, leaseMs: number): Promise<ClaimedWallet | null> {
  const nowMs = await work.readClock()
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const wallet =
      (await findClaimable(work, network, nowMs, sql`FOR UPDATE SKIP LOCKED`)) ??
      (await findClaimable(work, network, nowMs, sql`FOR UPDATE`))
    if (wallet !== undefined) return lease(work, wallet, nowMs + leaseMs)
    if ((await findClaimable(work, network, nowMs, sql``)) === undefined) return null
  }
  return null
}

function lease(work: Work, { id, address }: WalletColumns, endMs: number): ClaimedWallet {
  if (address === null) throw new Error('the pool of wallets names one that has no address')
  work.write(sql`UPDATE wallets SET leased_until = ${Math.min(endMs, LEASE_END_MAX)}::bigint WHERE id = ${id}`)
  return { id, address }
}

function findClaimable(
  work: Work,
  network: Network,
  nowMs: number,
  rest: Fragment,
): Promise<WalletColumns | undefined> {
  return work.row<WalletColumns>(sql`
    SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE ${free(network)} AND w.leased_until <= ${nowMs}::bigint
    ORDER BY w.leased_until, w.no LIMIT 1 ${rest}`)
}
