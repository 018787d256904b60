import type { Clock } from '../../clock.js'
import { failure } from '../../domain/failure.js'
import { walletsOf } from '../../domain/invoice.js'
import { acceptedPayment } from '../../domain/payment.js'
import type { PageNetworks } from '../../page/networks.js'
import type { PageState } from '../../page/open-pages.js'
import { payPage } from '../../page/page-name.js'
import { type PaymentView, paymentPage, versionOf } from '../../page/payment-page.js'
import { awaitedBy, leftToSend, paymentStateOf } from '../../page/payment-state.js'
import { areConfirming, TRANSACTIONS_MAX } from '../../page/transactions.js'
import type { InvoicePort } from '../../store/invoices.js'
import type { OrderPort } from '../../store/orders.js'
import type { InvoiceWithDeposits } from '../../store/reading.js'
import { handlers } from '../endpoints.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'
import type { Lists, Work } from '../lists.js'
import type { Answer, RequestHead } from '../server.js'
import { frameFor, type PageSettings, pageAnswer, SHOP_PATHS } from './page-answers.js'
import { eventsAnswer, type PageEventsParts } from './page-events.js'
import { qrAnswer, walletOfQr } from './page-qr.js'
import { straysShown, type WalletReads, walletNodesOf, walletsShown } from './page-wallets.js'

/** What the page reads. */
export interface PageStore extends WalletReads {
  readonly invoices: Pick<InvoicePort, 'findWithDeposits'>
  readonly orders: Pick<OrderPort, 'find'>
}

export interface PaymentPageParts extends PageEventsParts {
  readonly store: PageStore
  /** A page of an invoice on many wallets takes milliseconds: clients have theirs in turn, and are charged for them. */
  readonly lists: Pick<Lists, 'charged'>
  readonly pages: PageSettings
  readonly networks: PageNetworks
  readonly clock: Clock
}

/** The payment page; 404 for an id that names no invoice, malformed or not. `failurePages` turns failures into pages. */
export function paymentPageHandlers(parts: PaymentPageParts) {
  const { lists } = parts
  return handlers({
    'GET /pay/:id': (request, { id }) => lists.charged(request, (run) => show(parts, request, id, run)),
    'GET /pay/:id/events': (request, { id }) => lists.charged(request, (run) => showEvents(parts, request, id, run)),
    'GET /pay/:id/qr/:file': (request, { id, file }) => lists.charged(request, (run) => showQr(parts, id, file, run)),
  })
}

/** Runs a piece of the work when it is its turn. */
type Run = Work['run']

async function show(parts: PaymentPageParts, head: RequestHead, id: string, run: Run): Promise<Answer> {
  const { store, pages, networks, clock } = parts
  const found = await run(() => store.invoices.findWithDeposits(id, TRANSACTIONS_MAX))
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  if (found.orderId !== null) return leadToOrder(store, head, found, found.orderId, run)
  const shown = await shownOf(store, found, run)
  return await run(() => {
    const frame = frameFor(pages, head, SHOP_PATHS.invoice)
    const view = { ...shown, chosen: chosenWallet(head, shown), networks, nowMs: clock.now(), lateMs: pages.lateMs }
    const isAsked = leftToSend(paymentStateOf(view.payment, view.voidedAt !== null)) !== null
    const walletNodes = isAsked ? walletNodesOf(view.invoice, view) : []
    return pageAnswer(200, paymentPage(frame, view), frame, { ...pages, walletNodes })
  })
}

/**
 * To the page of its order, which asks for what is left of it: part of it may have been paid in another coin. The address is relative,
 * so that it works behind a proxy under another path.
 */
async function leadToOrder(
  { orders }: PageStore,
  { query }: RequestHead,
  { invoice }: InvoiceWithDeposits,
  orderId: string,
  run: Run,
): Promise<Answer> {
  const order = await run(() => orders.find(orderId))
  const option = order?.options.findIndex(({ invoiceId }) => invoiceId === invoice.id) ?? -1
  const lang = new URLSearchParams(query).get('lang') ?? ''
  const kept = new URLSearchParams({
    ...(/^[a-z]{2}$/.test(lang) ? { lang } : {}),
    ...(option === -1 ? {} : { option: String(option + 1) }),
  })
  return { status: 302, headers: { ...REDIRECT_HEADERS, Location: `../order/${orderId}?${kept}` }, body: '' }
}

const REDIRECT_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  ...BASE_HEADERS,
})

type Shown = Omit<PaymentView, 'chosen' | 'networks' | 'nowMs' | 'lateMs'>

/** Which of its wallets the page was asked for, as its links without a script do; else the first one. */
function chosenWallet({ query }: RequestHead, { wallets }: Pick<Shown, 'wallets'>): number {
  const asked = new URLSearchParams(query).get('wallet') ?? ''
  return /^\d{1,2}$/.test(asked) && Number(asked) < wallets.length ? Number(asked) : 0
}

async function shownOf(store: PageStore, found: InvoiceWithDeposits, run: Run): Promise<Shown> {
  // What others paid to its wallets is nobody's business here.
  const { own, ...shown } = found
  const payment = shown.acceptedAt === null ? own : acceptedPayment(own)
  const wallets = await run(() => walletsShown(store, found.invoice))
  // Who has paid is told of no other coin.
  const isPaid = own.status === 'paid' && found.voidedAt === null
  const strays = isPaid ? [] : await run(() => straysShown(store, found.invoice, wallets))
  return { ...shown, payment, wallets, strays }
}

/** What the page of an invoice shows now; undefined if there is no such invoice. */
export async function pageState(
  store: PageStore,
  networks: PageNetworks,
  id: string,
  run: Run,
): Promise<PageState | undefined> {
  const found = await run(() => store.invoices.findWithDeposits(id, TRANSACTIONS_MAX))
  if (found === undefined) return undefined
  const shown = await shownOf(store, found, run)
  return { version: versionOf({ ...shown, networks }), isConfirming: areConfirming(shown) }
}

async function showEvents(parts: PaymentPageParts, head: RequestHead, id: string, run: Run): Promise<Answer> {
  const { store, networks, pages, clock } = parts
  const found = await run(() => store.invoices.findWithDeposits(id, TRANSACTIONS_MAX))
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  const shown = await shownOf(store, found, run)
  return eventsAnswer(parts, head, {
    page: payPage(shown.invoice.id),
    version: versionOf({ ...shown, networks }),
    walletIds: walletsOf(shown.invoice),
    invoiceIds: [shown.invoice.id],
    awaited: awaitedBy(shown.payment, shown.voidedAt, { nowMs: clock.now(), lateMs: pages.lateMs }),
  })
}

/** The code of an address that the page shows; 404 for every other one, as nobody is to pay there. */
async function showQr({ store }: PaymentPageParts, id: string, file: string, run: Run): Promise<Answer> {
  const walletId = walletOfQr(file)
  const found = walletId === null ? undefined : await run(() => store.invoices.findWithDeposits(id, 0))
  // Of an option, the page of its order shows the address.
  if (walletId === null || found === undefined || found.orderId !== null) return failureAnswer(failure('not_found'))
  const { invoice, own, voidedAt, acceptedAt } = found
  const isDue = acceptedAt === null && leftToSend(paymentStateOf(own, voidedAt !== null)) !== null
  const isShown = isDue && walletsOf(invoice).includes(walletId)
  const address = isShown ? (await run(() => store.wallets.find(walletId)))?.address : null
  if (address === null || address === undefined) return failureAnswer(failure('not_found'))
  return await run(() => qrAnswer(address))
}
