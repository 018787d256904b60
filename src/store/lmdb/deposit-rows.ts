import type { Currency } from '../../domain/currency.js'
import { CURRENCIES } from '../../domain/currency.js'
import type { Deposit } from '../../domain/deposit.js'
import { NETWORKS, type Network } from '../../domain/network.js'
import type { Page, PageOf } from '../pages.js'
import { bigintFromBytes, bigintToBytes, isKey } from './bytes.js'
import { recordCodec } from './record-codec.js'
import type { Table } from './tables.js'

/** A deposit with what only the store knows of it. */
export interface DepositRow extends Deposit {
  readonly no: number
  readonly addressNo: number
  /** What it was counted as when it was recorded: a later change of configuration must not take out another amount. */
  readonly countedAs: Currency | null
  readonly atoms: bigint
  /** The invoice it notifies, chosen when it was first seen; null for none. */
  readonly invoiceId: Uint8Array | null
  /** Statuses for which a delivery was entered, or would have been: never again. */
  readonly isPendingReached: boolean
  readonly isConfirmedReached: boolean
}

const KINDS = ['pending', 'confirmed', 'dropped'] as const

const codec = recordCodec<DepositRow>(
  'deposits',
  1,
  (row) => [
    row.network,
    row.txHash,
    row.index,
    row.toAddress,
    row.currency,
    row.amount,
    row.kind,
    row.receivedAt,
    row.confirmedAt,
    row.no,
    row.addressNo,
    row.countedAs,
    bigintToBytes(row.atoms),
    row.invoiceId,
    row.isPendingReached,
    row.isConfirmedReached,
  ],
  (fields) => ({
    network: fields.oneOf(NETWORKS),
    txHash: fields.text(),
    index: fields.integer(),
    toAddress: fields.text(),
    currency: fields.textOrNull(),
    amount: fields.text(),
    kind: fields.oneOf(KINDS),
    receivedAt: fields.integer(),
    confirmedAt: fields.integerOrNull(),
    no: fields.integer(),
    addressNo: fields.integer(),
    countedAs: fields.oneOfOrNull(CURRENCIES),
    atoms: bigintFromBytes(fields.bytes()),
    invoiceId: fields.bytesOrNull(),
    isPendingReached: fields.flag(),
    isConfirmedReached: fields.flag(),
  }),
)

/** The table of deposits, by their identity. */
export class DepositRows {
  constructor(private readonly table: Table) {}

  get(key: Buffer): DepositRow | undefined {
    const bytes = isKey(key) ? this.table.getBinaryFast(key) : undefined
    return bytes === undefined ? undefined : codec.decode(bytes)
  }

  put(key: Buffer, row: DepositRow): void {
    this.table.putSync(key, codec.encode(row))
  }

  *all(): Generator<DepositRow> {
    for (const { value } of this.table.getRange()) yield codec.decode(value)
  }

  find(network: Network, txHash: string, index: number): Deposit | undefined {
    const row = this.get(depositKey(network, txHash, index))
    return row === undefined ? undefined : toDeposit(row)
  }

  /** In the order of the keys. A cursor is the last key read, in hex; one of another form reads from the beginning. */
  pageOf(network: Network, page: Page): PageOf<Deposit> {
    const first = Buffer.of(NETWORKS.indexOf(network))
    const start = page.after === null ? first : Buffer.concat([Buffer.from(page.after, 'hex'), Buffer.of(0)])
    const end = Buffer.of(NETWORKS.indexOf(network) + 1)
    const items: Deposit[] = []
    let last: Buffer | null = null
    for (const { key, value } of this.table.getRange({ start, end, limit: page.limit })) {
      items.push(toDeposit(codec.decode(value)))
      last = key
    }
    return { items, next: items.length < page.limit ? null : (last?.toString('hex') ?? null) }
  }
}

export function toDeposit(row: DepositRow): Deposit {
  return {
    network: row.network,
    txHash: row.txHash,
    index: row.index,
    toAddress: row.toAddress,
    currency: row.currency,
    amount: row.amount,
    kind: row.kind,
    receivedAt: row.receivedAt,
    confirmedAt: row.confirmedAt,
  }
}

/** The key of a deposit: network, index, transaction hash. */
export function depositKey(network: Network, txHash: string, index: number): Buffer {
  const head = Buffer.allocUnsafe(5)
  head[0] = NETWORKS.indexOf(network)
  head.writeUInt32BE(index, 1)
  return Buffer.concat([head, Buffer.from(txHash)])
}
