import type { Database, RangeOptions, RootDatabase } from 'lmdb'
import { open } from 'lmdb'

/** Keys and values are bytes of our own making (`keys.ts`, `record-codec.ts`): nothing depends on the binding's encodings. */
export type Table = Database<Buffer, Buffer>

/** A table as readers see it. */
export type ReadTable = Pick<
  Table,
  'get' | 'getBinaryFast' | 'getKeys' | 'getRange' | 'getKeysCount' | 'getStats' | 'doesExist'
>

/**
 * The layout of the store, one B-tree a table. A network begins keys as `networkKey` says. `no` is a small number that stands for a long name inside keys
 * (`commit/caches.ts`); ids of invoices and deliveries are 16 time-ordered bytes. A set is an owner's set of wallets.
 */
const TABLES = {
  meta: 'meta', // The store's own facts: schema version, numbers handed out.
  networks: 'networks', // network id → what the catalogue says of it
  currencies: 'currencies', // number (1 byte) → currency; the first two have no row (`currencies.ts`)
  identities: 'identities', // owner → identity
  wallets: 'wallets', // wallet id → wallet
  addresses: 'addresses', // network, canonical address → address no, wallet id
  ownerWallets: 'owner-wallets', // owner no, assignment no → wallet id
  freeWallets: 'free-wallets', // network, end of lease, wallet no → wallet id
  apiKeys: 'api-keys', // public key (33 bytes) → API key
  apiKeyIds: 'api-key-ids', // key id (8 bytes) → public key
  ownerApiKeys: 'owner-api-keys', // owner no, key no → public key
  activeApiKeys: 'active-api-keys', // owner no, when it expires, key id → nothing; keys that are not revoked
  invoices: 'invoices', // invoice id → invoice
  importedInvoices: 'imported-invoices', // id of an imported invoice that is not in order of time → invoice id
  ownerInvoices: 'owner-invoices', // owner no, invoice id → nothing
  idempotencyKeys: 'idempotency-keys', // client, route and key → when it expires, hash of the body, invoice id
  idempotencyExpiries: 'idempotency-expiries', // when it expires, client, route and key → nothing
  // when it is forgotten, hash of key, timestamp and body → nothing; signed requests that created without a reference
  signedCreations: 'signed-creations',
  references: 'references', // reference → invoice id
  orderFields: 'order-fields', // invoice id → what the invoice says of its order, if anything
  orderNumbers: 'order-numbers', // order number, owner no, invoice id → nothing
  orders: 'orders', // order id → order
  ownerOrders: 'owner-orders', // owner no, order id → nothing
  numberedOrders: 'numbered-orders', // order number, owner no, order id → nothing
  orderExpiries: 'order-expiries', // when it expires, order id → nothing; orders whose expiry has not been decided
  leaningOrders: 'leaning-orders', // wallet no, currency, order id → nothing; orders that lean on money matched to no invoice
  notes: 'notes', // note id → the invoice that it is of, who wrote it, text
  invoiceNotes: 'invoice-notes', // invoice id, note id → nothing
  openAmounts: 'open-amounts', // owner no, currency, amount, wallet no → ids of the open invoices that ask it
  openInvoices: 'open-invoices', // set no, class, invoice id → nothing; open invoices
  // wallet no, owner no → no of the set that is the wallet alone; wallet no, owner no, set no → nothing; others that have open invoices
  openSets: 'open-sets',
  paidInvoices: 'paid-invoices', // wallet no, owner no, class, invoice id → nothing; invoices found paid
  paidAmounts: 'paid-amounts', // wallet no, currency → greatest amount that was ever paid
  // wallet no, owner no, class, amount, invoice id → nothing; paid invoices that no deposit has matched
  unmatchedInvoices: 'unmatched-invoices',
  matches: 'matches', // invoice id → deposits that have matched it: their number, and what of them was seen and confirmed
  // invoice id, receivedAt, deposit no → nothing; deposits that have matched an invoice, qualify for it and are not dropped
  invoiceDeposits: 'invoice-deposits',
  voidInvoices: 'void-invoices', // wallet no, owner no, currency, when it became void, invoice id → nothing; void invoices
  expiries: 'expiries', // when it expires, invoice id → nothing; invoices whose expiry has not been decided
  walletSetNos: 'payee-numbers', // owner no, wallet nos → no of a set of several wallets
  walletSets: 'payees', // set no → owner and wallets
  deposits: 'deposits', // network, index, transaction hash → deposit
  depositNumbers: 'deposit-numbers', // deposit no → network, index, transaction hash
  receivedDeposits: 'received-deposits', // receivedAt, deposit no → nothing; dropped ones too
  // address no, currency, receivedAt, deposit no → total of the deposits seen and not dropped; heads (`running-totals.ts`)
  seenTotals: 'seen-totals',
  confirmedTotals: 'confirmed-totals', // the same of the confirmed ones
  unmatchedSeenTotals: 'unmatched-seen-totals', // the same of those seen that are matched to no invoice
  unmatchedConfirmedTotals: 'unmatched-confirmed-totals', // the same of the confirmed ones of those
  unsettledWallets: 'unsettled-wallets', // wallet no → how far its open invoices were examined since a deposit
  watches: 'watches', // network → since when it has been watched and has had wallets, and with which settings
  chains: 'chains', // network → height up to which its blocks are confirmed
  blocks: 'blocks', // network, height → block that the watcher has passed, with the deposits that it holds
  blockDeposits: 'block-deposits', // network, index, transaction hash → height of the block that holds the deposit
  blocksAside: 'blocks-aside', // network, height → block that no node can give, and since when
  depositsAside: 'deposits-aside', // network, index, transaction hash → deposit whose recording failed
  events: 'events', // event id → when it was answered, the error of a rejection
  eventTimes: 'event-times', // when it was answered, event id → nothing
  ledgerTaken: 'ledger-taken', // when the ledger lists it, transaction → nothing; what a follower took lately
  // transaction → when the ledger lists it, attempts, when it is retried; what could not be looked up
  ledgerSetAside: 'ledger-set-aside',
  identityKeys: 'identity-keys', // identity → the keys that were pushed, and what is known of the earlier ones
  ledgerDates: 'ledger-dates', // wallet id → when the ledger assigned it to its present owner
  withdrawnWallets: 'withdrawn-wallets', // wallet id → transaction that took it from the pool, its date, when it was noticed
  webhooks: 'webhooks', // owner no → webhook configuration
  eventCursors: 'event-cursors', // owner no → up to where the events of the owner have been queued as deliveries
  deliveries: 'deliveries', // delivery id → delivery
  queuedDeliveries: 'queued-deliveries', // lane, delivery id → nothing; what has not been attempted
  attemptedDeliveries: 'attempted-deliveries', // delivery id → nothing; what was attempted and has no outcome yet
  waitingDeliveries: 'waiting-deliveries', // when it is due, delivery id → nothing; what waits for another attempt
  ownerDeliveries: 'owner-deliveries', // owner no, delivery id → nothing
  audit: 'audit', // record id → what an operator did
  ownerEvents: 'owner-events', // owner no, time, count → event; heads (`events/event-log.ts`)
} as const

