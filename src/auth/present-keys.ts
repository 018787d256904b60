import { BoundedMap } from '../base/bounded-map.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import { isStreamId } from '../domain/text.js'
import type { Scheduler } from '../scheduler.js'
import type { IdentityPort, LedgerPort } from '../store/store.js'
import { isIdentityOfKey } from './identity-key.js'
import type { KnownIdentities } from './known-identities.js'

/** Queries the ledger for the keys of identities. Keys are compressed and in lower-case hex. */
export interface AskLedgerKeys {
  /** `id` is 64 lower-case hex digits. Anything else when no node gives a certain answer. */
  streamOf(
    id: string,
  ): Promise<
    | { readonly kind: 'found'; readonly value: PresentStream }
    | { readonly kind: 'missing' }
    | { readonly kind: 'unclear' | 'undecided'; readonly why: string }
  >
}

interface PresentStream {
  readonly authorities: readonly string[]
  /** The identity's transactions; null when they are not told. */
  readonly txs: readonly string[] | null
}

export interface PresentKeysParts {
  readonly identities: Pick<IdentityPort, 'isKnown' | 'remember' | 'pushedKeys'>
  readonly known: Pick<KnownIdentities, 'exists'>
  readonly histories: Pick<LedgerPort, 'keyHistory'>
  /** Null where no ledger is asked. */
  readonly ledger: AskLedgerKeys | null
  /** The name that identities were onboarded under; see `isIdentityOfKey`. */
  readonly onboardingName: string
  readonly scheduler: Scheduler
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/** How long what the ledger has told is believed (decisions 10). */
export const BELIEVED_MS = 60_000
/**
 * From one query for an identity to the next. Anyone can send unknown keys for it, and all that came meanwhile share the
 * next query, which begins after they came: a new key works at once, and a flood costs one query a second.
 */
export const ASK_PAUSE_MS = 1000
/** Queries that may be open at once, over all identities. */
export const KEY_QUERIES_MAX = 64
/** Requests that wait for a query which has not begun. */
export const WAITING_MAX = 1024
/** Identities whose keys are remembered. */
const IDENTITIES_MAX = 16_384

/** What the ledger told of an identity. `none`: it does not have it. */
interface Seen {
  readonly keys: readonly string[]
  /** How many transactions the identity had, 0 when that was not told: a node with fewer lags behind. */
  readonly length: number
  readonly askedAtMs: number
}

type Answer = Seen | 'missing' | 'unreachable' | 'overloaded'

/** Tells which keys speak for an identity now: the ledger's present authorities, and nobody else. */
export class PresentKeys {
  private readonly seen = new BoundedMap<string, Seen>(IDENTITIES_MAX)
  /** Settle when the next query for an identity may begin. */
  private readonly turns = new Map<string, Promise<void>>()
  /** Queries that have not begun, by identity. */
  private readonly waiting = new Map<string, Promise<Answer>>()
  private waitingCount = 0
  private openCount = 0

  constructor(private readonly parts: PresentKeysParts) {}

  /** Succeeds when the key speaks for the identity. `keyText` is as in a header: 66 hex digits, `0x` optional. */
  async speaksFor(identity: string, keyText: string): Promise<Outcome<null>> {
    const { ledger } = this.parts
    if (ledger === null) return this.speaksWithoutLedger(identity, keyText)
    if (!isStreamId(identity)) return refuse('not_identity_key')
    const key = compressedKey(keyText)
    const before = this.believed(identity)
    if (before?.keys.includes(key)) return succeed(null)
    const answer = await this.ask(ledger, identity)
    if (answer === 'overloaded') return refuse('overloaded')
    if (answer === 'missing') return this.refuseMissing(identity, keyText)
    const present = answer === 'unreachable' ? this.believed(identity) : answer
    if (present === undefined) return refuse('ledger_unreachable')
    if (!present.keys.includes(key)) return refuse('not_identity_key')
    if (!(await this.parts.identities.isKnown(identity))) await this.parts.identities.remember(identity)
    return succeed(null)
  }

  /** The keys that a gateway has pushed last decide, or else the key of the onboarding. */
  private async speaksWithoutLedger(identity: string, keyText: string): Promise<Outcome<null>> {
    const { identities, known, onboardingName } = this.parts
    const pushed = await identities.pushedKeys(identity)
    const isTheirs =
      pushed === null ? isIdentityOfKey(identity, keyText, onboardingName) : pushed.includes(compressedKey(keyText))
    if (!isTheirs) return refuse('not_identity_key')
    // An invented identity costs only a key pair; one that exists costs what the ledger asks for it.
    const existence = await known.exists(identity)
    if (typeof existence === 'string') return refuse(existence)
    return existence ? succeed(null) : refuse('unknown_identity')
  }

  /** No node has the identity. When it is known here, they have lost it, and who speaks for it is unknown. */
  private async refuseMissing(identity: string, keyText: string): Promise<Outcome<null>> {
    if (!isIdentityOfKey(identity, keyText, this.parts.onboardingName)) return refuse('not_identity_key')
    return (await this.parts.identities.isKnown(identity)) ? refuse('ledger_unreachable') : refuse('unknown_identity')
  }

  private believed(identity: string): Seen | undefined {
    const seen = this.seen.get(identity)
    return seen !== undefined && this.parts.now() - seen.askedAtMs < BELIEVED_MS ? seen : undefined
  }

  /** What the ledger tells in a query that begins after this call. */
  private async ask(ledger: AskLedgerKeys, identity: string): Promise<Answer> {
    const turn = this.turns.get(identity)
    if (turn === undefined) return this.begin(ledger, identity)
    if (this.waitingCount >= WAITING_MAX) return 'overloaded'
    this.waitingCount += 1
    try {
      return await this.nextQuery(ledger, identity, turn)
    } finally {
      this.waitingCount -= 1
    }
  }

  private nextQuery(ledger: AskLedgerKeys, identity: string, turn: Promise<void>): Promise<Answer> {
    const waiting = this.waiting.get(identity)
    if (waiting !== undefined) return waiting
    const next = turn.then(() => {
      this.waiting.delete(identity)
      return this.begin(ledger, identity)
    })
    this.waiting.set(identity, next)
    return next
  }

  private begin(ledger: AskLedgerKeys, identity: string): Promise<Answer> | Answer {
    if (this.openCount >= KEY_QUERIES_MAX) return 'overloaded'
    this.openCount += 1
    const answer = this.query(ledger, identity).finally(() => {
      this.openCount -= 1
    })
    const paused = new Promise<void>((resolve) => this.parts.scheduler.after(ASK_PAUSE_MS, resolve))
    const turn = Promise.allSettled([answer, paused]).then(() => {
      this.turns.delete(identity)
    })
    this.turns.set(identity, turn)
    return answer
  }

  private async query(ledger: AskLedgerKeys, identity: string): Promise<Answer> {
    const askedAtMs = this.parts.now()
    const answer = await ledger.streamOf(identity)
    if (answer.kind !== 'found') return answer.kind === 'missing' ? 'missing' : 'unreachable'
    const { authorities: keys, txs } = answer.value
    const length = txs?.length ?? 0
    const known = await this.parts.histories.keyHistory(identity)
    // A node that lags behind, alone to answer, may still tell a key that was replaced.
    if (length < Math.max(this.seen.get(identity)?.length ?? 0, known?.length ?? 0)) return 'unreachable'
    const seen = { keys, length, askedAtMs }
    this.seen.set(identity, seen)
    return seen
  }
}

/** The form in which keys are compared; a text that is no compressed key equals none. */
function compressedKey(text: string): string {
  return text.replace(/^0x/, '').toLowerCase()
}
