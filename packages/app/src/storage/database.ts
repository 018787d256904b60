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
    await new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () => reject(transaction.error))
    })
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
