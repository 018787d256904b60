import type { Currency } from '../../../domain/amount.js'
import { firstIdAt } from '../../../domain/id.js'
import { behindPiece, unsettledBy } from '../../rules/unsettled-wallets.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { lockWithPartners } from '../wallets/wallet-rows.js'
import { STATE } from './invoice-rows.js'
import { lockInvoices, settleIfPaid } from './settle.js'

/** Open invoices that are examined in one piece. */
const EXAMINED_AT_ONCE = 50

/** Which open invoices a deposit counts for: those in its currency that were created before it. */
export interface PayingDeposit {
  readonly currency: Currency
  readonly receivedAt: number
}

interface UnsettledColumns {
  readonly wallet_id: string
  readonly is_again: boolean
  readonly is_aloud: boolean
  /** A `Place` as JSON; null to begin. */
  readonly examined_to: string | null
}

/** Where an open invoice stands among those of its wallet. */
interface Place {
  readonly owner: string
  /** Hex. */
  readonly set_id: string
  readonly currency: string
  readonly callback: number
  readonly invoice_id: string
}

/** A confirmed deposit to a locked wallet, which is counted already. */
export interface Payment extends PayingDeposit {
  readonly walletId: string
  /** Invoices that are examined with it at most. */
  readonly limit: number
}

/**
 * The ids of open invoices that confirmed deposits to as many wallets may have paid, of each those that are to be examined with it; more
 * of them follow later.
 */
export async function othersPaid(work: Work, payments: readonly Payment[]): Promise<readonly (readonly string[])[]> {
  const walletIds = payments.map(({ walletId }) => walletId)
  const limit = Math.max(...payments.map((payment) => payment.limit))
  // A wallet that is not settled is examined again, and then with what was paid now.
  const places = await work.written<Place & { readonly wallet_id: string }>(sql`
    WITH unsettled AS (
      UPDATE unsettled_wallets SET is_again = true, is_aloud = is_aloud OR ${!work.isSilent}
      WHERE wallet_id = ANY(${walletIds}::text[]) RETURNING wallet_id
    )
    SELECT first.* FROM unnest(${walletIds}::text[]) AS paid (wallet_id) CROSS JOIN LATERAL (
      SELECT p.wallet_id, p.owner, encode(p.set_id, 'hex') AS set_id, p.currency, p.callback, p.invoice_id
      FROM open_places AS p WHERE p.wallet_id = paid.wallet_id
      ORDER BY p.owner, p.set_id, p.currency, p.callback, p.invoice_id LIMIT ${limit}::bigint
    ) AS first WHERE NOT EXISTS (SELECT FROM unsettled WHERE unsettled.wallet_id = paid.wallet_id)`)
  const byWallet = new Map<string, Place[]>(walletIds.map((walletId) => [walletId, []]))
  for (const { wallet_id: walletId, ...place } of places) byWallet.get(walletId)?.push(place)
  return payments.map((payment) => {
    const { walletId } = payment
    const own = byWallet.get(walletId) ?? []
    const left = unsettledBy(endOf(own, limit), !work.isSilent)
    if (left !== null) {
      work.write(sql`
        INSERT INTO unsettled_wallets (wallet_id, is_again, is_aloud, examined_to)
        VALUES (${walletId}, ${left.isAgain}, ${left.isAloud}, ${left.examinedTo})`)
    }
    return own.filter((place) => isCounted(place, payment)).map(({ invoice_id }) => invoice_id)
  })
}

/** Whether there is something for `settlePiece`. */
export async function isUnsettled(database: Database): Promise<boolean> {
  return (await database.read(sql`SELECT 1 FROM unsettled_wallets LIMIT 1`)).length > 0
}

/** Examines the next piece of the next wallet behind `after`, in turn. Answers that wallet; null when there was none. */
export async function settlePiece(work: Work, after: string): Promise<string | null> {
  const next = await work.row<Pick<UnsettledColumns, 'wallet_id'>>(
    sql`SELECT wallet_id FROM unsettled_wallets ORDER BY wallet_id <= ${after}, wallet_id LIMIT 1`,
  )
  if (next === undefined) return null
  const { wallet_id: walletId } = next
  lockWithPartners(work, sql`SELECT ${walletId} AS id`)
  const known = await work.row<UnsettledColumns>(
    sql`SELECT wallet_id, is_again, is_aloud, examined_to FROM unsettled_wallets WHERE wallet_id = ${walletId}`,
  )
  if (known === undefined) return walletId
  if (!known.is_aloud) work.silence()
  const places = await placesBehind(work, walletId, known.examined_to, EXAMINED_AT_ONCE)
  await examine(
    work,
    places.map(({ invoice_id }) => invoice_id),
  )
  const before = { isAgain: known.is_again, isAloud: known.is_aloud, examinedTo: known.examined_to }
  const left = behindPiece(before, endOf(places, EXAMINED_AT_ONCE))
  if (left === null) {
    work.write(sql`DELETE FROM unsettled_wallets WHERE wallet_id = ${walletId}`)
  } else {
    work.write(sql`
      UPDATE unsettled_wallets SET examined_to = ${left.examinedTo}, is_again = ${left.isAgain} WHERE wallet_id = ${walletId}`)
  }
  return walletId
}

/** The next `limit` places of open invoices on a wallet behind one of them. */
function placesBehind(work: Work, walletId: string, after: string | null, limit: number): Promise<readonly Place[]> {
  const behind = after === null ? sql`` : isBehind(JSON.parse(after) as Place)
  return work.rows<Place>(sql`
    SELECT owner, encode(set_id, 'hex') AS set_id, currency, callback, invoice_id FROM open_places AS p
    WHERE wallet_id = ${walletId} ${behind}
    ORDER BY p.owner, p.set_id, p.currency, p.callback, p.invoice_id LIMIT ${limit}::bigint`)
}

/** The last of the places, to go on behind it; null when there are no more. */
function endOf(places: readonly Place[], limit: number): string | null {
  const last = places.at(-1)
  return last === undefined || places.length < limit ? null : JSON.stringify(last)
}

/** Finds open invoices that are paid. */
async function examine(work: Work, ids: readonly string[]): Promise<void> {
  for (const row of await lockInvoices(work, ids)) if (row.state === STATE.open) settleIfPaid(work, row)
}

function isBehind({ owner, set_id, currency, callback, invoice_id }: Place): Fragment {
  return sql`AND (p.owner, p.set_id, p.currency, p.callback, p.invoice_id)
    > (${owner}, ${Buffer.from(set_id, 'hex')}::bytea, ${currency}, ${callback}::smallint, ${invoice_id}::uuid)`
}

function isCounted({ currency, invoice_id }: Place, deposit: PayingDeposit): boolean {
  return currency === deposit.currency && invoice_id < firstIdAt(deposit.receivedAt)
}