export type TableName = keyof typeof TABLES

export type Tables = Readonly<Record<TableName, Table>> & { readonly root: Environment }
export type ReadTables = Readonly<Record<TableName, ReadTable>>

export type Environment = RootDatabase<Buffer, Buffer>

const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const
/** More tables than ours may be open: room to see another program's tables, and refuse them. */
const SPARE_TABLES = 8
/**
 * Address space set aside for the data file, neither memory nor disk; enough for some three million invoices. A file that
 * outgrows its map gets another one, twice as large, and the binding keeps the old one too: every map counts the pages
 * that were read through it as resident, so that a file which grew from nothing was counted twice. With 16 GiB, reads
 * seemed to take more processor time.
 */
const MAP_BYTES = 1024 ** 3
/** The binding ends the names of tables so. */
const NAME_END = '\0'

/**
 * Opens the environment in `path` without its tables. `overlappingSync: false`: with the binding's default a write's
 * promise resolves when the write is visible, which is before it is on disk. `eventTurnBatching: false`: with the default
 * the binding makes a promise of its own beside each commit and lets go of it, so a disk that refuses one write would end
 * the process with an unhandled rejection.
 */
export function openEnvironment(path: string, access: 'written' | 'only read' = 'written'): Environment {
  return open<Buffer, Buffer>({
    path,
    // The binding takes a directory whose name has a dot for a file.
    noSubdir: false,
    readOnly: access === 'only read',
    overlappingSync: false,
    eventTurnBatching: false,
    mapSize: MAP_BYTES,
    maxDbs: Object.keys(TABLES).length + SPARE_TABLES,
    ...BINARY,
  })
}

