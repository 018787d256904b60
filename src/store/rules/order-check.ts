import { type Order, STANDINGS, type Standing } from '../../domain/order.js'
import { shareOf, standingOf } from '../../domain/order-share.js'
import type { CountedPortion } from './order-work.js'

/** An invoice of an order, as a check has read it. */
export interface CheckedOption {
  readonly portion: CountedPortion
  readonly voidedAt: number | null
}

/**
 * What is wrong with how an order stands. It stands as it was judged last: by what was matched to its invoices, and, where it leans, by what
 * was matched to none. Of the latter more may have come since, which nobody has judged yet, and none has left.
 */
export function* flawsOfStanding(order: Order, options: readonly CheckedOption[]): Generator<string> {
  const { standing, isLeaning, acceptedAt, voidedAt, isExpiryDecided } = order
  const portions = options.map(({ portion }) => portion)
  const least = standingOf(shareOf(portions.map(matchedOnly)))
  const most = isLeaning ? standingOf(shareOf(portions)) : least
  const isRight = rankOf(standing) >= rankOf(least) && rankOf(standing) <= rankOf(most)
  const said = least === most ? least : `${least} to ${most}`
  if (!isRight) yield `it stands as ${standing}, and its invoices say ${said}`
  if (isLeaning && portions.every(({ unmatched }) => unmatched === 0n)) {
    yield 'it leans on money that is matched to no invoice, and there is none'
  }
  if (acceptedAt !== null) return
  const isOver = options.every((option) => option.voidedAt !== null)
  if (standing !== 'paid' && voidedAt !== null && !isOver) yield 'it is void, and one of its invoices can be paid'
  // Theirs are decided before its own.
  if (standing !== 'paid' && voidedAt === null && isOver && isExpiryDecided) {
    yield 'none of its invoices can be paid, and it is not void'
  }
  const isPaidAlone = (portion: CountedPortion) => {
    const { amount, own } = isLeaning ? portion : matchedOnly(portion)
    return own.confirmed >= amount
  }
  if (standing === 'paid' && options.some((option) => option.voidedAt === null && !isPaidAlone(option.portion))) {
    yield 'it is paid, and an invoice that is not paid is not void'
  }
}

/** An option without what is matched to no invoice. */
function matchedOnly({ amount, own, unmatched }: CountedPortion): CountedPortion {
  return { amount, own: { ...own, confirmed: own.confirmed - unmatched }, unmatched: 0n }
}

function rankOf(standing: Standing): number {
  return STANDINGS.indexOf(standing)
}
