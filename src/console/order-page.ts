import { formatAmount } from '../domain/amount.js'
import type { Payment, QualifyingDeposit } from '../domain/payment.js'
import { shownOrder } from '../http/routes/orders.js'
import { type Columns, timeOrNull } from '../listing/column.js'
import { qualifyingColumns } from '../listing/deposits.js'
import { type OrderOptionRecord, type OrderRecord, shortFraction } from '../listing/orders.js'
import { type Markup, markup } from '../page/markup.js'
import { confirmedCompletion, orderCoins } from '../reports/orders.js'
import type { OrderWithDeposits } from '../store/orders.js'
import type { Store } from '../store/store.js'
import { recordsOf } from './deposit-records.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { payersPage } from './payers-page.js'
import { facts, idText, moment, table } from './table.js'
import { type Moment, momentColumns, momentsOf } from './timeline.js'

/** Deposits of each option that the page of an order shows. */
const DEPOSITS_SHOWN = 20

export type OrderStore = Pick<Store, 'orders' | 'deposits' | 'wallets' | 'networks'>

/** An option of an order with what people call its coin. */
interface ShownOption extends OrderOptionRecord {
  readonly coin: string
  /** What came for it alone. */
  readonly own: Payment
}

interface ShownDeposit extends QualifyingDeposit {
  readonly coin: string
}

const OPTION_COLUMNS = {
  id: { title: 'Invoice', kind: 'id', of: ({ invoice }) => invoice.id },
  amount: { title: 'Amount', kind: 'figure', of: ({ invoice, coin }) => `${invoice.amount} ${coin}` },
  rate: { title: 'Rate', kind: 'figure', of: ({ rate }) => rate ?? 'fixed' },
  at: { title: 'Rate of', kind: 'time', of: ({ rateAt }) => timeOrNull(rateAt) },
  spread: { title: 'Spread, %', kind: 'figure', of: ({ spread }) => spread },
  received: { title: 'Received', kind: 'figure', of: ({ own }) => own.received },
  pending: { title: 'Pending', kind: 'figure', of: ({ own }) => own.pending },
  remaining: { title: 'Completes it', kind: 'figure', of: ({ remaining }) => remaining },
  voided: { title: 'Void since', kind: 'time', of: ({ voided_at: voidedAt }) => timeOrNull(voidedAt) },
} satisfies Columns<ShownOption>

const DEPOSIT_COLUMNS = {
  ...qualifyingColumns,
  amount: { title: 'Amount', kind: 'figure', of: ({ amount, coin }) => `${amount} ${coin}` },
} satisfies Columns<ShownDeposit>

/** One order: its price, its options, what came for them; payers find its page below `pages`. Null if there is none of the id. */
export async function orderPage(store: OrderStore, id: string, pages: string): Promise<ConsolePage | null> {
  const found = await store.orders.findWithDeposits(id, DEPOSITS_SHOWN)
  if (found === undefined) return null
  const order = shownOrder(found)
  const coins = await orderCoins(store, found)
  const coinOf = (i: number) => coins[i] ?? ''
  const deposits = found.invoices
    .flatMap((one, i) => one.deposits.map((deposit) => ({ ...deposit, coin: coinOf(i) })))
    .sort((a, b) => b.receivedAt - a.receivedAt)
  const areAll = found.invoices.every(({ hasMoreDeposits }) => !hasMoreDeposits)
  const content = markup`${orderFacts(order, pages)}
<h2>Payment</h2>
${paymentFacts(order, found, coins)}
<h2>Ways to pay</h2>
${table({
  caption: `What each option asks, and the price of one coin in ${order.price.currency}`,
  columns: OPTION_COLUMNS,
  items: found.invoices.flatMap(({ own }, i) => {
    const option = order.options[i]
    return option === undefined ? [] : [{ ...option, own, coin: coinOf(i) }]
  }),
  links: { id: ({ invoice }) => links.invoice(invoice.id) },
  none: 'None.',
})}
<h2>Deposits</h2>
${table({
  caption: areAll ? 'All, newest first' : `The newest ${DEPOSITS_SHOWN} of each option, of more`,
  columns: DEPOSIT_COLUMNS,
  items: deposits,
  links: { transaction: ({ network, txHash }) => links.transaction(network, txHash) },
  none: 'None.',
})}
<h2>Timeline</h2>
${table({
  caption: areAll ? 'Oldest first' : `Oldest first, with the newest ${DEPOSITS_SHOWN} deposits of each option`,
  columns: momentColumns,
  items: await momentsOfOrder(store, order, found),
  links: { what: ({ href }) => href },
  none: 'Nothing.',
})}`
  return { title: `Order ${order.id}`, section: 'orders', content }
}

function orderFacts(order: OrderRecord, pages: string): Markup {
  const { description, owner } = order
  return facts([
    ['Name', order.name],
    ['Description', description === null ? null : markup`<bdi class="description">${description}</bdi>`],
    ['Order number', order.orderNumber],
    ['Reference', order.reference],
    ['Owner', idText(owner, links.ofOwner('orders', owner))],
    ['Payment page', payersPage(pages, `/order/${order.id}`)],
    ['Returns to', order.returnUrl],
    ...Object.entries(order.metadata ?? {}).map(([key, text]) => [`Metadata ${key}`, text] as const),
    ['Created', moment(order.created_at)],
    ['Expires', moment(order.expires_at)],
    ['Void since', moment(order.voided_at)],
    ['Accepted', moment(order.accepted_at)],
  ])
}

function paymentFacts(order: OrderRecord, found: OrderWithDeposits, coins: readonly string[]): Markup {
  const { price, status } = order
  const { excess } = confirmedCompletion(found)
  const overpaid = excess.flatMap((atoms, i) => (atoms > 0n ? [`${formatAmount(atoms)} ${coins[i] ?? ''}`] : []))
  return facts([
    ['State', order.accepted_at === null ? status : 'accepted as paid'],
    ['Price', `${price.amount} ${price.currency}`],
    ['Paid part', shortFraction(order.paid_fraction)],
    ['Overpaid', overpaid.length === 0 ? null : overpaid.join(', ')],
  ])
}

/** Made of the records, as the timeline of an invoice is. */
async function momentsOfOrder(
  { deposits, networks }: OrderStore,
  order: OrderRecord,
  found: OrderWithDeposits,
): Promise<readonly Moment[]> {
  const records = await recordsOf(
    deposits,
    found.invoices.flatMap((one) => one.deposits),
  )
  const { completedAt } = confirmedCompletion(found)
  const told: readonly (readonly [at: number | null, what: string])[] = [
    [completedAt, 'The price was complete'],
    [order.accepted_at, 'Accepted'],
    [order.voided_at, order.voided_at === order.expires_at ? 'Expired' : 'Voided'],
  ]
  const moments: Moment[] = [
    { at: order.created_at, what: `Created for ${order.price.amount} ${order.price.currency}`, href: null },
    ...records.flatMap((deposit) => momentsOf(deposit, networks.decimals)),
    ...told.flatMap(([at, what]) => (at === null ? [] : [{ at, what, href: null }])),
  ]
  // A stable sort: what happened at one time stays in the order above.
  return moments.sort((one, other) => one.at - other.at)
}
