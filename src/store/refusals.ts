import { isDamage } from './damage.js'

/** Too much work waits for the store already. Nothing of what was asked has happened. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  constructor() {
    super('too much work waits for the store')
  }
}

/** The disk refused a write, or the database cannot be used. Nothing of a write has happened. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
  constructor(cause: unknown) {
    super('the store cannot be used now', { cause })
  }
}

/** Whether an error says that the store, or what was asked for in it, cannot be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof StorageUnavailable || isDamage(error)
}

/** Another process leads by now, and has begun what this one meant to do. Nothing of it has happened. */
export class Replaced extends Error {
  override readonly name = 'Replaced'
  constructor() {
    super('another process has taken over')
  }
}

/** What a database answers when units of work stood in each other's way again and again. */
const CONTENTION: readonly unknown[] = ['40001', '40P01']

/**
 * Whether an error says that the store cannot do anything of the kind now, and nothing about what was to be done: that may be
 * repeated as it is. The binding of LMDB gives its own errors numbers.
 */
export function isOfStore(error: unknown): boolean {
  if (error instanceof QueueFull || error instanceof StorageUnavailable || error instanceof Replaced) return true
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' || CONTENTION.includes(code)
}
