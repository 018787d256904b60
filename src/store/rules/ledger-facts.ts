import { replacesPushedKeys } from '../../domain/key-history.js'
import type { EventOutcome, LedgerFact, PushedKeys, UnreadableFact, WalletFact } from '../../domain/ledger-fact.js'
import { OWNER_FLAW, parseOwner } from '../../domain/text.js'
import { decideWalletFact, type FlawOfAddress, flawOfWalletId, type Wallet } from '../../domain/wallet.js'
import type { LedgerEvent, LedgerPort } from '../ledger.js'
import type { Awaitable } from '../reading.js'
import type { EarlierAnswer } from './answered-events.js'
import { type Asking, ask, type RunEach } from './asking.js'
import { askBoth } from './together.js'
import { type PoolWork, withdrawWallet } from './wallet-pool.js'

/** What is known of that what a fact tells of a wallet. */
export interface KnownOfWallet<Row extends Wallet> {
  readonly wallet: Row | null
  /** When the ledger assigned the wallet to its present owner, by the ledger's clock; null when that is not known. */
  readonly ledgerAt: number | null
  /** The wallet that has the fact's address. */
  readonly holder: string | null
}

/** What an engine does for facts about identities, inside a transaction. */
export interface IdentityWork {
  /** Records that the ledger has an identity; false when that was known. Nobody else says anything of it until the commit. */
  markKnown(identity: string): Awaitable<boolean>
  /** The keys that a gateway has pushed for an identity; null for none. */
  pushedKeys(identity: string): Awaitable<readonly string[] | null>
  putPushedKeys(pushed: PushedKeys): void
}

/** What an engine does for facts of the ledger, inside a transaction. `Row` is a wallet as the engine has it. */
export interface FactWork<Row extends Wallet> extends IdentityWork, PoolWork {
  /** The answer to an event that is not applied: its id cannot be kept, or was answered before. Null when it is new. */
  earlierAnswer(eventId: string): Awaitable<EarlierAnswer | null>
  /** Remembers the answer to an event, after the clock was read. */
  rememberAnswer(eventId: string, outcome: EventOutcome): void
  /** Keeps others from what a fact is about until the commit. */
  known(fact: WalletFact): Awaitable<KnownOfWallet<Row>>
  /** Writes a wallet, with its address and its places in the lists. `known` is the row as it was. */
  putWallet(wallet: Wallet, known: Row | null, hasNewOwner: boolean): void
  /** Keeps the ledger's date of an assignment, unless the wallet has a later one, or another owner. */
  keepDate(id: string, owner: string, ledgerMs: number): void
}

/** Applies facts in order, each once for each id of an event. */
export function eventsBy<Tx, Row extends Wallet>(
  factWorkOn: (tx: Tx) => FactWork<Row>,
  runEach: RunEach<Tx>,
  flawOfAddress: FlawOfAddress,
): LedgerPort['applyFacts'] {
  return (batch) => runEach(batch.map((event) => (tx: Tx) => applyEvent(factWorkOn(tx), event, flawOfAddress)))
}

/** Applies a fact, once for each id of an event. */
export function* applyEvent<Row extends Wallet>(
  facts: FactWork<Row>,
  { eventId, fact }: LedgerEvent,
  flawOfAddress: FlawOfAddress,
): Asking<EventOutcome> {
  const earlier = eventId === null ? null : yield* ask(facts.earlierAnswer(eventId))
  const outcome = earlier ?? (yield* outcomeOf(facts, fact, flawOfAddress))
  if (eventId !== null && earlier === null) {
    yield* ask(facts.readClock())
    facts.rememberAnswer(eventId, outcome)
  }
  // Also of an assignment that changes nothing: it may have been told without a date before.
  if (outcome.status !== 'rejected' && fact.type === 'wallet.assigned') {
    const { id, owner, ledgerMs } = fact
    if (ledgerMs !== undefined && flawOfWalletId(id) === null) facts.keepDate(id, owner, ledgerMs)
  }
  return outcome
}

function* outcomeOf<Row extends Wallet>(
  facts: FactWork<Row>,
  fact: LedgerFact | UnreadableFact,
  flawOfAddress: FlawOfAddress,
): Asking<EventOutcome> {
  switch (fact.type) {
    case 'unreadable':
      return { status: 'rejected', error: fact.error }
    case 'identity.onboarded':
      return yield* learnIdentity(facts, fact.identity)
    case 'identity.keys':
      return yield* learnKeys(facts, fact)
    case 'wallet.withdrawn':
      return yield* withdrawWallet(facts, fact)
    case 'wallet.created':
    case 'wallet.assigned':
      return yield* learnWallet(facts, fact, flawOfAddress)
  }
}

function* learnIdentity(identities: IdentityWork, identity: string): Asking<EventOutcome> {
  if (parseOwner(identity) !== identity) return { status: 'rejected', error: OWNER_FLAW }
  return { status: (yield* ask(identities.markKnown(identity))) ? 'applied' : 'duplicate' }
}

function* learnKeys(identities: IdentityWork, pushed: PushedKeys): Asking<EventOutcome> {
  const { identity } = pushed
  if (parseOwner(identity) !== identity) return { status: 'rejected', error: OWNER_FLAW }
  const [isNewIdentity, before] = yield* askBoth(identities.markKnown(identity), identities.pushedKeys(identity))
  const areNewKeys = replacesPushedKeys(before, pushed)
  if (areNewKeys) identities.putPushedKeys(pushed)
  return { status: isNewIdentity || areNewKeys ? 'applied' : 'duplicate' }
}

function* learnWallet<Row extends Wallet>(
  facts: FactWork<Row>,
  fact: WalletFact,
  flawOfAddress: FlawOfAddress,
): Asking<EventOutcome> {
  const { wallet: known, ledgerAt, holder } = yield* ask(facts.known(fact))
  // Transactions of a ledger may be learned in another order than the ledger has them in.
  const ledgerMs = fact.type === 'wallet.assigned' ? fact.ledgerMs : undefined
  if (ledgerMs !== undefined && ledgerAt !== null && ledgerMs < ledgerAt) return { status: 'duplicate' }
  const decision = decideWalletFact(fact, known, holder, yield* ask(facts.readClock()), flawOfAddress)
  if ('error' in decision) return { status: 'rejected', error: decision.error }
  const { wallet } = decision
  if (wallet === null) return { status: 'duplicate' }
  facts.putWallet(wallet, known, wallet.owner !== null && wallet.owner !== (known?.owner ?? null))
  if (wallet.owner !== null) yield* ask(facts.markKnown(wallet.owner))
  return { status: 'applied' }
}
