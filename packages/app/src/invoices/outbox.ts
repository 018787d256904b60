import { BillhookError, type InvoiceDraft, type OrderDraft } from '@billhook/client'
import { NotSent } from './not-sent.js'

/** What is to be created. */
export type Creation =
  | { readonly kind: 'invoice'; readonly draft: InvoiceDraft }
  | { readonly kind: 'order'; readonly draft: OrderDraft }

/** A request that creates something, until it is answered. */
export interface Pending {
  /** The idempotency key. */
  readonly key: string
  readonly creation: Creation
  readonly owner: string
  /** The public key that signed it; null for none. Another signer would create it again. */
  readonly signedBy: string | null
  /** When it was stored, Unix milliseconds. */
  readonly at: number
}

export interface OutboxPlace {
  all(): Promise<readonly Pending[]>
  /** Resolves when it is on the disk. */
  put(pending: Pending): Promise<void>
  delete(key: string): Promise<void>
}

/** What was created. */
export interface Created {
  readonly id: string
}

/** Who sends. */
export interface Sender {
  readonly owner: string
  readonly signedBy: string | null
  send(creation: Creation, idempotencyKey: string): Promise<Created>
}

/** The service keeps a key for 24 hours; clocks and delays may take one of them. */
export const REPEATED_FOR_MS = 23 * 3_600_000
/** What was stored later than now tells a clock that was set back: how old it is, nobody knows. */
const CLOCK_MAY_DIFFER_MS = 3_600_000

/** What of the stored ones was answered by `resume`. */
export interface Resumed {
  readonly created: readonly { readonly pending: Pending; readonly id: string }[]
  readonly refused: readonly { readonly pending: Pending; readonly error: unknown }[]
}

/** Creates everything once, whatever happens to connection, tab and device. */
export class Outbox {
  /** Keys that are on their way now. */
  private readonly sending = new Set<string>()

  constructor(
    private readonly place: OutboxPlace,
    private readonly now: () => number,
    private readonly newKey: () => string,
  ) {}

  /** Stores it, then sends it. Throws what the service or the connection answers; `isUndecided` tells whether it is still stored. */
  async create(creation: Creation, sender: Sender, key: string = this.newKey()): Promise<Created> {
    const { owner, signedBy } = sender
    const pending: Pending = { key, creation, owner, signedBy, at: this.now() }
    try {
      await this.place.put(pending)
    } catch (cause) {
      throw new NotSent('nothing was sent, because it could not be stored', { cause })
    }
    return this.send(pending, sender)
  }

  /** What has no answer yet, oldest first. */
  async pending(owner: string): Promise<readonly Pending[]> {
    const own = (await this.place.all()).filter((pending) => pending.owner === owner)
    return own.sort((a, b) => a.at - b.at)
  }

  /** Sends again what may be sent again. */
  async resume(sender: Sender): Promise<Resumed> {
    const created: { readonly pending: Pending; readonly id: string }[] = []
    const refused: { readonly pending: Pending; readonly error: unknown }[] = []
    for (const pending of await this.pending(sender.owner)) {
      if (this.sending.has(pending.key) || !mayRepeat(pending, sender, this.now())) continue
      try {
        created.push({ pending, id: (await this.send(pending, sender)).id })
      } catch (error) {
        // Whoever is away now is away for the next one, too.
        if (isUndecided(error)) break
        refused.push({ pending, error })
      }
    }
    return { created, refused }
  }

  /** Gives up on one: a person has looked whether it was created. */
  remove(key: string): Promise<void> {
    return this.place.delete(key)
  }

  private async send(pending: Pending, sender: Sender): Promise<Created> {
    this.sending.add(pending.key)
    try {
      const created = await sender.send(pending.creation, pending.key)
      await this.place.delete(pending.key)
      return created
    } catch (error) {
      if (!isUndecided(error)) await this.place.delete(pending.key)
      throw error
    } finally {
      this.sending.delete(pending.key)
    }
  }
}

/** Whether the same request, sent again, can create nothing twice. */
export function mayRepeat(
  { signedBy, at }: Pick<Pending, 'signedBy' | 'at'>,
  sender: Pick<Sender, 'signedBy'>,
  now: number,
): boolean {
  const age = now - at
  return signedBy === sender.signedBy && age > -CLOCK_MAY_DIFFER_MS && age < REPEATED_FOR_MS
}

const PASSING_STATUSES = [429, 500, 502, 503, 504]
const UNDECIDED_CODES = ['unreachable', 'unexpected_answer', 'idempotency_in_progress']

/** Whether a failure leaves open what became of a request, or whether it would be answered otherwise in a while. */
export function isUndecided(error: unknown): boolean {
  if (error instanceof NotSent) return false
  // What is no answer at all, such as an app that was locked, decides nothing.
  if (!(error instanceof BillhookError)) return !(error instanceof TypeError)
  const { code, status } = error
  return UNDECIDED_CODES.includes(code) || (status !== undefined && PASSING_STATUSES.includes(status))
}
