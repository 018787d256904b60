import { isStreamId, parseOwner } from '../domain/text.js'
import type { IdentityPort } from '../store/identities.js'

/** Queries the ledger for identities. */
export interface AskLedger {
  /** `id` is 64 lower-case hex digits. `unreachable` when no node gives a certain answer. */
  hasIdentity(id: string): Promise<boolean | 'unreachable'>
}

/** A code of the failure catalogue means unknown; it never means "no" (decisions 8). */
export type Existence = boolean | 'ledger_unreachable' | 'overloaded'

/**
 * Queries to the ledger that may be open at once. Anyone can cause one, so without a bound a flood would keep the ledger and
 * this process busy. A ledger that answers in 50 ms still answers more than a thousand queries a second.
 */
export const QUERIES_MAX = 64

/** Tells which identities exist: those that the store knows, and those that the ledger has. */
export class KnownIdentities {
  /** Open queries, by identity. */
  private readonly queries = new Map<string, Promise<Existence>>()

  /** Without a ledger (null), only identities that the store knows exist. */
  constructor(
    private readonly identities: Pick<IdentityPort, 'isKnown' | 'remember'>,
    private readonly ledger: AskLedger | null,
  ) {}

  /**
   * Whether an identity exists. The store remembers a ledger's "yes", but not its "no". Only texts of the form of an identity
   * are queried, because nodes read other texts in other ways. Concurrent calls for one identity share a query.
   */
  async exists(id: string): Promise<Existence> {
    const identity = parseOwner(id)
    if (identity === null) return false
    if (await this.identities.isKnown(identity)) return true
    if (this.ledger === null || !isStreamId(identity)) return false
    const open = this.queries.get(identity)
    if (open !== undefined) return open
    if (this.queries.size >= QUERIES_MAX) return 'overloaded'
    const query = this.ask(this.ledger, identity).finally(() => this.queries.delete(identity))
    this.queries.set(identity, query)
    return query
  }

  private async ask(ledger: AskLedger, identity: string): Promise<Existence> {
    const answer = await ledger.hasIdentity(identity)
    if (answer === true) await this.identities.remember(identity)
    return answer === 'unreachable' ? 'ledger_unreachable' : answer
  }
}
