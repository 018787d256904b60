import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.js'
import { NATIVE } from '../../domain/amount.js'
import { failure } from '../../domain/failure.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import { acceptedPayment, type StrayDeposit } from '../../domain/payment.js'
import type { Wallet } from '../../domain/wallet.js'
import { failurePage } from '../../page/failure-page.js'
import type { PageWallet } from '../../page/instructions.js'
import { languageFor } from '../../page/language.js'
import type { PageFrame } from '../../page/layout.js'
import { type PageNetworks, tokenOn } from '../../page/networks.js'
import { newsOf, type OpenPages, type PageState } from '../../page/open-pages.js'
import { type PaymentView, paymentPage, versionOf } from '../../page/payment-page.js'
import { awaitedBy, leftToSend, paymentStateOf } from '../../page/payment-state.js'
import { qrSvg } from '../../page/qr.js'
import { areConfirming, TRANSACTIONS_MAX } from '../../page/transactions.js'
import type { Awaitable, DepositPort, InvoicePort, InvoiceWithPayment, WalletPort } from '../../store/store.js'
import { handlers } from '../endpoints.js'
import type { ClientOf } from '../guards/client-address.js'
import { BASE_HEADERS, failureAnswer } from '../json.js'
import type { Lists, Work } from '../lists.js'
import type { RouterHooks } from '../router.js'
import type { Answer, RequestHead } from '../server.js'

/** What the pages of a service share. */
export interface PageSettings extends Pick<PageFrame, 'isSandbox' | 'brand'> {
  /** The origins whose pages may frame the pages. */
  readonly frameAncestors: readonly string[]
  /** How long the page of a void invoice waits for what is sent too late. */
  readonly lateMs: number
}

/** What the pages read. */
export interface PageStore {
  readonly invoices: Pick<InvoicePort, 'findWithPayment' | 'findWithDeposits'>
  readonly wallets: Pick<WalletPort, 'find'>
  readonly deposits: Pick<DepositPort, 'strays'>
}

export interface PaymentPageParts {
  readonly store: PageStore
  /** A page of an invoice on many wallets takes milliseconds: clients have theirs in turn, and are charged for them. */
  readonly lists: Pick<Lists, 'charged'>
  readonly pages: PageSettings
  readonly networks: PageNetworks
  readonly openPages: Pick<OpenPages, 'open'>
  readonly clientOf: ClientOf
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
  const shown = await shownOf(store, id, run)
  if (shown === undefined) return failureAnswer(failure('invoice_not_found'))
  return await run(() => {
    const frame = frameFor(pages, head)
    const view = { ...shown, chosen: chosenWallet(head, shown), networks, nowMs: clock.now(), lateMs: pages.lateMs }
    return pageAnswer(200, paymentPage(frame, view), frame, { ...pages, walletNodes: walletNodesOf(view) })
  })
}

/** What browser wallets ask from within a page: the nodes of the networks on which it asks for a payment. */
function walletNodesOf({ invoice, payment, voidedAt, wallets, networks }: PaymentView): readonly string[] {
  if (leftToSend(paymentStateOf(payment, voidedAt !== null)) === null) return []
  const nodes = wallets.flatMap(({ network, address }) => {
    const facts = network === null ? null : networks(network)
    const isOffered =
      facts !== null &&
      address !== null &&
      (invoice.currency === NATIVE || tokenOn(invoice.currency, facts)?.contract != null)
    return isOffered ? facts.walletNodes : []
  })
  return [...new Set(nodes)]
}

type Shown = Omit<PaymentView, 'chosen' | 'networks' | 'nowMs' | 'lateMs'>

/** Which of its wallets the page was asked for, as its links without a script do; else the first one. */
function chosenWallet({ query }: RequestHead, { wallets }: Shown): number {
  const asked = new URLSearchParams(query).get('wallet') ?? ''
  return /^\d{1,2}$/.test(asked) && Number(asked) < wallets.length ? Number(asked) : 0
}

