import type { Network } from '../../../domain/network.js'
import { NEVER_WATCHED, type Watch } from '../../../domain/watch.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { Ask } from './block-rows.js'

export interface WatchColumns {
  readonly watched_at: number | null
  readonly first_wallet_at: number | null
  readonly watched_as: string | null
}

export function toWatch({ watched_at, first_wallet_at, watched_as }: WatchColumns): Watch {
  return { watchedAt: watched_at, firstWalletAt: first_wallet_at, settings: watched_as }
}

export async function findWatch(ask: Ask, network: Network): Promise<Watch> {
  const [row] = await ask<WatchColumns>(
    sql`SELECT watched_at, first_wallet_at, watched_as FROM chains WHERE network = ${network}`,
  )
  return row === undefined ? NEVER_WATCHED : toWatch(row)
}

/** Notes that a network is watched from now on, unless it was before. */
export async function noteWatched(work: Work, network: Network): Promise<Watch> {
  const nowMs = await work.readClock()
  work.write(sql`
    INSERT INTO chains AS c (network, bound, watched_at) VALUES (${network}, 0, ${nowMs}::bigint)
    ON CONFLICT (network) DO UPDATE SET watched_at = coalesce(c.watched_at, excluded.watched_at)`)
  return await findWatch((fragment) => work.rows(fragment), network)
}

export function noteSettings(work: Work, network: Network, settings: string): void {
  work.write(sql`
    INSERT INTO chains (network, bound, watched_as) VALUES (${network}, 0, ${settings})
    ON CONFLICT (network) DO UPDATE SET watched_as = excluded.watched_as`)
}

/** Writes what another store remembers. */
export function putWatch(work: Work, network: Network, { watchedAt, firstWalletAt, settings }: Watch): void {
  work.write(sql`
    INSERT INTO chains (network, bound, watched_at, first_wallet_at, watched_as)
    VALUES (${network}, 0, ${watchedAt}::bigint, ${firstWalletAt}::bigint, ${settings})
    ON CONFLICT (network) DO UPDATE SET watched_at = excluded.watched_at, first_wallet_at = excluded.first_wallet_at,
      watched_as = excluded.watched_as`)
}
