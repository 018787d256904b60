import { type OrderOptionRecord, type OrderRecord, shortFraction } from '../listing/orders.js'
import { fieldLines } from './output.js'
import { payableFields } from './payable-text.js'

/** What has come for an order in words, and what still completes it in the coins that can be paid. */
export function orderPaymentText(order: OrderRecord): string {
  const { price, options, paid_fraction: fraction } = order
  const amountsOf = (part: (option: OrderOptionRecord) => string, among = options) =>
    among.map((one) => [part(one), one.invoice.currency]).filter(([amount]) => amount !== '0')
  const listed = (amounts: readonly string[][], between: string) => amounts.map((one) => one.join(' ')).join(between)
  const received = amountsOf(({ payment }) => payment.own)
  const pending = amountsOf(({ payment }) => payment.pending)
  const remaining = amountsOf(
    (option) => option.remaining,
    options.filter((option) => option.voided_at === null),
  )
  return [
    `${stateText(order)}: ${shortFraction(fraction)} of ${price.amount} ${price.currency} received`,
    ...(received.length === 0 ? [] : [` (${listed(received, ' and ')})`]),
    ...(pending.length === 0 ? [] : [`, ${listed(pending, ' and ')} pending`]),
    ...(remaining.length === 0 ? [] : [`, ${listed(remaining, ' or ')} remaining`]),
  ].join('')
}

function stateText({ status, accepted_at: acceptedAt, voided_at: voidedAt }: OrderRecord): string {
  if (acceptedAt !== null) return 'accepted as paid'
  if (status !== 'partly') return status
  return voidedAt === null ? 'partly paid' : 'partly paid and void'
}

/** What an option asks, and by which rate; null for an amount that the shop fixed. */
export function askedText(
  { amount, currency }: { readonly amount: string; readonly currency: string },
  rate: string | null,
  priceCurrency: string,
): string {
  return `${amount} ${currency}${rate === null ? ', fixed' : ` at ${rate} ${priceCurrency}`}`
}

function optionText({ invoice, payment, rate, spread, voided_at: voidedAt }: OrderOptionRecord, currency: string) {
  const charged = spread === null || spread === '0' ? '' : ` + ${spread} %`
  const ended = voidedAt === null ? '' : ', void'
  return `${askedText(invoice, rate, currency)}${charged}: ${payment.own} received${ended}, invoice ${invoice.id}`
}

/** An order in lines for people; `pages` is where its page is. */
export function orderLines(order: OrderRecord, pages: string): string[] {
  const { price, options } = order
  return fieldLines([
    ['Order', order.id],
    ['Payment', orderPaymentText(order)],
    ['Price', `${price.amount} ${price.currency}`],
    ...options.map((option, i) => [`Option ${i + 1}`, optionText(option, price.currency)] as const),
    ...payableFields(order),
    ['Page', `${pages}/order/${order.id}`],
  ])
}
