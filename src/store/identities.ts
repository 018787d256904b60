import type { Awaitable } from './reads.js'

/** Which identities the ledger is known to have. */
export interface IdentityPort {
  isKnown(owner: string): Awaitable<boolean>
  /** Records that the ledger has the identity. */
  remember(owner: string): Promise<void>
}
