import type { Currency, CurrencyLabel } from '../../../domain/amount.js'
import type { Deposit, DepositReport } from '../../../domain/deposit.js'
import type { Network } from '../../../domain/network.js'
import type { DepositRecord } from '../../rules/deposit-work.js'
import type { Effect } from '../connection/effects.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { Place } from '../wallets/wallet-rows.js'

/** What names a deposit. */
export type DepositId = Pick<Deposit, 'network' | 'txHash' | 'index'>

/** A deposit as the store has it. */
export interface DepositRow extends DepositRecord<string> {
  readonly addressId: number
}

export interface DepositColumns {
  readonly network: Network
  readonly tx_hash: string
  readonly index: number
  readonly no: number
  readonly to_address: string
  readonly address_id: number
  readonly label: CurrencyLabel
  readonly amount: string
  readonly kind: DepositReport
  readonly received_at: number
  readonly confirmed_at: number | null
  readonly counted_as: Currency | null
  readonly atoms: bigint
  readonly invoice_id: string | null
  readonly is_pending_reached: boolean
  readonly is_confirmed_reached: boolean
  readonly is_late: boolean
}

export const DEPOSIT_COLUMNS = sql`d.network, d.tx_hash, d.index, d.no, d.to_address, d.address_id, d.label, d.amount, d.kind,
  d.received_at, d.confirmed_at, d.counted_as, d.atoms, d.invoice_id, d.is_pending_reached,
  d.is_confirmed_reached, d.is_late`

/** A condition on `deposits AS d`. */
export function isDeposit({ network, txHash, index }: DepositId): Fragment {
  return sql`d.network = ${network} AND d.tx_hash = ${txHash} AND d.index = ${index}::bigint`
}

/** Whether a deposit may have such an index: what is no number of the database finds nothing. */
export function isIndex(index: number): boolean {
  return Number.isSafeInteger(index)
}

export async function findDeposit(work: Work, id: DepositId): Promise<DepositRow | undefined> {
  return (await findDeposits(work, [id])).get(nameOf(id))
}

/** The places of the deposits that are known of these, read before anything is locked. */
export async function placesOfDeposits(work: Work, ids: readonly DepositId[]): Promise<readonly Place[]> {
  const asked = ids.filter(({ index }) => isIndex(index))
  if (asked.length === 0) return []
  const rows = await work.rows<Pick<DepositColumns, 'network' | 'to_address'>>(sql`
    SELECT d.network, d.to_address FROM deposits AS d JOIN unnest(
      ${asked.map(({ network }) => network)}::text[], ${asked.map(({ txHash }) => txHash)}::text[],
      ${asked.map(({ index }) => index)}::bigint[]
    ) AS asked (network, tx_hash, index)
      ON d.network = asked.network AND d.tx_hash = asked.tx_hash AND d.index = asked.index`)
  return rows.map(({ network, to_address }) => ({ network, toAddress: to_address }))
}

/**
 * The deposits that are known of these, by `nameOf`. They are locked, because the lock of an address keeps out only those reports of
 * a deposit that tell the same address.
 */
export async function findDeposits(work: Work, ids: readonly DepositId[]): Promise<ReadonlyMap<string, DepositRow>> {
  const asked = ids.filter(({ index }) => isIndex(index))
  if (asked.length === 0) return new Map()
  const rows = await work.rows<DepositColumns>(sql`
    SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d JOIN unnest(
      ${asked.map(({ network }) => network)}::text[], ${asked.map(({ txHash }) => txHash)}::text[],
      ${asked.map(({ index }) => index)}::bigint[]
    ) AS asked (network, tx_hash, index)
      ON d.network = asked.network AND d.tx_hash = asked.tx_hash AND d.index = asked.index
    ORDER BY d.network, d.tx_hash, d.index FOR UPDATE OF d`)
  return new Map(rows.map((row) => [nameOf(toDeposit(row)), toDepositRow(row)]))
}

