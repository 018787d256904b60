import type { Clock } from '../../clock.js'
import { failure } from '../../domain/failure.js'
import { walletsOf } from '../../domain/invoice.js'
import type { StrayDeposit } from '../../domain/payment.js'
import type { PageNetworks } from '../../page/networks.js'
import type { PageState } from '../../page/open-pages.js'
import { orderPage } from '../../page/order-page.js'
import { OrderPayment } from '../../page/order-payment.js'
import { type OptionView, type OrderView, orderVersionOf } from '../../page/order-view.js'
import { orderPageName } from '../../page/page-name.js'
import { areConfirming, TRANSACTIONS_MAX } from '../../page/transactions.js'
import type { OrderPort, OrderWithDeposits } from '../../store/orders.js'
import { handlers } from '../endpoints.js'
import { failureAnswer } from '../json.js'
import type { Lists, Work } from '../lists.js'
import type { Answer, RequestHead } from '../server.js'
import { frameFor, type PageSettings, pageAnswer, SHOP_PATHS } from './page-answers.js'
import { eventsAnswer, type PageEventsParts } from './page-events.js'
import { qrAnswer, walletOfQr } from './page-qr.js'
import { STRAYS_MAX, straysShown, type WalletReads, walletNodesOf, walletsShown } from './page-wallets.js'

/** What the page of an order reads. */
export interface OrderPageStore extends WalletReads {
  readonly orders: Pick<OrderPort, 'findWithDeposits'>
}

export interface OrderPageParts extends PageEventsParts {
  readonly store: OrderPageStore
  /** A page of an order with many options takes milliseconds: clients have theirs in turn, and are charged for them. */
  readonly lists: Pick<Lists, 'charged'>
  readonly pages: PageSettings
  readonly networks: PageNetworks
  readonly clock: Clock
}

/** The page of an order; 404 for an id that names none, malformed or not. `failurePages` turns failures into pages. */
export function orderPageHandlers(parts: OrderPageParts) {
  const { lists } = parts
  return handlers({
    'GET /order/:id': (request, { id }) => lists.charged(request, (run) => show(parts, request, id, run)),
    'GET /order/:id/events': (request, { id }) => lists.charged(request, (run) => showEvents(parts, request, id, run)),
    'GET /order/:id/qr/:file': (request, { id, file }) => lists.charged(request, (run) => showQr(parts, id, file, run)),
  })
}

/** Runs a piece of the work when it is its turn. */
type Run = Work['run']

async function show(parts: OrderPageParts, head: RequestHead, id: string, run: Run): Promise<Answer> {
  const { store, pages, networks, clock } = parts
  const shown = await shownOf(store, id, clock.now(), run)
  if (shown === undefined) return failureAnswer(failure('order_not_found'))
  return await run(() => {
    const frame = frameFor(pages, head, SHOP_PATHS.order)
    const view = { ...shown, ...choiceOf(head), networks, nowMs: clock.now(), lateMs: pages.lateMs }
    return pageAnswer(200, orderPage(frame, view), frame, { ...pages, walletNodes: nodesOf(view) })
  })
}

type Shown = Pick<OrderView, 'order' | 'options' | 'strays'>

/** The option and the wallet that the address asks for. Options are counted from 1, as in the references of their invoices. */
function choiceOf({ query }: RequestHead): Pick<OrderView, 'option' | 'wallet'> {
  const asked = new URLSearchParams(query)
  const number = (name: string) => (/^\d{1,2}$/.test(asked.get(name) ?? '') ? Number(asked.get(name)) : null)
  const option = number('option')
  return { option: option === null ? null : option - 1, wallet: number('wallet') ?? 0 }
}

/** What browser wallets ask from within the page: the nodes of the networks of the option that it shows. */
function nodesOf(view: OrderView): readonly string[] {
  const payment = new OrderPayment(view.order, view.options, view.nowMs)
  const option = payment.payable.length === 0 ? undefined : view.options[payment.chosen(view.option)]
  return option === undefined ? [] : walletNodesOf(option.invoice, { wallets: option.wallets, networks: view.networks })
}

