import { smallestUnit } from '../../../domain/amount.js'
import type { InvoiceRequest } from '../../../domain/invoice.js'
import { type Quote, raiseSteps } from '../../../domain/order-price.js'
import type { InvoiceCommand, OrderCommand } from '../../commands.js'
import { mayBeRaised, optionRequests, raisedWallets } from '../../rules/create-order.js'
import type { Work } from '../connection/work.js'
import { amountName, walletName } from './names.js'
import { amountsAsked, type RaisedPlace } from './raised-steps.js'

/*
 * The open invoices that stand in the way of the amounts to which those of new orders may be raised. They are read only for orders that
 * meet one at the amount itself, or others of their own batch.
 */

/** What an invoice may ask for which a batch was made: its amount, or up to the most to which that may be raised. */
interface Span {
  readonly lowest: bigint
  readonly highest: bigint
}

/** The invoices that a creation asks for. */
export type Wanted = readonly (readonly [InvoiceRequest, Quote | null])[]

/** The reference of an order without one is nobody else's, so that any id stands for its own. */
const NO_ID = '0'.repeat(32)

export function wantedBy(command: InvoiceCommand | OrderCommand): Wanted {
  if (command.type === 'invoice') return [[command.request, null]]
  return optionRequests(NO_ID, command).map(({ request, quote }) => [request, quote.ok ? quote.value : null])
}

/**
 * `amountName` of each amount that an invoice asks which may be unpaid, of those to which the creations of a batch may raise theirs.
 * `amounts`: those that unpaid invoices ask, likewise.
 */
export async function raisedAmountsAsked(
  work: Work,
  batch: readonly Wanted[],
  amounts: ReadonlySet<string>,
): Promise<readonly string[]> {
  return amountsAsked(work, placesToRaise(batch, amounts))
}

/**
 * Of each order that may have to raise amounts, the places of those. An amount is raised only where it is asked: by an unpaid invoice, or
 * by a creation before it in the batch. Such a one asks just its amount, unless that may have to be raised itself.
 */
export function placesToRaise(
  batch: readonly Wanted[],
  amounts: ReadonlySet<string>,
): readonly (readonly RaisedPlace[])[] {
  if (!batch.some((wanted) => wanted.some(([, quote]) => mayBeRaised(quote)))) return []
  const before = new Map<string, Span[]>()
  return batch.map((wanted) => placesOf(wanted, amounts, before)).filter((places) => places.length > 0)
}

/** The same of one creation, which is entered into what is `before` the next one: the spans of each `walletName`. */
function placesOf(wanted: Wanted, amounts: ReadonlySet<string>, before: Map<string, Span[]>): readonly RaisedPlace[] {
  const isAsked = ({ owner, currency, amount }: InvoiceRequest, walletId: string) =>
    amounts.has(amountName(walletId, owner, currency, amount)) ||
    before
      .get(walletName(walletId, owner, currency))
      ?.some(({ lowest, highest }) => lowest <= amount && amount <= highest) === true
  const steps = raiseSteps(raisedWallets(wanted))
  const asked = wanted.map(([request, quote], option) => {
    const { owner, currency, amount, walletIds } = request
    const toRaise = mayBeRaised(quote) && walletIds.some((id) => isAsked(request, id)) ? quote : null
    const names = walletIds.map((id) => walletName(id, owner, currency))
    return { option, request, toRaise, names, span: { lowest: amount, highest: toRaise?.highest ?? amount } }
  })
  for (const { names, span } of asked) {
    for (const name of names) {
      const known = before.get(name)
      if (known === undefined) before.set(name, [span])
      else known.push(span)
    }
  }
  return asked.flatMap(({ option, request, toRaise, names, span }) => {
    if (toRaise === null) return []
    const { walletIds, owner, currency, amount } = request
    const { highest, decimals } = toRaise
    const unit = smallestUnit(decimals)
    return walletIds.map((walletId, i) => {
      // All that overlap but its own.
      const others = (before.get(names[i] ?? '') ?? []).filter((one) => isOverlapping(one, span)).length - 1
      return { option, walletId, owner, currency, amount, unit, highest, steps, others }
    })
  })
}

function isOverlapping(one: Span, other: Span): boolean {
  return one.lowest <= other.highest && other.lowest <= one.highest
}