/** Names a deposit. Neither a network nor an index has a colon. */
export function nameOf({ network, txHash, index }: DepositId): string {
  return `${network}:${index}:${txHash}`
}

function toDepositRow(columns: DepositColumns): DepositRow {
  return {
    deposit: toDeposit(columns),
    addressId: columns.address_id,
    countedAs: columns.counted_as,
    atoms: columns.atoms,
    invoiceId: columns.invoice_id,
    isPendingReached: columns.is_pending_reached,
    isConfirmedReached: columns.is_confirmed_reached,
    isLate: columns.is_late,
  }
}

export function toDeposit(columns: DepositColumns): Deposit {
  return {
    network: columns.network,
    txHash: columns.tx_hash,
    index: columns.index,
    toAddress: columns.to_address,
    currency: columns.label,
    amount: columns.amount,
    kind: columns.kind,
    receivedAt: columns.received_at,
    confirmedAt: columns.confirmed_at,
  }
}

/**
 * A deposit that is seen for the first time. Where another unit has seen it at the same time, at another address, the database
 * refuses it, and this one is tried again, when it knows what the other has found.
 */
export const NEW_DEPOSITS: Effect<DepositRow> = {
  table: 'deposits',
  nameOf: ({ deposit }) => nameOf(deposit),
  statement: (rows) => sql`
    INSERT INTO deposits (network, tx_hash, index, to_address, address_id, label, amount, kind, received_at, confirmed_at, counted_as,
      atoms, invoice_id, is_pending_reached, is_confirmed_reached, is_late)
    SELECT * FROM ${listed(rows)}`,
}

/** A deposit that is known, and locked. It keeps the number that it was given when it was first seen. */
export const KNOWN_DEPOSITS: Effect<DepositRow> = {
  table: 'deposits',
  nameOf: ({ deposit }) => nameOf(deposit),
  statement: (rows) => sql`
    UPDATE deposits AS d SET to_address = new.to_address, address_id = new.address_id, label = new.label, amount = new.amount,
      kind = new.kind, received_at = new.received_at, confirmed_at = new.confirmed_at, counted_as = new.counted_as,
      atoms = new.atoms, invoice_id = new.invoice_id, is_pending_reached = new.is_pending_reached,
      is_confirmed_reached = new.is_confirmed_reached, is_late = new.is_late
    FROM ${listed(rows)} WHERE d.network = new.network AND d.tx_hash = new.tx_hash AND d.index = new.index`,
}

function listed(rows: readonly DepositRow[]): Fragment {
  const column = <T>(of: (row: DepositRow) => T) => rows.map(of)
  const ofDeposit = <T>(of: (deposit: Deposit) => T) => rows.map(({ deposit }) => of(deposit))
  return sql`unnest(
      ${ofDeposit(({ network }) => network)}::text[], ${ofDeposit(({ txHash }) => txHash)}::text[],
      ${ofDeposit(({ index }) => index)}::bigint[], ${ofDeposit(({ toAddress }) => toAddress)}::text[],
      ${column(({ addressId }) => addressId)}::bigint[], ${ofDeposit(({ currency }) => currency)}::text[],
      ${ofDeposit(({ amount }) => amount)}::text[], ${ofDeposit(({ kind }) => kind)}::text[],
      ${ofDeposit(({ receivedAt }) => receivedAt)}::bigint[], ${ofDeposit(({ confirmedAt }) => confirmedAt)}::bigint[],
      ${column(({ countedAs }) => countedAs)}::text[], ${column(({ atoms }) => atoms)}::numeric[],
      ${column(({ invoiceId }) => invoiceId)}::uuid[], ${column((row) => row.isPendingReached)}::boolean[],
      ${column((row) => row.isConfirmedReached)}::boolean[], ${column(({ isLate }) => isLate)}::boolean[]
    ) AS new (network, tx_hash, index, to_address, address_id, label, amount, kind, received_at, confirmed_at, counted_as, atoms,
      invoice_id, is_pending_reached, is_confirmed_reached, is_late)`
}