async function shownOf(store: PageStore, id: string, run: Run): Promise<Shown | undefined> {
  const found = await run(() => store.invoices.findWithDeposits(id, TRANSACTIONS_MAX))
  if (found === undefined) return undefined
  // What others paid to its wallets is nobody's business here.
  const { own, ...shown } = found
  const payment = shown.acceptedAt === null ? own : acceptedPayment(own)
  const wallets = await run(() => walletsShown(store, found.invoice))
  return { ...shown, payment, wallets, strays: await run(() => straysShown(store, found, wallets)) }
}

/** What the page of an invoice shows now; undefined if there is no such invoice. */
export async function pageState(
  store: PageStore,
  networks: PageNetworks,
  id: string,
  run: Run,
): Promise<PageState | undefined> {
  const shown = await shownOf(store, id, run)
  if (shown === undefined) return undefined
  return { version: versionOf({ ...shown, networks }), isConfirming: areConfirming(shown) }
}

/** `X-Accel-Buffering`: nginx would hold events back. */
const EVENTS_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  'Referrer-Policy': 'no-referrer',
  ...BASE_HEADERS,
})

/** The pause for a page that finds no room, which refreshes itself meanwhile. */
const NO_ROOM_HEADERS = { 'Retry-After': '30' }

/**
 * The changes of a page. A browser that connects again names the last one that it saw, and the script the one that the page
 * was made with. Where nothing more is expected, 204 tells a browser not to ask again (HTML, 9.2.3).
 */
async function showEvents(parts: PaymentPageParts, head: RequestHead, id: string, run: Run): Promise<Answer> {
  const shown = await shownOf(parts.store, id, run)
  if (shown === undefined) return failureAnswer(failure('invoice_not_found'))
  const { invoice, payment, voidedAt } = shown
  const seen = head.header('last-event-id') ?? new URLSearchParams(head.query).get('after')
  if (awaitedBy(payment, voidedAt, { nowMs: parts.clock.now(), lateMs: parts.pages.lateMs }) === null) {
    const version = versionOf({ ...shown, networks: parts.networks })
    if (seen === version) return { status: 204, headers: BASE_HEADERS, body: '' }
    return { status: 200, headers: EVENTS_HEADERS, body: newsOf(version) }
  }
  const { key, isLoopback } = parts.clientOf(head)
  const client = isLoopback ? null : key
  const events = parts.openPages.open({ invoiceId: invoice.id, walletIds: walletsOf(invoice), seen, client })
  if (events === null) return failureAnswer(failure('overloaded'), NO_ROOM_HEADERS)
  return { status: 200, headers: EVENTS_HEADERS, body: events }
}

/** Deposits in another coin that the page tells of; the newest ones. */
const STRAYS_MAX = 3

/** Who has paid is told of none. What comes to a wallet that has another owner by now is that owner's. */
function straysShown(
  { deposits }: PageStore,
  { invoice, own, voidedAt }: InvoiceWithPayment,
  wallets: readonly OwnedWallet[],
): Awaitable<readonly StrayDeposit[]> {
  const walletIds = wallets.filter(({ owner }) => owner === invoice.owner).map(({ id }) => id)
  if (walletIds.length === 0 || (own.status === 'paid' && voidedAt === null)) return []
  return deposits.strays({ walletIds, currency: invoice.currency, since: invoice.created_at }, STRAYS_MAX)
}

type OwnedWallet = PageWallet & Pick<Wallet, 'owner'>

/** An imported invoice may name a wallet that the ledger has not reported yet; its address is unknown. */
function walletsShown({ wallets }: PageStore, invoice: Invoice): Awaitable<readonly OwnedWallet[]> {
  const found = walletsOf(invoice).map((id) => {
    const unknown = { id, network: null, address: null, owner: null }
    const wallet = wallets.find(id)
    return wallet instanceof Promise ? wallet.then((known) => known ?? unknown) : (wallet ?? unknown)
  })
  return areKnown(found) ? found : Promise.all(found)
}

