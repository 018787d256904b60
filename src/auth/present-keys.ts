import { BoundedMap } from '../base/bounded-map.js'
import { SharedPlaces } from '../base/shared-places.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import { isStreamId } from '../domain/text.js'
import type { Scheduler } from '../scheduler.js'
import type { IdentityPort } from '../store/identities.js'
import type { LedgerPort } from '../store/ledger.js'
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
/** Queries that may be open at once, over all identities, shared by the clients that cause them. */
export const KEY_QUERIES_MAX = 64
/** Requests that wait for a query which has not begun, shared by clients. */
export const WAITING_MAX = 1024
/** Identities whose keys are remembered. */
const IDENTITIES_MAX = 16_384

/** What the ledger told of an identity. */
interface Seen {
  readonly keys: readonly string[]
  readonly askedAtMs: number
}

type Answer = Seen | 'missing' | 'unreachable' | 'overloaded'

/** Tells which keys speak for an identity now: the ledger's present authorities, and nobody else. */
export class PresentKeys {
  private readonly seen = new BoundedMap<string, Seen>(IDENTITIES_MAX)
  /**
   * How many transactions identities had whose keys were replaced: a node that tells fewer lags behind, and may tell the old
   * key. Apart from the others, which strangers can push out with questions about any identities of the ledger.
   */
  private readonly replaced = new BoundedMap<string, number>(IDENTITIES_MAX)
  /** Settle when the next query for an identity may begin. */
  private readonly turns = new Map<string, Promise<void>>()
  /** Queries that have not begun, by identity. */
  private readonly waiting = new Map<string, { readonly answer: Promise<Answer>; readonly clients: Set<string> }>()
  private readonly waitingPlaces = new SharedPlaces(WAITING_MAX)
  private readonly openPlaces = new SharedPlaces(KEY_QUERIES_MAX)

  constructor(private readonly parts: PresentKeysParts) {}

  /**
   * Succeeds when the key speaks for the identity. `keyText` is as in a header: 66 hex digits, `0x` optional. `client` is who
   * asks, as limits count clients: one that asks for many identities leaves room for others.
   */
  async speaksFor(identity: string, keyText: string, client: string): Promise<Outcome<null>> {
    const { ledger } = this.parts
    if (ledger === null) return this.speaksWithoutLedger(identity, keyText)
    if (!isStreamId(identity)) return refuse('not_identity_key')
    const key = compressedKey(keyText)
    const before = this.believed(identity)
    if (before?.keys.includes(key)) return succeed(null)
    const answer = await this.ask(ledger, identity, client)
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
  private async ask(ledger: AskLedgerKeys, identity: string, client: string): Promise<Answer> {
    const turn = this.turns.get(identity)
    if (turn === undefined) return this.begin(ledger, identity, new Set([client]))
    if (!this.waitingPlaces.take(client)) return 'overloaded'
    try {
      return await this.nextQuery(ledger, identity, { turn, client })
    } finally {
      this.waitingPlaces.free(client)
    }
  }

  private nextQuery(
    ledger: AskLedgerKeys,
    identity: string,
    { turn, client }: { readonly turn: Promise<void>; readonly client: string },
  ): Promise<Answer> {
    const waiting = this.waiting.get(identity)
    if (waiting !== undefined) {
      waiting.clients.add(client)
      return waiting.answer
    }
    const clients = new Set([client])
    const answer = turn.then(() => {
      this.waiting.delete(identity)
      return this.begin(ledger, identity, clients)
    })
    this.waiting.set(identity, { answer, clients })
    return answer
  }

  /** The query takes the place of one of the clients that share it. */
  private begin(ledger: AskLedgerKeys, identity: string, clients: ReadonlySet<string>): Promise<Answer> | Answer {
    const client = [...clients].find((one) => this.openPlaces.take(one))
    if (client === undefined) return 'overloaded'
    const answer = this.query(ledger, identity).finally(() => this.openPlaces.free(client))
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
    if (length < Math.max(this.replaced.get(identity) ?? 0, known?.length ?? 0)) return 'unreachable'
    const seen = { keys, askedAtMs }
    this.seen.set(identity, seen)
    const isPlain = keys.every((key) => isIdentityOfKey(identity, key, this.parts.onboardingName))
    if (!isPlain) this.replaced.set(identity, length)
    return seen
  }
}

/** The form in which keys are compared; a text that is no compressed key equals none. */
function compressedKey(text: string): string {
  return text.replace(/^0x/, '').toLowerCase()
}
