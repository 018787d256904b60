import { BoundedMap } from '../../../base/bounded-map.js'
import type { Network } from '../../../domain/network.js'
import type { Violation } from '../../upkeep.js'
import { type IdentityRow, identityCodec } from '../identities/identities.js'
import type { WalletSet } from '../invoices/wallet-set.js'
import { walletSetCodec } from '../invoices/wallet-sets.js'
import { CurrencyNumbers } from '../tables/currencies.js'
import { isKey, type Numbers, numberKey, type SetNo } from '../tables/keys.js'
import { CorruptRecord, type RecordCodec } from '../tables/record-codec.js'
import { NOTHING, type TableName, titleOf } from '../tables/tables.js'
import { type WalletRow, walletCodec } from '../wallets/wallet-row.js'
import { shown } from './findings.js'
import type { HeldTables } from './held-data.js'
import { LoggedEvents } from './logged-events.js'
import { type AllNumbers, noNumbers } from './numbers.js'

/** Rows of a kind that are kept while others refer to them again and again. */
const ROWS_KEPT = 32_768

/** Takes the rows that are called for (positive count) and those that are there (negative). */
export type Tally = (
  table: TableName,
  key: Uint8Array,
  value: Uint8Array,
  count: number,
  source: () => string | null,
) => void

/** One reading of all tables, as the rules see it. */
export class Reading {
  readonly numbers: AllNumbers = noNumbers()
  readonly logged: LoggedEvents
  readonly currencies: CurrencyNumbers
  /** The networks that have a confirmed height. */
  readonly chains = new Set<Network>()
  /** The networks that have an address. */
  readonly used = new Set<Network>()
  private readonly identities = new BoundedMap<string, IdentityRow>(ROWS_KEPT)
  private readonly wallets = new BoundedMap<string, WalletRow>(ROWS_KEPT)
  private readonly sets = new BoundedMap<SetNo, WalletSet>(ROWS_KEPT)
  private table: TableName = 'meta'
  private key: Buffer = NOTHING

  constructor(
    readonly tables: HeldTables,
    /** Unix ms. */
    readonly nowMs: number,
    private readonly tally: Tally,
    private readonly report: (violation: Violation) => void,
  ) {
    this.logged = new LoggedEvents(tables)
    this.currencies = new CurrencyNumbers(tables.currencies)
  }

  /** The row that is read now: what is wrong is told of it. */
  at(table: TableName, key: Buffer): void {
    this.table = table
    this.key = key
  }

  /** The present record calls for a row in an index. */
  owe(table: TableName, key: Uint8Array, value: Uint8Array = NOTHING): void {
    this.tally(table, key, value, 1, this.source)
  }

  /** The same for a row that may have been removed already, as it has no effect any more. */
  oweIfThere(table: TableName, key: Buffer): void {
    if (this.has(table, key)) this.owe(table, key)
  }

  /** A row of the present index is there. */
  find(key: Uint8Array, value: Uint8Array = NOTHING, count = 1): void {
    this.tally(this.table, key, value, -count, nothing)
  }

  /** Something is wrong with the present row. */
  wrong(what: string): void {
    this.report({ table: titleOf(this.table), row: shown(this.key), what })
  }

  /** Something is wrong with a table. */
  wrongIn(table: TableName, what: string): void {
    this.report({ table: titleOf(table), row: null, what })
  }

  /** Complains unless `isRight`. */
  expect(isRight: boolean, what: string): void {
    if (!isRight) this.wrong(what)
  }

  get(table: TableName, key: Buffer): Buffer | undefined {
    return isKey(key) ? this.tables[table]?.get(key) : undefined
  }

  has(table: TableName, key: Buffer): boolean {
    return isKey(key) && this.tables[table]?.getBinaryFast(key) !== undefined
  }

  /** Notes a number that the present record has. */
  use(kind: keyof Numbers, number: number): void {
    const flaw = this.numbers[kind].use(number)
    if (flaw !== null) this.wrong(`its number ${number} ${flaw}`)
  }

  /** The identity of an owner; undefined when there is none, or it cannot be read. */
  identity(owner: string): IdentityRow | undefined {
    return kept(this.identities, owner, () => readable(identityCodec, this.get('identities', Buffer.from(owner))))
  }

  wallet(id: string): WalletRow | undefined {
    return kept(this.wallets, id, () => readable(walletCodec, this.get('wallets', Buffer.from(id))))
  }

  walletSet(no: SetNo): WalletSet | undefined {
    return kept(this.sets, no, () => {
      const stored = readable(walletSetCodec, this.get('walletSets', numberKey(no)))
      return stored === undefined ? undefined : { no, ...stored, walletIds: stored.walletIdsText.split(',') }
    })
  }

  private readonly source = () => `${titleOf(this.table)} ${shown(this.key)}`
}

const nothing = () => null

/** A row that cannot be read is told where it is read itself. */
function readable<T>(codec: RecordCodec<T>, bytes: Buffer | undefined): T | undefined {
  try {
    return bytes === undefined || bytes.length === 0 ? undefined : codec.decode(bytes)
  } catch (error) {
    if (error instanceof CorruptRecord) return undefined
    throw error
  }
}

function kept<K, V>(map: BoundedMap<K, V>, key: K, read: () => V | undefined): V | undefined {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = read()
  if (value !== undefined) map.set(key, value)
  return value
}
