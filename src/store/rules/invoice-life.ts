import type { InvoiceEventType } from '../../domain/event.js'
import { accept, decideExpiry, type Ending, isExpiryDue } from '../../domain/voiding.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { lastToReceive } from './last-to-receive.js'

/*
 * What becomes of an invoice:
 *
 *     open        not known to be paid                      until a search finds it paid (`settleIfPaid`)
 *     paid        found paid                                until a reorganisation takes the payment away (`reopen`)
 *     void        by request, by expiry or by its order     for ever, unless the end of its order is taken back (`revive`)
 *     accepted    what had come was taken as enough         for ever
 *
 * A paid invoice never stands in the way of a search, however much a wallet has sold. An open one that was paid by deposits
 * that were meant for others is found out by the first search that meets it, once.
 */

/** What has become of an invoice that was open. */
export type Standing = 'open' | 'paid' | 'void'

/** What the rules need of an engine: facts that are at hand, and effects. `I` is the engine's row of an invoice. */
export interface InvoiceLife<I extends Ending> {
  /** Unix ms. */
  readonly nowMs: number
  /** Whether confirmed and pending deposits together cover the amount. */
  isCovered(invoice: I): boolean
  /** Whether what has come keeps it from its expiry (`outlives`). */
  outlivesExpiry(invoice: I): boolean
  isPaid(invoice: I): boolean
  /** Writes how an invoice ended, or whether it expires. One that is void or accepted stands among the open and the paid ones no more. */
  end(invoice: I, ending: Ending): I
  /** Moves an open invoice among those that were found paid. */
  enterPaid(invoice: I): void
  /** Has a void invoice be open again, with another end. */
  revive(invoice: I, ending: Ending): I
  /** Moves an invoice that was found paid among the open ones. */
  enterOpen(invoice: I): void
  /** Enters what became of an invoice into the log of its owner. */
  log(type: InvoiceEventType, invoice: I): void
}

/** Decides the expiry of an invoice if it is due. */
export function decideExpiryOf<I extends Ending>(life: InvoiceLife<I>, invoice: I): I {
  if (!isExpiryDue(invoice, life.nowMs)) return invoice
  const decided = life.end(invoice, decideExpiry(invoice, life.outlivesExpiry(invoice)))
  if (decided.voidedAt !== null) life.log('invoice.expired', decided)
  return decided
}

/** Voids an invoice at the request of its owner. */
export function voidNow<I extends Ending>(life: InvoiceLife<I>, invoice: I): I {
  const { expiresAt, hasOutlivedExpiry } = invoice
  const gone = life.end(invoice, { expiresAt, voidedAt: life.nowMs, acceptedAt: null, hasOutlivedExpiry })
  life.log('invoice.voided', gone)
  return gone
}

/** Accepts an invoice that is neither void nor accepted. */
export function acceptNow<I extends Ending>(life: InvoiceLife<I>, invoice: I): I {
  const accepted = life.end(invoice, accept(invoice, life.nowMs))
  life.log('invoice.accepted', accepted)
  return accepted
}

/** Keeps an invoice from its expiry, which is ahead, or gives it back to it. */
export function setHeld<I extends Ending>(life: InvoiceLife<I>, invoice: I, isHeld: boolean): void {
  const { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry } = invoice
  if (hasOutlivedExpiry !== isHeld) life.end(invoice, { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry: isHeld })
}

/** Settles an open invoice if it turns out to be paid, and decides its expiry. Answers what has become of it. */
export function settleIfPaid<I extends Ending>(life: InvoiceLife<I>, open: I): Standing {
  const invoice = decideExpiryOf(life, open)
  if (invoice.voidedAt !== null) return 'void'
  if (!life.isPaid(invoice)) return 'open'
  life.enterPaid(invoice)
  life.log('invoice.paid', invoice)
  return 'paid'
}

/** The invoices found paid on an account, which is a wallet in one currency. Their owners may be earlier owners of the wallet. */
export interface PaidInvoices<I> {
  /** The greatest amount that was ever paid, atoms; null when none was. */
  greatest(): Awaitable<bigint | null>
  /** What confirmed deposits came to strictly after a moment, atoms. */
  confirmedAfter(timeMs: number): Awaitable<bigint>
  /** Those that were created from `fromMs` on and before `beforeMs`. An engine that must lock them has. */
  between(fromMs: number, beforeMs: number): Awaitable<Iterable<I>>
}

/**
 * A confirmed deposit left an account: invoices created before it may be unpaid again. Those created up to the last moment
 * after which the rest of the account covers the greatest amount ever paid stay paid.
 */
export function* reopen<I extends Ending>(
  life: InvoiceLife<I>,
  paid: PaidInvoices<I>,
  receivedAt: number,
): Asking<void> {
  const greatest = yield* ask(paid.greatest())
  if (greatest === null) return
  const covered = yield* lastToReceive((timeMs) => paid.confirmedAfter(timeMs), greatest, receivedAt)
  for (const invoice of yield* ask(paid.between(covered === null ? 0 : covered + 1, receivedAt))) {
    if (life.isPaid(invoice)) continue
    life.enterOpen(invoice)
    life.log('invoice.unpaid', invoice)
  }
}

/** How the deposits change that are matched to an invoice and were not dropped. */
export interface MatchChange {
  /** How many come (1) or go (−1). */
  readonly matches: number
  /** What of it was seen, and what was confirmed, in atoms; of those only that qualify for the invoice. */
  readonly seen: bigint
  readonly confirmed: bigint
}

/** The deposits that are matched to an invoice and were not dropped. `I` names an invoice. */
export interface Matches<I> {
  /** Answers how many there were before. */
  change(invoice: I, by: MatchChange): number
  /** Notes, if the invoice is among those found paid, whether a deposit has matched it. */
  mark(invoice: I, isMatched: boolean): void
}

/** Brings the matches of an invoice up to date with one deposit. */
export function changeMatch<I>(matches: Matches<I>, invoice: I, by: MatchChange): void {
  const before = matches.change(invoice, by)
  if (before + by.matches < 0) throw new Error('an invoice has no match to give back')
  if (by.matches > 0 && before === 0) matches.mark(invoice, true)
  if (by.matches < 0 && before === 1) matches.mark(invoice, false)
}
