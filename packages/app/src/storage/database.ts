import { basePathOf } from '../session/base-path.js'

const STORES = ['vault', 'outbox', 'memory'] as const

export type StoreName = (typeof STORES)[number]

/** The tables of this service in IndexedDB. Two services under one host have different paths, and so different databases. */
export class Database {
  private constructor(private readonly opening: Promise<IDBDatabase>) {}

  static open(name = `billhook ${basePathOf(location.pathname)}`): Database {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => {
      for (const store of STORES) request.result.createObjectStore(store)
    })
    return new Database(settled(request))
  }

  async get<T>(store: StoreName, key: string): Promise<T | null> {
    const table = await this.table(store, 'readonly')
    return (await settled<T | undefined>(table.get(key))) ?? null
  }

  async all<T>(store: StoreName): Promise<readonly T[]> {
    const table = await this.table(store, 'readonly')
    return settled<T[]>(table.getAll())
  }

  /** Resolves when it is on the disk. */
  put(store: StoreName, key: string, value: unknown): Promise<void> {
    return this.write([store], (table) => table.put(value, key))
  }

  /**
   * Puts a value in the place of another, in one step for all tabs. `change` gets null where there is none, and answers the same value to
   * leave it. Resolves with what is on the disk.
   */
  async change<T>(store: StoreName, key: string, change: (there: T | null) => T | null): Promise<T | null> {
    const transaction = (await this.opening).transaction(store, 'readwrite', { durability: 'strict' })
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
  }

  delete(store: StoreName, key: string): Promise<void> {
    return this.write([store], (table) => table.delete(key))
  }

  /** Empties all tables. */
  clear(): Promise<void> {
    return this.write(STORES, (table) => table.clear())
  }

  private async table(store: StoreName, mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await this.opening).transaction(store, mode).objectStore(store)
  }

  private async write(stores: readonly StoreName[], change: (table: IDBObjectStore) => IDBRequest): Promise<void> {
    const transaction = (await this.opening).transaction([...stores], 'readwrite', { durability: 'strict' })
    for (const store of stores) change(transaction.objectStore(store))
    await completed(transaction)
  }
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error))
  })
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
