import type { Currency } from '../../domain/amount.js'
import { DAY_MS } from '../../domain/api-key.js'
import {
  conflictOf,
  currencyOf,
  type Deposit,
  type DepositOutcome,
  type DepositReport,
  type DepositStatus,
  flawOf,
  type Sighting,
  transitionOf,
} from '../../domain/deposit.js'
import type { DepositFact } from '../../domain/ledger-fact.js'
import type { Decimals, Network } from '../../domain/network.js'
import { LATE_DAYS_DEFAULT } from '../../domain/voiding.js'
import type { OwedDelivery } from '../outbox.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { Choices, SETTLED_PLACES_MAX } from './match-deposit.js'
import { EXAMINED_WITH_DEPOSIT } from './unsettled-wallets.js'

/** The outcome of a report, and the deliveries that it caused. An engine may complete them with its commit. */
export interface RecordedDeposit {
  readonly outcome: DepositOutcome
  readonly owed: readonly OwedDelivery[]
}

/** What a report changes of a deposit. */
export interface DepositChange {
  readonly from: DepositReport | 'unseen'
  /** Statuses that it reaches, in order of notification. */
  readonly reaches: readonly DepositStatus[]
  /** The deposit as it is then. */
  readonly deposit: Deposit
}

/** The answer to a report, and the change that it calls for; null for none. */
export interface Judgement {
  readonly outcome: DepositOutcome
  readonly change: DepositChange | null
}

/** How many invoices are settled at once. */
export interface SettlingPace {
  /** Before the choices of one transaction, counted on each of their wallets. */
  readonly beforeChoices: number
  /** With a confirmed deposit, beside the one that it matched. */
  readonly withDeposit: number
}

export const SETTLING_PACE: SettlingPace = { beforeChoices: SETTLED_PLACES_MAX, withDeposit: EXAMINED_WITH_DEPOSIT }

/** What decides about deposits beside the facts. */
export interface DepositTerms {
  readonly decimals: Decimals
  /** Whether the catalogue has a currency on a network: what it has lost, nodes are not asked about. */
  readonly isRead: (network: Network, currency: Currency) => boolean
  /** For how long an invoice that has become void is matched to what comes for nobody else; 0 for never. */
  readonly lateMs: number
  /** How much of its amount an invoice may miss that is accepted by itself, in hundredths of a percent; 0 for nothing. */
  readonly underpayment: number
  /** Whether several unpaid invoices of a currency may be on a wallet: one that lives again must not be a second one otherwise. */
  readonly areWalletsShared: boolean
  readonly pace: SettlingPace
}

/** For deposits of before every deposit was matched. What they are worth was found out when they were recorded. */
export const PAST_TERMS: DepositTerms = {
  decimals: {},
  isRead: () => true,
  lateMs: LATE_DAYS_DEFAULT * DAY_MS,
  underpayment: 0,
  areWalletsShared: true,
  // Nobody waits for it.
  pace: { beforeChoices: Number.POSITIVE_INFINITY, withDeposit: EXAMINED_WITH_DEPOSIT },
}

/** A judgement, with what it is about. `R` is the engine's row of a deposit. */
export interface Judged<R> extends Judgement {
  /** Whether the deposit can be recorded. Of one with a flaw nothing is known. */
  readonly isSound: boolean
  readonly known: R | undefined
}

/** A deposit that a store knows. */
interface Known {
  readonly deposit: Deposit
}

/** Judges reports about deposits. */
export class DepositJudge {
  constructor(readonly terms: DepositTerms) {}

  /** Why a deposit cannot be recorded; null when it can. The names of a flawed one may not even fit into a key. */
  flawOf(sighting: Sighting): string | null {
    return flawOf(sighting, this.terms.decimals)
  }

  /** The choices of one transaction. */
  choices(): Choices {
    return new Choices(this.terms.pace.beforeChoices)
  }

  /** Whether a block that is read does not tell of a deposit, because the catalogue has lost its token. */
  isUntold(deposit: Deposit): boolean {
    const currency = currencyOf(deposit, this.terms.decimals)
    return currency !== null && !this.terms.isRead(deposit.network, currency)
  }

  /** The sightings that can be recorded. */
  soundOf(sightings: Iterable<Sighting>): readonly Sighting[] {
    return [...sightings].filter((sighting) => this.flawOf(sighting) === null)
  }

  /** Judges a sound report about a deposit, as far as it is known, at `nowMs`. */
  judge(known: Deposit | undefined, { report, sighting }: DepositFact, nowMs: number): Judgement {
    const conflict = report === 'dropped' ? null : conflictWith(known, sighting, this.terms.decimals)
    if (conflict !== null) return rejected(`the deposit is known with another ${conflict}`)
    const from = known?.kind ?? 'unseen'
    const transition = transitionOf(from, report)
    if (transition === null) {
      return known === undefined
        ? rejected('no such deposit')
        : { outcome: { status: 'duplicate', deposit: known }, change: null }
    }
    const { kind, reaches } = transition
    // A deposit that is seen again in a later block after it was dropped is worth what the new block says, and came when it says.
    const { network, txHash, index, toAddress, currency, amount, receivedAt } =
      known === undefined || from === 'dropped' ? sighting : known
    const confirmedAt = kind === 'confirmed' ? nowMs : null
    const deposit = { network, txHash, index, toAddress, currency, amount, kind, receivedAt, confirmedAt }
    return { outcome: { status: 'applied', deposit }, change: { from, reaches, deposit } }
  }

  /** What a sighting contradicts of a known deposit; null for nothing. */
  conflictWith(known: Known | undefined, sighting: Sighting): ReturnType<typeof conflictOf> {
    return conflictWith(known?.deposit, sighting, this.terms.decimals)
  }
}

/** Judges a report as it comes. The names of a deposit with a flaw may not even fit into a key, so that nobody looks for it. */
export function* judgeReport<R extends Known>(
  judge: DepositJudge,
  fact: DepositFact,
  nowMs: number,
  find: (sighting: Sighting) => Awaitable<R | undefined>,
): Asking<Judged<R>> {
  const flaw = judge.flawOf(fact.sighting)
  if (flaw !== null) return { ...rejected(flaw), isSound: false, known: undefined }
  const known = yield* ask(find(fact.sighting))
  return { ...judge.judge(known?.deposit, fact, nowMs), isSound: true, known }
}

/**
 * What a sighting contradicts of a known deposit; null for nothing. A report that contradicts what is known is never half
 * applied (decisions 5). A dropped deposit may come again as another.
 */
export function conflictWith(
  known: Deposit | undefined,
  sighting: Sighting,
  decimals: Decimals,
): ReturnType<typeof conflictOf> {
  if (known === undefined || known.kind === 'dropped') return null
  return conflictOf(known, sighting, decimals)
}

/** The answer to a report that changes nothing, because it cannot be right. */
function rejected(error: string): Judgement {
  return { outcome: { status: 'rejected', error }, change: null }
}
