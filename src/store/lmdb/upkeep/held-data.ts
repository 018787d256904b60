import type { Transaction } from 'lmdb'
import { StartError } from '../../../start-error.js'
import { hasDataFile } from '../file/data-file.js'
import { openData } from '../file/open-data.js'
import { storedVersion } from '../file/schema.js'
import { openExistingTables, type ReadTable, type Table, type TableName } from '../tables/tables.js'

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
 * Opens the data of a directory to read it, beside a service that may be running on it. Throws `StartError` when it has no
 * data, or data that is not Billhook's.
 */
export async function holdData(directory: string): Promise<HeldData> {
  if (!hasDataFile(directory)) throw new StartError(`the data directory ${directory} holds no data`)
  const root = openData(directory, 'only read', null)
  try {
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
