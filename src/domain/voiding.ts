import { type Failure, failure } from './failure.js'
import { isPaid, type Received } from './payment.js'

/** `expiresInSeconds` of a request (decisions 4). */
export const EXPIRY_SECONDS_MIN = 60
export const EXPIRY_SECONDS_MAX = 31_536_000

/** What is kept of an invoice's end as something payable. */
export interface Ending {
  /** When it expires, Unix ms; null when it never does. */
  readonly expiresAt: number | null
  /** When it became void, by request or by expiry; null while it is not, as far as that has been decided. */
  readonly voidedAt: number | null
  /** Its expiry has been decided: it was paid or being paid at that time, and expires no more. */
  readonly hasOutlivedExpiry: boolean
}

export const NO_ENDING: Ending = { expiresAt: null, voidedAt: null, hasOutlivedExpiry: false }

/** Paid or being paid: what was received and what is pending cover the amount. */
export function isCovered(amount: bigint, { confirmed, pending }: Received): boolean {
  return isPaid(amount, confirmed + pending)
}

/** Whether its time has come and nobody has decided yet what that means. */
export function isExpiryDue({ expiresAt, voidedAt, hasOutlivedExpiry }: Ending, nowMs: number): boolean {
  return expiresAt !== null && voidedAt === null && !hasOutlivedExpiry && expiresAt <= nowMs
}

/** What becomes of an invoice whose expiry is due: void from that time on, unless it is paid or being paid. */
export function decideExpiry(ending: Ending, isCoveredNow: boolean): Ending {
  return isCoveredNow ? { ...ending, hasOutlivedExpiry: true } : { ...ending, voidedAt: ending.expiresAt }
}

/**
 * When an invoice became void, judged by the clock: an expiry that is due counts though nobody has decided it yet. Null
 * while it is payable.
 */
export function voidedAtBy(ending: Ending, isCoveredNow: boolean, nowMs: number): number | null {
  return isExpiryDue(ending, nowMs) ? decideExpiry(ending, isCoveredNow).voidedAt : ending.voidedAt
}

/** Why an invoice cannot be voided by `owner`; null when it can. A void one is not asked. */
export function refuseVoiding(owner: string, invoiceOwner: string, isCoveredNow: boolean): Failure | null {
  if (owner !== invoiceOwner) return failure('not_invoice_owner')
  return isCoveredNow ? failure('invoice_paid') : null
}