/** An order with its invoices as they pay it, without their wallets. */
function paymentOptionsOf({ order, invoices }: OrderWithDeposits): readonly Omit<OptionView, 'wallets'>[] {
  return order.options.map(({ rate, decimals }, i) => {
    const invoice = invoices[i]
    if (invoice === undefined) throw new Error('an option of an order was read without its invoice')
    return { ...invoice, rate, decimals }
  })
}

async function shownOf(store: OrderPageStore, id: string, nowMs: number, run: Run): Promise<Shown | undefined> {
  const found = await run(() => store.orders.findWithDeposits(id, TRANSACTIONS_MAX))
  if (found === undefined) return undefined
  const { order } = found
  const { isPaid } = new OrderPayment(order, paymentOptionsOf(found), nowMs)
  const options: OptionView[] = []
  const strays: StrayDeposit[] = []
  for (const option of paymentOptionsOf(found)) {
    const wallets = await run(() => walletsShown(store, option.invoice))
    options.push({ ...option, wallets })
    // Who has paid is told of no other coin.
    const others = isPaid ? [] : await run(() => straysShown(store, option.invoice, wallets))
    // Two options may be on one wallet.
    const told = new Set(strays.map(nameOf))
    strays.push(...others.filter((stray) => !told.has(nameOf(stray))))
  }
  return { order, options, strays: strays.slice(0, STRAYS_MAX) }
}

function nameOf({ network, txHash, currency }: StrayDeposit): string {
  return JSON.stringify([network, txHash, currency])
}

/** What the page of an order shows now; undefined if there is no such order. */
export async function orderPageState(
  { store, networks, clock }: Pick<OrderPageParts, 'store' | 'networks' | 'clock'>,
  id: string,
  run: Run,
): Promise<PageState | undefined> {
  const shown = await shownOf(store, id, clock.now(), run)
  if (shown === undefined) return undefined
  return { version: orderVersionOf({ ...shown, networks }), isConfirming: shown.options.some(areConfirming) }
}

async function showEvents(parts: OrderPageParts, head: RequestHead, id: string, run: Run): Promise<Answer> {
  const { store, networks, pages, clock } = parts
  const nowMs = clock.now()
  const shown = await shownOf(store, id, nowMs, run)
  if (shown === undefined) return failureAnswer(failure('order_not_found'))
  return eventsAnswer(parts, head, {
    page: orderPageName(id),
    version: orderVersionOf({ ...shown, networks }),
    // What comes for one of its invoices changes what is left of all.
    walletIds: [...new Set(shown.options.flatMap(({ invoice }) => walletsOf(invoice)))],
    invoiceIds: shown.options.map(({ invoice }) => invoice.id),
    awaited: new OrderPayment(shown.order, shown.options, nowMs).awaited(pages.lateMs),
  })
}

/** The code of an address that the page shows for one of the options; 404 for every other one, as nobody is to pay there. */
async function showQr({ store, clock }: OrderPageParts, id: string, file: string, run: Run): Promise<Answer> {
  const walletId = walletOfQr(file)
  const found = walletId === null ? undefined : await run(() => store.orders.findWithDeposits(id, 0))
  if (walletId === null || found === undefined) return failureAnswer(failure('not_found'))
  const { payable } = new OrderPayment(found.order, paymentOptionsOf(found), clock.now())
  const isShown = payable.some((option) => {
    const invoice = found.invoices[option]?.invoice
    return invoice !== undefined && walletsOf(invoice).includes(walletId)
  })
  const address = isShown ? (await run(() => store.wallets.find(walletId)))?.address : null
  if (address === null || address === undefined) return failureAnswer(failure('not_found'))
  return await run(() => qrAnswer(address))
}
