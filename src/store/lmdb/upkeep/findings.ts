import type { Violation } from '../../upkeep.js'
import { type TableName, titleOf } from '../tables/tables.js'
import { Balance, sumOf } from './balance.js'

/** Sums of a table whose rows are told one by one. The rest of a table with more is told as a number. */
const SUMS_EXAMINED = 256

/** The records that an index is made from. */
const RECORDS: Readonly<Partial<Record<TableName, TableName>>> = {
  addresses: 'wallets',
  ownerWallets: 'wallets',
  freeWallets: 'wallets',
  apiKeyIds: 'apiKeys',
  ownerApiKeys: 'apiKeys',
  activeApiKeys: 'apiKeys',
  walletSetNos: 'walletSets',
  importedInvoices: 'invoices',
  ownerInvoices: 'invoices',
  idempotencyExpiries: 'idempotencyKeys',
  references: 'invoices',
  openAmounts: 'invoices',
  openInvoices: 'invoices',
  openSets: 'walletSets',
  paidInvoices: 'invoices',
  unmatchedInvoices: 'invoices',
  matches: 'deposits',
  invoiceDeposits: 'deposits',
  voidInvoices: 'invoices',
  depositNumbers: 'deposits',
  receivedDeposits: 'deposits',
  expiries: 'invoices',
  seenTotals: 'deposits',
  confirmedTotals: 'deposits',
  unmatchedSeenTotals: 'deposits',
  unmatchedConfirmedTotals: 'deposits',
  blockDeposits: 'blocks',
  eventTimes: 'events',
  queuedDeliveries: 'deliveries',
  attemptedDeliveries: 'deliveries',
  waitingDeliveries: 'deliveries',
  ownerDeliveries: 'deliveries',
}

/** A row that is called for more or less often than it is there. */
interface Uneven {
  readonly key: Buffer
  /** The record that calls for it, as people read it; null when none does. */
  source: string | null
  count: number
}

/** The first reading: adds up. */
export class Sums {
  private readonly balances = new Map<TableName, Balance>()

  add(table: TableName, key: Uint8Array, value: Uint8Array, count: number): void {
    let balance = this.balances.get(table)
    if (balance === undefined) {
      balance = new Balance()
      this.balances.set(table, balance)
    }
    balance.add(key, value, count)
  }

  /** What a second reading has to look at; null when everything fits. */
  suspects(): Suspects | null {
    const uneven = new Map<TableName, ReadonlySet<number>>()
    for (const [table, balance] of this.balances) {
      const sums = balance.uneven()
      if (sums.size > 0) uneven.set(table, sums)
    }
    return uneven.size === 0 ? null : new Suspects(uneven)
  }
}

/** The second reading, when the sums of some tables do not fit: finds the rows. */
export class Suspects {
  private readonly rows = new Map<TableName, Map<string, Uneven>>()
  private readonly examined = new Map<TableName, ReadonlySet<number>>()
  /** Uneven sums that are not examined: each has one wrong row at least. */
  readonly more: number

  constructor(uneven: ReadonlyMap<TableName, ReadonlySet<number>>) {
    let more = 0
    for (const [table, sums] of uneven) {
      this.examined.set(table, new Set([...sums].slice(0, SUMS_EXAMINED)))
      this.rows.set(table, new Map())
      more += Math.max(0, sums.size - SUMS_EXAMINED)
    }
    this.more = more
  }

  /** `source` is called only for a row that is looked at. */
  add(table: TableName, key: Uint8Array, value: Uint8Array, count: number, source: () => string | null): void {
    if (this.examined.get(table)?.has(sumOf(key, value)) !== true) return
    const rows = this.rows.get(table)
    const name = Buffer.concat([key, Buffer.of(0), value]).toString('latin1') + key.length
    const known = rows?.get(name)
    if (known === undefined) rows?.set(name, { key: Buffer.from(key), source: source(), count })
    else {
      known.count += count
      known.source ??= source()
    }
  }

  *violations(): Generator<Violation> {
    for (const [table, rows] of this.rows) {
      for (const { key, source, count } of rows.values()) {
        if (count === 0) continue
        yield { table: titleOf(table), row: shown(key), what: whatIsWrong(table, source, count) }
      }
    }
  }
}

function whatIsWrong(table: TableName, source: string | null, count: number): string {
  if (count > 0) return `${source ?? 'a record'} calls for this row, which is missing or another one`
  if (source !== null) return `it is there more often than ${source} calls for it`
  const records = RECORDS[table]
  return `no record${records === undefined ? '' : ` of ${titleOf(records)}`} calls for this row`
}

const PRINTABLE = /^[\x20-\x7e]+$/

/** A key as people read it: as text when it is one, without anything that a terminal obeys. */
export function shown(key: Uint8Array): string {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  const text = bytes.toString('latin1')
  return PRINTABLE.test(text) ? JSON.stringify(text) : bytes.toString('hex')
}