function areKnown<T>(values: readonly Awaitable<T>[]): values is readonly T[] {
  return values.every((value) => !(value instanceof Promise))
}

const QR_SUFFIX = '.svg'

/** The address does not change while the page shows it. */
const QR_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'image/svg+xml',
  'Content-Security-Policy': "default-src 'none'",
  'Cache-Control': 'private, max-age=3600',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  ...BASE_HEADERS,
})

/** The code of an address that the page shows; 404 for every other one, as nobody is to pay there. */
async function showQr({ store }: PaymentPageParts, id: string, file: string, run: Run): Promise<Answer> {
  const found = file.endsWith(QR_SUFFIX) ? await run(() => store.invoices.findWithPayment(id)) : undefined
  if (found === undefined) return failureAnswer(failure('not_found'))
  const { invoice, own, voidedAt, acceptedAt } = found
  const isDue = acceptedAt === null && leftToSend(paymentStateOf(own, voidedAt !== null)) !== null
  const walletId = file.slice(0, -QR_SUFFIX.length)
  const isShown = isDue && walletsOf(invoice).includes(walletId)
  const address = isShown ? (await run(() => store.wallets.find(walletId)))?.address : null
  if (address === null || address === undefined) return failureAnswer(failure('not_found'))
  return await run(() => ({ status: 200, headers: QR_HEADERS, body: qrSvg(address) }))
}

const NONCE_BYTES = 16

function frameFor({ isSandbox, brand }: PageSettings, head: RequestHead): PageFrame {
  const language = languageFor(head.query, head.header('accept-language'))
  return { isSandbox, brand, language, nonce: randomBytes(NONCE_BYTES).toString('base64') }
}

interface AnswerSettings extends PageSettings {
  readonly walletNodes?: readonly string[]
}

/** Allows what carries the nonce, images and news from this service, and what wallets ask; nothing to frame or to send. */
function contentSecurityPolicy(
  { nonce, isSandbox }: PageFrame,
  { frameAncestors, walletNodes = [] }: AnswerSettings,
): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    ['connect-src', "'self'", ...(isSandbox ? [] : walletNodes)].join(' '),
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ')
}

/** The address is all that it takes to see the page, so it is neither stored, passed on nor listed. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language',
  ...BASE_HEADERS,
})

/** An answer with an HTML page as its body. The headers of every page win over `headers`. */
function pageAnswer(
  status: number,
  body: string,
  frame: PageFrame,
  pages: AnswerSettings,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const own = {
    'Content-Security-Policy': contentSecurityPolicy(frame, pages),
    'Content-Language': frame.language.code,
    // It cannot name origins; where there are some, the policy alone says who may frame.
    ...(pages.frameAncestors.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
  }
  return { status, headers: { ...headers, ...PAGE_HEADERS, ...own }, body }
}

/** Payers open these paths in a browser. */
const PAGES_PATH = '/pay'

/** Whether the path is that of a payment page, to which the logo's address is relative. */
function isPagePath(path: string): boolean {
  return path.split('/').length === PAGES_PATH.split('/').length + 1
}

/**
 * Turns every failure under `/pay` into a page, whichever part refused the request: a handler, a guard, the router or
 * the adapter. Status and headers stay.
 */
export function failurePages(pages: PageSettings): Required<RouterHooks>['present'] {
  return (answer, head) => {
    const { status, headers } = answer
    const { path } = head
    if (status < 400 || !(path === PAGES_PATH || path.startsWith(`${PAGES_PATH}/`))) return answer
    const retryAfter = Number.parseInt(headers['Retry-After'] ?? '', 10)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    const frame = frameFor(isPagePath(path) ? pages : { ...pages, brand: { ...pages.brand, logo: null } }, head)
    return pageAnswer(status, failurePage(frame, { status, retryAfterSeconds }), frame, pages, headers)
  }
}
