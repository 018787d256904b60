import { isStreamId, parseOwner } from '../domain/identity.js'
import type { IdentityPort } from '../store/identities.js'

/** Asks the ledger whether it has an identity. */
export interface AskLedger {
  /** `id` is 64 lower-case hex digits. `unreachable` when no node gives a certain answer. */
  hasIdentity(id: string): Promise<boolean | 'unreachable'>
}

/** `unreachable` and `busy` mean unknown: never to be read as "no" (decisions 8). */
export type Existence = boolean | 'unreachable' | 'busy'

/**
 * Questions to the ledger that may be open at once. Anybody may ask, so without a bound a flood would keep the ledger and
 * this process busy; a ledger that answers in 50 ms still answers more than a thousand questions a second.
 */
export const QUESTIONS_MAX = 64

/** Which identities exist: those known here, and those that the ledger has. */
export class KnownIdentities {
  /** Open questions to the ledger, by identity. */
  private readonly questions = new Map<string, Promise<Existence>>()

  /** `ledger` is null when none is configured: then only what is known here exists. */
  constructor(
    private readonly identities: IdentityPort,
    private readonly ledger: AskLedger | null,
  ) {}

  /**
   * Whether an identity exists. A ledger's "yes" is kept, its "no" is not. It is asked only for what can be an identity:
   * its nodes would understand other texts in other ways. Whoever asks for the same identity meanwhile shares the answer.
   */
  async exists(id: string): Promise<Existence> {
    const identity = parseOwner(id)
    if (identity === null) return false
    if (await this.identities.isKnown(identity)) return true
    if (this.ledger === null || !isStreamId(identity)) return false
    const open = this.questions.get(identity)
    if (open !== undefined) return open
    if (this.questions.size >= QUESTIONS_MAX) return 'busy'
    const question = this.ask(this.ledger, identity).finally(() => this.questions.delete(identity))
    this.questions.set(identity, question)
    return question
  }

  private async ask(ledger: AskLedger, identity: string): Promise<Existence> {
    const answer = await ledger.hasIdentity(identity)
    if (answer === true) await this.identities.remember(identity)
    return answer
  }
}
