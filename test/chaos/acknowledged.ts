import type { TestKey } from '../support/signing.js'

/** A creation under an idempotency key, with the id that was answered; null while no answer has come. */
export interface IdempotentCreation {
  readonly key: string
  readonly body: string
  id: string | null
}

/** An event of the gateway that was pushed. */
export interface PushedEvent {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

/** A transfer, as far as the service has acknowledged it. */
export interface PushedDeposit {
  readonly txHash: string
  readonly wallet: string
  readonly receivedAt: number
  readonly amount: string
  /** `settling`: it was acknowledged as pending, and more has been said that has no answer yet. */
  acknowledged: 'nothing' | 'pending' | 'settling' | 'confirmed' | 'dropped'
}

export interface RegisteredKey {
  readonly owner: string
  readonly key: TestKey
  readonly id: string
  state: 'active' | 'revoking' | 'revoked'
}

/** What the service has said yes to in all rounds, kept by its clients: what a crash must not take away. */
export class Acknowledged {
  /** Invoice ids by owner. */
  readonly invoices = new Map<string, Set<string>>()
  readonly keys: RegisteredKey[] = []
  /** Wallet ids by owner. */
  readonly wallets = new Map<string, string[]>()
  readonly claimed = new Set<string>()
  readonly idempotent: IdempotentCreation[] = []
  readonly deposits: PushedDeposit[] = []
  /** Events without an answer: the gateway repeats them. */
  readonly unanswered = new Map<string, PushedEvent>()
  /** Events that were answered: repeated, they are duplicates. */
  readonly events: PushedEvent[] = []

  invoicesOf(owner: string): Set<string> {
    const known = this.invoices.get(owner) ?? new Set()
    this.invoices.set(owner, known)
    return known
  }

  walletsOf(owner: string): string[] {
    const known = this.wallets.get(owner) ?? []
    this.wallets.set(owner, known)
    return known
  }
}
