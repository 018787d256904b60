export type KeyErrorCode =
  | 'empty'
  | 'occupied'
  | 'locked'
  | 'wrong_passphrase'
  | 'bad_phrase'
  | 'bad_key'
  | 'no_key'
  | 'insecure'
  /** The browser keeps nothing (`StorageError`), in the thread of the keys. */
  | 'storage'

/** What can be wrong with keys, a passphrase or words. The message tells nothing of them. */
export class KeyError extends Error {
  override readonly name = 'KeyError'

  constructor(
    readonly code: KeyErrorCode,
    cause?: unknown,
  ) {
    super(code, cause === undefined ? undefined : { cause })
  }
}
