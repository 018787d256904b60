import type { Standing } from '../../rules/invoice-life.js'
import type { CandidateSearch } from '../../rules/match-deposit.js'
import type { Awaitable } from '../../store.js'
import type { Work } from '../connection/work.js'
import { type InvoiceRow, STATE } from '../invoices/invoice-rows.js'
import type { LockedInvoices } from '../invoices/locked-invoices.js'
import { decideExpiryOf, settleIfPaid } from '../invoices/settle.js'
import type { CandidateQuestions, Head, Seeker } from './candidate-questions.js'

/** An answer, and the moment of the unit at which it was right. */
interface Known<T> {
  readonly answer: T
  readonly moment: number
}

/**
 * The candidates for a deposit to a locked wallet. What it answers is locked. An answer is kept as long as the unit changes nothing
 * that it depends on: the wallet is locked, so nobody else does.
 */
export class Candidates implements CandidateSearch<InvoiceRow, Head> {
  private knownOfAmount: Known<readonly InvoiceRow[]> | null = null
  private knownHeads: Known<readonly Head[]> | null = null
  private knownNewest: Known<InvoiceRow | null> | null = null

  constructor(
    private readonly work: Work,
    private readonly questions: CandidateQuestions,
    private readonly invoices: LockedInvoices,
    private readonly seeker: Seeker,
  ) {}

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

  isUnmatched(row: InvoiceRow): boolean {
    return row.matches === 0 && decideExpiryOf(this.work, row).state !== STATE.void
  }

  heads(): Awaitable<readonly Head[]> {
    const { work, knownHeads: known } = this
    if (known !== null && work.isAsAt(known.moment, this.seeker.walletId)) return known.answer
    const { moment } = work
    return this.questions.heads.ask(this.seeker).then((answer) => {
      this.knownHeads = { answer, moment }
      return answer
    })
  }

  next(head: Head): Promise<Head | null> {
    return this.questions.next.ask({ seeker: this.seeker, head })
  }

  invoiceOf({ id }: Head): Awaitable<InvoiceRow> {
    return this.invoices.get(id)
  }

  settleIfPaid(row: InvoiceRow): Standing | null {
    if (!this.invoices.isPresent(row)) return null
    if (row.state === STATE.open) return settleIfPaid(this.work, row)
    return row.state === STATE.paid ? 'paid' : 'void'
  }

  placesOf({ walletIds }: InvoiceRow): number {
    return walletIds.length
  }

  newest(): Awaitable<InvoiceRow | null> {
    const { work, knownNewest: known } = this
    if (known !== null && work.isAsAt(known.moment, this.seeker.walletId)) {
      return known.answer === null ? null : this.invoices.present(known.answer.id)
    }
    const { moment } = work
    return this.questions.newest.ask(this.seeker).then((answer) => {
      this.knownNewest = { answer, moment }
      return answer
    })
  }

  byAge(one: Pick<InvoiceRow, 'id'>, other: Pick<InvoiceRow, 'id'>): number {
    return one.id < other.id ? -1 : 1
  }
}
