/** The browser keeps nothing at the moment: a private window, no room, or a database that was removed. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code = 'storage'

  constructor(cause: unknown) {
    super(`the browser keeps nothing: ${String(cause)}`, { cause })
  }
}
