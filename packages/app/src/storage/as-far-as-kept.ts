import { StorageError } from './storage-error.js'

interface Place<T> {
  read(): Promise<T>
  write(value: T): Promise<void>
}

/** The same for what can be found out anew: where the browser keeps nothing, it goes on without. */
export function asFarAsKept<T>({ read, write }: Place<T | null>): Place<T | null> {
  const unlessStorage = (error: unknown) => {
    if (!(error instanceof StorageError)) throw error
    return null
  }
  return {
    read: () => read().catch(unlessStorage),
    write: async (value) => {
      await write(value).catch(unlessStorage)
    },
  }
}
