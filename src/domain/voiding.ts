import { type Failure, failure } from './failure.js'
import { isPaid, type Received, type Sums } from './payment.js'

/** `expiresInSeconds` of a request (decisions 4). */
export const EXPIRY_SECONDS_MIN = 60
export const EXPIRY_SECONDS_MAX = 31_536_000

/** For how many days an invoice that has become void is matched to what comes for nobody else (decisions 6). */
export const LATE_DAYS_DEFAULT = 30

/** The stored facts about the end of an invoice. */
export interface Ending {
  /** When it expires, Unix ms; null when it never does. */
  readonly expiresAt: number | null
  /** When it became void, by request or by expiry; null while no one has decided that it is. */
  readonly voidedAt: number | null
  /** When what had come was taken as enough, Unix ms; null for never. It is never void as well. */
  readonly acceptedAt: number | null
  /**
   * True once its expiry was decided in its favour, and it no longer expires: it was paid or being paid at that time, or accepted
   * before. Also while what was seen, which is to be confirmed, is nearly the amount and will be accepted.
   */
  readonly hasOutlivedExpiry: boolean
}

export const NO_ENDING: Ending = { expiresAt: null, voidedAt: null, acceptedAt: null, hasOutlivedExpiry: false }

/** Whether confirmed and pending deposits together cover the amount. */
export function isCovered(amount: bigint, { confirmed, pending }: Received): boolean {
  return isPaid(amount, confirmed + pending)
}

/**
 * Whether what has come keeps an invoice from its expiry. An option of an order lives on with whatever has come for it: the payer may
 * have paid the rest in another coin (decisions 15).
 */
export function outlives(amount: bigint, sums: Sums, isOption: boolean): boolean {
  return isOption ? sums.own.confirmed + sums.own.pending > 0n : isCovered(amount, sums)
}

/** Whether the expiry time has passed and the expiry is still undecided. */
export function isExpiryDue({ expiresAt, voidedAt, hasOutlivedExpiry }: Ending, nowMs: number): boolean {
  return expiresAt !== null && voidedAt === null && !hasOutlivedExpiry && expiresAt <= nowMs
}

/** Whether the expiry time has not passed. */
export function isExpiryAhead({ expiresAt }: Ending, nowMs: number): boolean {
  return expiresAt !== null && expiresAt > nowMs
}

/** Decides a due expiry: the invoice is void from that time on, unless what has come keeps it alive (`outlives`). */
export function decideExpiry(ending: Ending, livesOn: boolean): Ending {
  return livesOn ? { ...ending, hasOutlivedExpiry: true } : { ...ending, voidedAt: ending.expiresAt }
}

/**
 * When an invoice became void, by the clock: a due expiry counts even if it is undecided. Null while it is payable.
 */
export function voidedAtBy(ending: Ending, livesOn: boolean, nowMs: number): number | null {
  return isExpiryDue(ending, nowMs) ? decideExpiry(ending, livesOn).voidedAt : ending.voidedAt
}

/** Why `owner` cannot void an invoice that is not void; null if it can. An accepted one is settled. */
export function refuseVoiding(owner: string, invoiceOwner: string, isCoveredOrAccepted: boolean): Failure | null {
  if (owner !== invoiceOwner) return failure('not_invoice_owner')
  return isCoveredOrAccepted ? failure('invoice_paid') : null
}

/** Why `owner` cannot accept an invoice, whose expiry is decided if it was due; null if it can. */
export function refuseAccepting(owner: string, invoiceOwner: string, { voidedAt }: Ending): Failure | null {
  if (owner !== invoiceOwner) return failure('not_invoice_owner')
  return voidedAt === null ? null : failure('invoice_void')
}

/** What becomes of an invoice that is accepted. It no longer expires. */
export function accept({ expiresAt }: Ending, nowMs: number): Ending {
  return { expiresAt, voidedAt: null, acceptedAt: nowMs, hasOutlivedExpiry: expiresAt !== null }
}