/** Opens the tables; makes those that are not there. */
export function openTables(root: Environment): Tables {
  const names = Object.keys(TABLES) as TableName[]
  const tables = Object.fromEntries(names.map((name) => [name, openTable(root, TABLES[name])])) as Record<
    TableName,
    Table
  >
  return { root, ...tables }
}

/** The tables that exist, for a process that only reads. */
export function openExistingTables(root: Environment): Partial<Readonly<Record<TableName, Table>>> {
  const existing = tableNames(root)
  const names = (Object.keys(TABLES) as TableName[]).filter((name) => existing.includes(TABLES[name]))
  return Object.fromEntries(names.map((name) => [name, openTable(root, TABLES[name])]))
}

/** The name of a table as operators read it. */
export function titleOf(name: TableName): string {
  return TABLES[name]
}

/** A table without making it; undefined when it does not exist. */
export function openExisting(root: Environment, table: TableName): Table | undefined {
  return tableNames(root).includes(TABLES[table]) ? openTable(root, TABLES[table]) : undefined
}

/** Whether nothing was ever kept here: no table, or only tables of ours without a row, which a first start that was cut short leaves. */
export function isUnused(root: Environment): boolean {
  const ours: readonly string[] = Object.values(TABLES)
  const names = tableNames(root)
  return names.every((name) => ours.includes(name)) && names.every((name) => isEmpty(openTable(root, name)))
}

/** The names in the environment's main table, which in another program's environment may be anything. */
function tableNames(root: Environment): readonly string[] {
  return [...root.getKeys()].map((key) => {
    const name = key.toString()
    return name.endsWith(NAME_END) ? name.slice(0, -NAME_END.length) : ''
  })
}

function openTable(root: Environment, name: string): Table {
  return root.openDB<Buffer, Buffer>({ name, ...BINARY })
}

function isEmpty(table: Table): boolean {
  for (const _ of table.getKeys({ limit: 1 })) return false
  return true
}

/** The last key of `table` from `low` (exclusive) to `high` (inclusive), or undefined. */
export function lastKey(table: ReadTable, high: Buffer, low: Buffer): Buffer | undefined {
  for (const key of table.getKeys({ reverse: true, start: high, end: low, limit: 1 })) return key
  return undefined
}

/** The first key of `table` from `low` (inclusive) to `high` (exclusive), or undefined. */
export function firstKey(table: ReadTable, low: Buffer, high: Buffer): Buffer | undefined {
  for (const key of table.getKeys({ start: low, end: high, limit: 1 })) return key
  return undefined
}

/** Removes the rows of a range. Answers their keys, which are all read before the first is removed. */
export function removeKeys(table: Table, range: RangeOptions): readonly Buffer[] {
  const keys = [...table.getKeys(range)]
  for (const key of keys) table.removeSync(key)
  return keys
}

/** The number of rows of `table`, from the head of its tree. */
export function rowCount(table: ReadTable): number {
  // The binding's types do not say what its statistics hold.
  const { entryCount }: { entryCount?: unknown } = table.getStats()
  if (typeof entryCount !== 'number') throw new Error('LMDB does not tell how many rows a table has')
  return entryCount
}

/** What the binding does not declare. */
interface ReadTransaction {
  abort(): void
  isDone: boolean
}

/**
 * Ends the transaction of readers, so that the next read begins another one. One that has met a damaged page refuses every read from then
 * on, and the binding uses it until something is committed, unless it takes it for done (lmdb 3.5.6, `renewReadTxn`). Call it when no
 * reader is under way: an iterator that threw is left without a use of its cursor.
 */
export function endReadTransaction(root: Environment): void {
  const left = root.useReadTransaction() as unknown as ReadTransaction
  root.resetReadTxn()
  left.abort()
  left.isDone = true
}

export const NOTHING = Buffer.alloc(0)
