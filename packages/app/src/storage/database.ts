import { basePathOf } from '../session/base-path.js'
import { StorageError } from './storage-error.js'

const STORES = ['vault', 'outbox', 'memory'] as const

export type StoreName = (typeof STORES)[number]

/**
 * The tables of this service in IndexedDB. Two services under one host have different paths, and so different databases. Every method
 * throws a `StorageError`. A connection that the browser has ended is opened again by the next one.
 */
export class Database {
  private opening: Promise<IDBDatabase> | null = null

  private constructor(private readonly name: string) {}

  static open(name = `billhook ${basePathOf(location.pathname)}`): Database {
    return new Database(name)
  }

  get<T>(store: StoreName, key: string): Promise<T | null> {
    return this.within([store], 'readonly', async (transaction) => {
      const value = await settled<T | undefined>(transaction.objectStore(store).get(key))
      return value ?? null
    })
  }

  all<T>(store: StoreName): Promise<readonly T[]> {
    return this.within([store], 'readonly', (transaction) => settled<T[]>(transaction.objectStore(store).getAll()))
  }

  /** Resolves when it is on the disk. */
  put(store: StoreName, key: string, value: unknown): Promise<void> {
    return this.write([store], (table) => table.put(value, key))
  }

  /**
   * Puts a value in the place of another, in one step for all tabs. `change` gets null where there is none, and answers the same value to
   * leave it. Resolves with what is on the disk.
   */
  change<T>(store: StoreName, key: string, change: (there: T | null) => T | null): Promise<T | null> {
    return this.within([store], 'readwrite', async (transaction) => {
      const table = transaction.objectStore(store)
      const request = table.get(key)
      let value: T | null = null
      request.addEventListener('success', () => {
        const there = (request.result as T | undefined) ?? null
        value = change(there)
        if (value !== there) table.put(value, key)
      })
      await completed(transaction)
      return value
    })
  }

  delete(store: StoreName, key: string): Promise<void> {
    return this.write([store], (table) => table.delete(key))
  }

  /** Empties all tables. */
  clear(): Promise<void> {
    return this.write(STORES, (table) => table.clear())
  }

  private write(stores: readonly StoreName[], change: (table: IDBObjectStore) => IDBRequest): Promise<void> {
    return this.within(stores, 'readwrite', (transaction) => {
      for (const store of stores) change(transaction.objectStore(store))
      return completed(transaction)
    })
  }

  private async within<T>(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    work: (transaction: IDBTransaction) => Promise<T>,
  ): Promise<T> {
    try {
      const database = await this.connection()
      return await work(database.transaction([...stores], mode, { durability: 'strict' }))
    } catch (error) {
      throw new StorageError(error)
    }
  }

  private connection(): Promise<IDBDatabase> {
    this.opening ??= this.connect().catch((error) => {
      this.opening = null
      throw error
    })
    return this.opening
  }

  private async connect(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.name, 1)
    request.addEventListener('upgradeneeded', () => {
      for (const store of STORES) request.result.createObjectStore(store)
    })
    const database = await settled(request)
    const end = () => {
      database.close()
      this.opening = null
    }
    // Who removes the database waits until nobody has it open.
    database.addEventListener('versionchange', end)
    database.addEventListener('close', end)
    return database
  }
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('it was aborted')))
  })
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
