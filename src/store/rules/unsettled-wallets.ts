/*
 * A deposit may pay any open invoice on its wallet, not only the one that it matched, and its owner is told so
 * (`invoice.paid`). The first few are examined at once. Where there are more, a record of the wallet stands for the rest, and
 * they are examined piece by piece between other commits.
 */

/** Open invoices that are examined with a deposit at most. */
export const EXAMINED_WITH_DEPOSIT = 32

/** A wallet with open invoices that have not been examined since a deposit. `P` is the place of one among them. */
export interface Unsettled<P> {
  /** Another deposit came meanwhile: when the end is reached, everything is examined once more. */
  readonly isAgain: boolean
  /** Whether owners are told of what is found paid. */
  readonly isAloud: boolean
  /** The place that was examined last; null to begin. */
  readonly examinedTo: P | null
}

/** Behind a deposit to a wallet that was settled; null when nothing is left to examine. */
export function unsettledBy<P>(examinedTo: P | null, isAloud: boolean): Unsettled<P> | null {
  return examinedTo === null ? null : { isAgain: false, isAloud, examinedTo }
}

/** Behind a deposit to a wallet that is not settled. */
export function unsettledAgain<P>(known: Unsettled<P>, isAloud: boolean): Unsettled<P> {
  return { ...known, isAgain: true, isAloud: known.isAloud || isAloud }
}

/** Behind a piece that went up to a place, or to the end (null). Null when the wallet is settled. */
export function behindPiece<P>(known: Unsettled<P>, examinedTo: P | null): Unsettled<P> | null {
  if (examinedTo !== null) return { ...known, examinedTo }
  return known.isAgain ? { ...known, isAgain: false, examinedTo: null } : null
}
