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

/** Another process leads by now, and has begun what this one meant to do. Nothing of it has happened. */
export class Replaced extends Error {
  override readonly name = 'Replaced'
  constructor() {
    super('another process has taken over')
  }
}
