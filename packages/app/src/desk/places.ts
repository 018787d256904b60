import type { OutboxPlace, Pending } from '../invoices/outbox.js'
import type { Database } from '../storage/database.js'

/** A value of the table `memory`. Each owner has values of their own. */
export function remembers<T>(database: Database, owner: string, name: string, fallback: T) {
  const key = `${owner} ${name}`
  return {
    read: async (): Promise<T> => (await database.get<T>('memory', key)) ?? fallback,
    write: (value: T): Promise<void> => database.put('memory', key, value),
    /** Changes it in one step for all tabs, and answers it. */
    change: async (change: (value: T) => T): Promise<T> =>
      (await database.change<T>('memory', key, (there) => {
        const before = there ?? fallback
        const after = change(before)
        return after === before ? there : after
      })) ?? fallback,
  }
}

export function outboxPlace(database: Database): OutboxPlace {
  return {
    all: () => database.all<Pending>('outbox'),
    put: (pending) => database.put('outbox', pending.key, pending),
    delete: (key) => database.delete('outbox', key),
  }
}
