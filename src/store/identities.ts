import type { Awaitable } from './reading.js'

/** Which identities the ledger is known to have. */
export interface IdentityPort {
  isKnown(owner: string): Awaitable<boolean>
  /** Records that the ledger has the identity. */
  remember(owner: string): Promise<void>
  /** The keys that a gateway has pushed last, compressed and in lower-case hex; null when it has pushed none. */
  pushedKeys(owner: string): Awaitable<readonly string[] | null>
}
