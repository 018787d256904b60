import { setImmediate as otherWork } from 'node:timers/promises'
import { scan } from '../../../base/scan.js'
import type { Clock } from '../../../clock.js'
import { OperatorError } from '../../../operator-error.js'
import { positionToGoOn } from '../../moving/begun.js'
import type { MoveSource, MoveTarget, Placed } from '../../moving/ports.js'
import type { MovedPayment } from '../../moving/records.js'
import type { Snapshot } from '../commit/commit.js'
import { CommitLoop } from '../commit/commit-loop.js'
import { DataDisk } from '../commit/data-disk.js'
import { hasDataFile } from '../file/data-file.js'
import { type DirectoryLock, lockDirectory } from '../file/directory-lock.js'
import { readPosition } from '../file/migration.js'
import { positionOfMove, putPositionOfMove, unfinished } from '../file/move-position.js'
import { openData } from '../file/open-data.js'
import { prepareSchema, SCHEMA_VERSION, storedVersion } from '../file/schema.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { CURSOR_KEY, PROGRESS_KEY } from '../ledger/ledger-rows.js'
import { sumsFor } from '../payments/payments.js'
import type { InvoiceId } from '../tables/keys.js'
import {
  type Environment,
  openExistingTables,
  openTables,
  rowCount,
  type TableName,
  type Tables,
} from '../tables/tables.js'
import { checkInPieces } from '../upkeep/check.js'
import { pageOfTable } from './moved-kind.js'
import { LMDB_KINDS } from './moved-kinds.js'

/** Records of a transaction: with more the pages of the indexes are written less often. */
const BATCH_RECORDS = 1000

/** The tables of which each row is a record. */
const COUNTED: readonly TableName[] = [
  ...([
    'identities',
    'addresses',
    'wallets',
    'apiKeys',
    'invoices',
    'orders',
    'notes',
    'depositNumbers',
    'chains',
    'blocks',
    'events',
  ] as const),
  ...([
    'ledgerTaken',
    'ledgerSetAside',
    'webhooks',
    'deliveries',
    'ownerEvents',
    'idempotencyKeys',
    'signedCreations',
    'audit',
  ] as const),
]

/** Opens the data of a directory to move it elsewhere; no service can use it until it is closed. */
export async function openLmdbSource(directory: string, clock: Clock): Promise<MoveSource> {
  if (!hasDataFile(directory)) throw new OperatorError(`the data directory ${directory} holds no data`)
  return locked(directory, 'only read', (root, lock) => {
    const version = storedVersion(root, directory)
    const tables = openExistingTables(root)
    const isCurrent = version === SCHEMA_VERSION && readPosition(tables.meta) === null
    if (!isCurrent) {
      throw new OperatorError(
        `the data directory ${directory} has data of another version: run "billhook migrate --data" on it first`,
      )
    }
    const begun = positionOfMove(tables.meta)
    if (begun !== null) throw unfinished(directory, begun)
    return moveOn(directory, { root, ...tables } as Tables, lock, clock)
  })
}

/** Opens a directory to fill it. */
export async function openLmdbTarget(directory: string, clock: Clock): Promise<MoveTarget> {
  return locked(directory, 'written', async (root, lock) => {
    const begun = storedVersion(root, directory) === null ? undefined : openExistingTables(root).meta
    if (begun !== undefined && positionOfMove(begun) === null) assertEmpty(openTables(root), directory)
    const tables = await prepareSchema(root, directory)
    return moveOn(directory, tables, lock, clock)
  })
}

async function locked<T>(
  directory: string,
  access: 'written' | 'only read',
  use: (root: Environment, lock: DirectoryLock) => T | Promise<T>,
): Promise<T> {
  const lock = lockDirectory(directory)
  let root: Environment | undefined
  try {
    root = openData(directory, access, lock)
    return await use(root, lock)
  } catch (error) {
    await root?.close()
    lock.release('refusal')
    throw error
  }
}

function assertEmpty(tables: Tables, directory: string): void {
  // What a catalogue said is written again by the move. Currencies keep the numbers that they have.
  const { root: _, meta, networks: __, currencies: ___, ...others } = tables
  const isEmpty = Object.values(others).every((table) => rowCount(table) === 0)
  if (isEmpty && !meta.doesExist(PROGRESS_KEY) && !meta.doesExist(CURSOR_KEY)) return
  throw new OperatorError(`the data directory ${directory} holds other data: name an empty one`)
}

/** One data directory, as a source or as a target. */
function moveOn(directory: string, tables: Tables, lock: DirectoryLock, clock: Clock): MoveTarget {
  const noIds = () => {
    throw new Error('a move makes no ids')
  }
  const commits = new CommitLoop(tables, { clock, newId: noIds }, new DataDisk(directory))
  return {
    name: `lmdb:${directory}`,
    count: async () => COUNTED.reduce((sum, name) => sum + rowCount(tables[name]), 0),
    read(kind, behind) {
      const { snapshot } = commits
      return pages(behind, (place) => LMDB_KINDS[kind].page(snapshot, place, BATCH_RECORDS))
    },
    payments: () => pagesOfPayments(commits.snapshot),
    /** The directory is locked. */
    async assertUnserved() {},
    begin: (first) =>
      commits.run((commit) => {
        const begun = positionOfMove(commit.tables.meta)
        if (begun === null) {
          for (const key of [...commit.tables.networks.getKeys()]) commit.tables.networks.removeSync(key)
          putPositionOfMove(commit.tables, first)
        }
        return positionToGoOn(directory, 'directory', begun, first)
      }),
    write: (kind, records, position) =>
      commits.run((commit) => {
        for (const record of records) LMDB_KINDS[kind].write(commit, record)
        putPositionOfMove(commit.tables, position)
      }),
    complete: (position) => commits.run((commit) => putPositionOfMove(commit.tables, position)),
    check: (onViolation) => checkInPieces(tables, clock.now(), onViolation),
    finish: () => commits.run((commit) => putPositionOfMove(commit.tables, null)),
    async close() {
      await commits.close()
      await tables.root.close()
      lock.release()
    },
  }
}

async function* pagesOfPayments(snapshot: Snapshot): AsyncGenerator<readonly MovedPayment[]> {
  const read = (behind: string | null) =>
    pageOfTable(snapshot.tables.invoices, behind, BATCH_RECORDS, (key): MovedPayment => {
      return { storeId: key.toString('hex'), received: sumsFor(snapshot, invoiceRow(snapshot, key as InvoiceId)) }
    })
  for await (const page of pages(null, read)) yield page.map(({ record }) => record)
}

/** Pages until one is empty. */
async function* pages<T>(
  behind: string | null,
  read: (behind: string | null) => readonly Placed<T>[],
): AsyncGenerator<readonly Placed<T>[]> {
  const readOn = (place: string | null) => {
    const page = read(place)
    return { page, next: page.at(-1)?.place ?? null }
  }
  for await (const { page } of scan(readOn, behind)) {
    if (page.length > 0) yield page
    await otherWork()
  }
}
