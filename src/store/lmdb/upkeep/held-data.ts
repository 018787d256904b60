import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Transaction } from 'lmdb'
import { OperatorError } from '../../../operator-error.js'
import { DATA_FILE, flawOfPages, hasDataFile, type Metas, readMetas } from '../file/data-file.js'
import { openData } from '../file/open-data.js'
import { storedVersion } from '../file/schema.js'
import { type Environment, openExistingTables, type ReadTable, type Table, type TableName } from '../tables/tables.js'

/** A commit writes its meta page in much less. */
const META_SETTLED_MS = 2
const META_READINGS_MAX = 1000

export type HeldTables = Partial<Readonly<Record<TableName, ReadTable>>>

/**
 * What a data directory held at one moment, whatever is written meanwhile, by this process or another: LMDB keeps every page
 * of it until it is let go. The data file grows while it is held and others write.
 */
export interface HeldData {
  /** Those that exist. */
  readonly tables: HeldTables
  /** The version of the data; null when nothing was ever kept here. */
  readonly version: number | null
  /** Call it once, also after an error: until then no page can be reused. */
  close(): Promise<void>
}

/**
 * Opens the data of a directory to read it, beside a service that may be running on it. Throws `OperatorError` when it has no
 * data, or data that is not Billhook's. With `rest` every page is read before LMDB comes across it, and a damaged one refused; `rest` is
 * awaited between pages.
 */
export async function holdData(directory: string, rest?: () => Promise<void>): Promise<HeldData> {
  if (!hasDataFile(directory)) throw new OperatorError(`the data directory ${directory} holds no data`)
  const root = openData(directory, 'only read', null)
  try {
    if (rest !== undefined) await assertPagesWhole(root, directory, rest)
    const version = storedVersion(root, directory)
    const existing = openExistingTables(root)
    const transaction = root.useReadTransaction()
    const tables = Object.fromEntries(
      Object.entries(existing).map(([name, table]) => [name, heldTable(table, transaction)]),
    )
    return {
      tables,
      version,
      close: async () => {
        transaction.done()
        await root.close()
      },
    }
  } catch (error) {
    await root.close()
    throw error
  }
}

async function assertPagesWhole(root: Environment, directory: string, rest: () => Promise<void>): Promise<void> {
  // No page that is to be read is reused meanwhile. What a later state has beside these pages was written by LMDB since.
  const transaction = root.useReadTransaction()
  const fd = openSync(join(directory, DATA_FILE), 'r')
  try {
    await assertUndamaged(fd, await settledMetas(fd), directory, rest)
  } finally {
    closeSync(fd)
    transaction.done()
  }
}

/** Throws `OperatorError` when a page of the data of a directory is damaged, which are in an open file. */
export async function assertUndamaged(
  fd: number,
  metas: Metas,
  directory: string,
  rest: () => Promise<void>,
): Promise<void> {
  const steps = flawOfPages(fd, metas)
  for (;;) {
    const step = steps.next()
    if (step.done !== true) await rest()
    else if (step.value === null) return
    else throw new OperatorError(`the data directory ${directory} holds a damaged database: ${step.value}`)
  }
}

/**
 * Reads the meta pages until they are the same for a while: a commit may be writing one of them. The state that they name
 * is the one that is held, or a later one.
 */
export async function settledMetas(fd: number): Promise<Metas> {
  let metas = readMetas(fd)
  for (let reading = 0; reading < META_READINGS_MAX; reading += 1) {
    await pause(META_SETTLED_MS)
    const again = readMetas(fd)
    if (again.bytes.equals(metas.bytes)) return metas
    metas = again
  }
  throw new Error('commits follow one another without a pause')
}

/** The binding's types do not say that this takes a transaction. */
type FastGet = (key: Buffer, options: { readonly transaction: Transaction }) => Buffer | undefined

/** A table as `transaction` sees it. */
function heldTable(table: Table, transaction: Transaction): ReadTable {
  const getBinaryFast = table.getBinaryFast.bind(table) as FastGet
  return {
    get: (key) => table.get(key, { transaction }),
    getBinaryFast: (key) => getBinaryFast(key, { transaction }),
    getKeys: (options) => table.getKeys({ ...options, transaction }),
    getRange: (options) => table.getRange({ ...options, transaction }),
    getKeysCount: (options) => table.getKeysCount({ ...options, transaction }),
    getStats: () => table.getStats(),
    doesExist: (key: Buffer) => getBinaryFast(key, { transaction }) !== undefined,
  }
}
