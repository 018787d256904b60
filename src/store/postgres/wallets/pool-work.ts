import type { Network } from '../../../domain/network.js'
import type { Wallet } from '../../../domain/wallet.js'
import { WITHDRAWN_UNTIL } from '../../../domain/withdrawal.js'
import type { PoolWork } from '../../rules/wallet-pool.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { toWallet, WALLET_COLUMNS, type WalletColumns } from './wallet-rows.js'
import { toWithdrawal, WITHDRAWAL_COLUMNS, type WithdrawalColumns } from './withdrawals.js'

/** Times that a claim looks again because another one was given the wallet that it waited for. */
const LOOKS_MAX = 10

/** The pool of a network, in the order in which its wallets are claimed. */
export function free(network: Network): Fragment {
  return sql`w.network = ${network} AND w.owner IS NULL AND w.leased_until < ${WITHDRAWN_UNTIL}::bigint`
}

/** What a unit of work does for the pool of wallets. */
export function poolWorkOn(work: Work): PoolWork {
  const lease = (id: string, endMs: number) => {
    work.write(sql`UPDATE wallets SET leased_until = ${endMs}::bigint WHERE id = ${id}`)
  }
  return {
    readClock: () => work.readClock(),
    /**
     * Claims at the same time pass over each other's wallets, and over those that are locked for another reason; only when nothing
     * else is left they wait for those.
     */
    async longestFree(network, nowMs) {
      for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
        const wallet =
          (await firstFree(work, network, nowMs, sql`FOR UPDATE SKIP LOCKED`)) ??
          (await firstFree(work, network, nowMs, sql`FOR UPDATE`))
        if (wallet !== undefined) return wallet
        if ((await firstFree(work, network, nowMs, sql``)) === undefined) return undefined
      }
      return undefined
    },
    async wallet(id) {
      const row = await work.row<WalletColumns & WithdrawalColumns & { readonly leased_until: number }>(sql`
        SELECT ${WALLET_COLUMNS}, ${WITHDRAWAL_COLUMNS}, w.leased_until
        FROM wallets AS w LEFT JOIN withdrawn_wallets AS x ON x.wallet_id = w.id WHERE w.id = ${id} FOR UPDATE OF w`)
      if (row === undefined) return undefined
      return { wallet: toWallet(row), leasedUntil: row.leased_until, withdrawal: toWithdrawal(row) }
    },
    lease,
    /** Where another unit makes the same row at the same time, the database refuses one of them, and it is tried again. */
    withdraw(id, { umid, ledgerMs, at }, isKnown) {
      if (isKnown) lease(id, WITHDRAWN_UNTIL)
      else work.write(sql`INSERT INTO wallets (id, leased_until) VALUES (${id}, ${WITHDRAWN_UNTIL}::bigint)`)
      work.write(sql`
        INSERT INTO withdrawn_wallets (wallet_id, umid, ledger_ms, at) VALUES (${id}, ${umid}, ${ledgerMs}::bigint, ${at}::bigint)
        ON CONFLICT (wallet_id) DO UPDATE SET umid = excluded.umid, ledger_ms = excluded.ledger_ms, at = excluded.at`)
    },
  }
}

async function firstFree(work: Work, network: Network, nowMs: number, rest: Fragment): Promise<Wallet | undefined> {
  const row = await work.row<WalletColumns>(sql`
    SELECT ${WALLET_COLUMNS} FROM wallets AS w WHERE ${free(network)} AND w.leased_until <= ${nowMs}::bigint
    ORDER BY w.leased_until, w.no LIMIT 1 ${rest}`)
  return row === undefined ? undefined : toWallet(row)
}
