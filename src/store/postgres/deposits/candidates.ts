import { isExpiryDue } from '../../../domain/voiding.js'
import type { Awaitable } from '../../reading.js'
import { type Callback, callbackKinds, callbackOf } from '../../rules/callbacks.js'
import type { CandidateSearch, DepositSearch } from '../../rules/match-deposit.js'
import type { Work } from '../connection/work.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import type { LockedInvoices } from '../invoices/locked-invoices.js'
import { decideExpiryOf, isPaidNow, settleIfPaid } from '../invoices/settle.js'
import type { CandidateQuestions, Head, Newest, Seeker } from './candidate-questions.js'

/** Whether a deposit is matched when it comes, or long after: then nothing that is met is settled, of which people would be told. */
export type MatchingTime = 'present' | 'past'

/** An answer, and the moment of the unit at which it was right. */
interface Known<T> {
  readonly answer: T
  readonly moment: number
}

/**
 * The searches for the invoice of a deposit to a locked wallet. What they answer is locked. They ask for the candidates of all kinds
 * at once, and keep an answer as long as the unit changes nothing that it depends on: the wallet is locked, so nobody else does.
 */
export class Searches implements DepositSearch<InvoiceRow, Head> {
  readonly kinds: readonly CandidateSearch<InvoiceRow, Head>[]
  private knownOfAmount: Known<readonly InvoiceRow[]> | null = null
  private knownHeads: Known<readonly Head[]> | null = null
  private knownNewest: Known<readonly Newest[]> | null = null
  private knownLastVoid: Known<InvoiceRow | null> | null = null

  constructor(
    readonly work: Work,
    readonly questions: CandidateQuestions,
    readonly invoices: LockedInvoices,
    readonly seeker: Seeker,
    readonly time: MatchingTime,
  ) {
    this.kinds = callbackKinds(seeker.hasDefaultCallback).map((callbacks) => candidatesOf(this, callbacks))
  }

  ofAmount(): Awaitable<readonly InvoiceRow[]> {
    const { work, knownOfAmount: known } = this
    if (known?.answer.every(({ id }) => work.isAsAt(known.moment, id)) === true) {
      // Deposits of the unit may have been counted for them since.
      return known.answer.map(({ id }) => this.invoices.present(id))
    }
    const { moment } = work
    return this.questions.ofAmount.ask(this.seeker).then((answer) => {
      this.knownOfAmount = { answer, moment }
      return answer
    })
  }

  heads(): Awaitable<readonly Head[]> {
    const { work, knownHeads: known } = this
    if (known !== null && this.isStill(known)) return known.answer
    const { moment } = work
    return this.questions.heads.ask(this.seeker).then((answer) => {
      this.knownHeads = { answer, moment }
      return answer
    })
  }

  newest(): Awaitable<readonly Newest[]> {
    const { work, knownNewest: known } = this
    if (known !== null && this.isStill(known)) {
      return known.answer.map(({ callback, row }) => ({ callback, row: this.invoices.present(row.id) }))
    }
    const { moment } = work
    return this.questions.newest.ask(this.seeker).then((answer) => {
      this.knownNewest = { answer, moment }
      return answer
    })
  }

  lastVoid(sinceMs: number): Awaitable<InvoiceRow | null> {
    const { work, knownLastVoid: known } = this
    if (known !== null && this.isStill(known)) {
      return known.answer === null ? null : this.invoices.present(known.answer.id)
    }
    const { moment } = work
    return this.questions.lastVoid.ask({ seeker: this.seeker, sinceMs }).then((answer) => {
      this.knownLastVoid = { answer, moment }
      return answer
    })
  }

  /** Whether the invoices on the wallet stand where they stood. A match alone moves none, and of the past there is nothing else. */
  private isStill({ moment }: Known<unknown>): boolean {
    return this.time === 'past' || this.work.isAsAt(moment, this.seeker.walletId)
  }
}

/** The candidates of some ways of notification. */
function candidatesOf(all: Searches, callbacks: readonly Callback[]): CandidateSearch<InvoiceRow, Head> {
  const { work, time, invoices, seeker, questions } = all
  return {
    ofAmount: () =>
      then(all.ofAmount(), (rows) => rows.filter(({ invoice }) => callbacks.includes(callbackOf(invoice)))),
    isUnmatched(row) {
      if (row.matches > 0) return false
      const { state } = time === 'past' ? row : decideExpiryOf(work, row)
      return state === STATE.open || state === STATE.paid
    },
    heads: () => then(all.heads(), (heads) => heads.filter(({ callback }) => callbacks.includes(callback))),
    next: (head) => questions.next.ask({ seeker, head }),
    invoiceOf: ({ id }) => invoices.get(id),
    settleIfPaid(row) {
      if (!invoices.isPresent(row)) return null
      if (row.state === STATE.open && time === 'past') return isPaidNow(row) ? 'paid' : 'open'
      if (row.state === STATE.open) return settleIfPaid(work, row)
      return row.state === STATE.paid ? 'paid' : 'void'
    },
    isUnpaid: (row) =>
      invoices.isPresent(row) && row.state === STATE.open && !isExpiryDue(row, work.nowMs) && !isPaidNow(row),
    placesOf: ({ walletIds }) => walletIds.length,
    newest: () =>
      then(all.newest(), (newest) => {
        const rows = newest.filter(({ callback }) => callbacks.includes(callback)).map(({ row }) => row)
        return rows.sort(byAge).at(-1) ?? null
      }),
    byAge,
  }
}

function byAge(one: Pick<InvoiceRow, 'id'>, other: Pick<InvoiceRow, 'id'>): number {
  return one.id < other.id ? -1 : 1
}

function then<T, U>(answer: Awaitable<T>, use: (value: T) => U): Awaitable<U> {
  return answer instanceof Promise ? answer.then(use) : use(answer)
}
