import type { Currency, CurrencyLabel } from '../../../domain/amount.js'
import type { Deposit, DepositReport } from '../../../domain/deposit.js'
import type { Network } from '../../../domain/network.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** What names a deposit. */
export type DepositId = Pick<Deposit, 'network' | 'txHash' | 'index'>

/** A deposit with what only the store knows of it. */
export interface DepositRow {
  readonly deposit: Deposit
  readonly addressId: number
  /** The currency it was counted as when it was recorded: a later change of configuration must not take out another amount. */
  readonly countedAs: Currency | null
  readonly atoms: bigint
  /** The invoice it notifies, chosen when it was first seen; null for none. */
  readonly invoiceId: string | null
  /** Statuses for which a delivery was entered, or would have been: never again. */
  readonly isPendingReached: boolean
  readonly isConfirmedReached: boolean
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
}

export const DEPOSIT_COLUMNS = sql`d.network, d.tx_hash, d.index, d.no, d.to_address, d.address_id, d.label, d.amount, d.kind,
  d.received_at, d.confirmed_at, d.counted_as, d.atoms, d.invoice_id, d.is_pending_reached, d.is_confirmed_reached`

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

/** The deposits that are known of these, by `nameOf`. */
export async function findDeposits(work: Work, ids: readonly DepositId[]): Promise<ReadonlyMap<string, DepositRow>> {
  const asked = ids.filter(({ index }) => isIndex(index))
  if (asked.length === 0) return new Map()
  const rows = await work.rows<DepositColumns>(sql`
    SELECT ${DEPOSIT_COLUMNS} FROM deposits AS d JOIN unnest(
      ${asked.map(({ network }) => network)}::text[], ${asked.map(({ txHash }) => txHash)}::text[],
      ${asked.map(({ index }) => index)}::bigint[]
    ) AS asked (network, tx_hash, index)
      ON d.network = asked.network AND d.tx_hash = asked.tx_hash AND d.index = asked.index`)
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

/** A deposit keeps the number that it was given when it was first seen. */
export function putDeposit(work: Work, row: DepositRow): void {
  const { deposit } = row
  work.write(sql`
    INSERT INTO deposits (network, tx_hash, index, to_address, address_id, label, amount, kind, received_at, confirmed_at, counted_as,
      atoms, invoice_id, is_pending_reached, is_confirmed_reached)
    VALUES (${deposit.network}, ${deposit.txHash}, ${deposit.index}::bigint, ${deposit.toAddress}, ${row.addressId}::bigint,
      ${deposit.currency}, ${deposit.amount}, ${deposit.kind}, ${deposit.receivedAt}::bigint, ${deposit.confirmedAt}::bigint,
      ${row.countedAs}, ${row.atoms}::numeric, ${row.invoiceId}::uuid, ${row.isPendingReached}, ${row.isConfirmedReached})
    ON CONFLICT (network, tx_hash, index) DO UPDATE SET to_address = excluded.to_address, address_id = excluded.address_id,
      label = excluded.label, amount = excluded.amount, kind = excluded.kind, received_at = excluded.received_at,
      confirmed_at = excluded.confirmed_at, counted_as = excluded.counted_as, atoms = excluded.atoms,
      invoice_id = excluded.invoice_id, is_pending_reached = excluded.is_pending_reached,
      is_confirmed_reached = excluded.is_confirmed_reached`)
}
