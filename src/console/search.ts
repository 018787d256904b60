import { scan } from '../base/scan.js'
import { parseInvoiceAmount } from '../domain/amount.js'
import { type Deposit, depositValue } from '../domain/deposit.js'
import { canonicalAddress } from '../domain/network.js'
import type { Wallet } from '../domain/wallet.js'
import { shownOrder } from '../http/routes/orders.js'
import type { InvoiceRecord } from '../listing/invoices.js'
import type { OrderRecord } from '../listing/orders.js'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf } from '../store/reading.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { depositHit, HIT_COLUMNS, type Hit, Hits, invoiceHit, nameOf, orderHit, SHOWN_EACH, walletHit } from './hits.js'
import { recordOf } from './invoice-record.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { ordersOf } from './orders.js'
import { CONSOLE } from './paging.js'
import { type SearchTerms, searchTerms } from './search-terms.js'
import { table } from './table.js'

export type SearchStore = Pick<Store, 'search' | 'overview' | 'networks' | 'invoices' | 'orders' | 'turns'>

/** The newest records of a kind among which an amount is looked for: no index has the amounts of all wallets. */
const AMOUNTS_READ = 1000
/** Records that are read in one piece, if there is time for them. */
const READ_AT_ONCE = 100
/** Digits of an id. */
const ID_DIGITS = 32

/** One list of whatever begins with what was typed. */
export async function searchPage(store: SearchStore, { query }: Visit): Promise<ConsolePage> {
  const terms = searchTerms(query.get('q') ?? '')
  if (terms === null) {
    const content = markup`<p>Type the beginning of an order number, a reference, an id, a transaction hash or an address, or an amount.</p>`
    return { title: 'Search', section: 'search', content }
  }
  const { hits, isCut } = await found(store, terms)
  const content = markup`${table({
    caption: `Found for ${terms.text}`,
    columns: HIT_COLUMNS,
    items: hits,
    links: {
      name: ({ href }) => href,
      invoice: ({ invoice }) => invoice?.href ?? null,
      owner: ({ owner }) => (owner === null ? null : links.ofOwner('invoices', owner)),
    },
    none: `Nothing found for ${terms.text}.`,
  })}
${isCut ? markup`<p class="quiet">Of each kind the first ${String(SHOWN_EACH)} are shown. Type more of what you look for.</p>` : null}
${terms.amount === null ? null : amountNote(terms.text)}`
  return { title: 'Search', section: 'search', searched: terms.text, content }
}

function amountNote(text: string): Markup {
  const amount = /^[0-9.]+/.exec(text)?.[0] ?? text
  return markup`<p class="quiet">An amount is looked for among the newest ${AMOUNTS_READ.toLocaleString('en')} invoices and deposits. Look among <a href="${links.ofAmount('invoices', amount)}">all invoices</a> or <a href="${links.ofAmount('deposits', amount)}">all deposits</a>.</p>`
}

async function found(store: SearchStore, terms: SearchTerms): Promise<Hits> {
  const { search, networks, turns, overview } = store
  const { decimals } = networks
  const hits = new Hits()
  const piece = <T>(read: () => Awaitable<T>) =>
    turns.run(CONSOLE, (slice) => {
      slice.touch(SHOWN_EACH)
      return read()
    })
  const invoices = async (
    matched: string,
    nameOf: (one: InvoiceRecord) => string | null,
    beginnings: readonly string[],
    read: (beginning: string) => Awaitable<readonly InvoiceWithPayment[]>,
  ) => {
    const all: Omit<Hit, 'matched'>[] = []
    const orders: Omit<Hit, 'matched'>[] = []
    for (const beginning of beginnings) {
      const answers = await piece(() => read(beginning))
      orders.push(...(await ordersOf(store, answers)).map(orderHit))
      all.push(...answers.map(recordOf).map((one) => invoiceHit(one, nameOf(one))))
    }
    // An order comes before its invoices: a search for it means the order.
    hits.add(matched, orders.slice(0, SHOWN_EACH))
    hits.add(matched, all.slice(0, SHOWN_EACH))
  }
  const deposits = async (matched: string, found: readonly Deposit[]) => {
    const all: Omit<Hit, 'matched'>[] = []
    for (const one of found) {
      const invoice = await piece(() => invoiceOf(store, one))
      all.push(depositHit(one, invoice === undefined ? null : recordOf(invoice), networks))
    }
    hits.add(matched, all)
  }
  await invoices(
    'order number',
    ({ orderNumber }) => orderNumber,
    terms.names,
    (beginning) => search.byOrderNumber(beginning, SHOWN_EACH),
  )
  await invoices(
    'reference',
    ({ reference }) => reference,
    terms.names,
    (beginning) => search.byReference(beginning, SHOWN_EACH),
  )
  for (const beginning of terms.ids) {
    hits.add('order id', (await ordersBeginning(store, beginning)).map(orderHit))
  }
  await invoices(
    'invoice id',
    ({ id }) => id,
    terms.ids,
    (beginning) => search.byInvoiceId(beginning, SHOWN_EACH),
  )
  for (const network of networks.ids) {
    const read = (page: Page) => search.byTransaction(network, terms.hashes, page)
    await deposits('transaction', terms.hashes.length === 0 ? [] : await all(store, read))
    const wallets: Wallet[] = []
    for (const beginning of distinctAddresses(terms)) {
      wallets.push(...(await piece(() => search.byAddress(network, beginning, SHOWN_EACH))))
    }
    hits.add('address', wallets.map(walletHit))
  }
  if (terms.amount !== null) {
    const { amount } = terms
    const newest = await wanted(
      store,
      overview.invoices.bind(overview),
      ({ invoice }) => parseInvoiceAmount(invoice.amount) === amount,
    )
    hits.add(
      'amount',
      newest.map(recordOf).map((one) => invoiceHit(one, nameOf(one))),
    )
    const seen = await wanted(
      store,
      overview.deposits.bind(overview),
      (one) => depositValue(one, decimals)?.atoms === amount,
    )
    await deposits('amount', seen)
  }
  return hits
}

function distinctAddresses({ addresses }: SearchTerms): readonly string[] {
  return [...new Set(addresses.map(canonicalAddress))]
}

/** The deposits of a transaction, page by page. */
async function all(
  { turns }: SearchStore,
  read: (page: Page) => Awaitable<PageOf<Deposit>>,
): Promise<readonly Deposit[]> {
  const found: Deposit[] = []
  const pages = scan((after) => turns.run(CONSOLE, (slice) => read({ after, limit: SHOWN_EACH, slice })))
  for await (const { items } of pages) {
    found.push(...items)
    if (found.length >= SHOWN_EACH) break
  }
  return found.slice(0, SHOWN_EACH)
}

/** Those of the newest records that are wanted. */
async function wanted<T>(
  { turns }: SearchStore,
  read: (page: Page) => Awaitable<PageOf<T>>,
  isWanted: (item: T) => boolean,
): Promise<readonly T[]> {
  const found: T[] = []
  let looked = 0
  const pages = scan((after) => turns.run(CONSOLE, (slice) => read({ after, limit: READ_AT_ONCE, slice })))
  for await (const { items } of pages) {
    found.push(...items.filter(isWanted))
    looked += items.length
    if (found.length >= SHOWN_EACH || looked >= AMOUNTS_READ) break
  }
  return found.slice(0, SHOWN_EACH)
}

/** The orders whose id begins so: ids are in the order of time, and listed from the newest. */
async function ordersBeginning({ orders, turns }: SearchStore, beginning: string): Promise<readonly OrderRecord[]> {
  if (!/^[0-9a-f]{1,32}$/.test(beginning)) return []
  // A list goes on behind its cursor, so the last id that begins so is looked up.
  const last = beginning.padEnd(ID_DIGITS, 'f')
  const found = await orders.findWithOptions(last)
  const all = found === undefined ? [] : [found]
  const read = (after: string | null) => turns.run(CONSOLE, (slice) => orders.all({ after, limit: SHOWN_EACH, slice }))
  for await (const { items } of scan(read, last)) {
    const before = items.filter(({ order }) => order.id.startsWith(beginning))
    all.push(...before)
    if (before.length < items.length || all.length >= SHOWN_EACH) break
  }
  return all.slice(0, SHOWN_EACH).map(shownOrder)
}

/** The invoice that a deposit is matched to, which may be another one than the payer meant. */
async function invoiceOf({ invoices }: SearchStore, { network, txHash, index }: Deposit) {
  const found = await invoices.findByDeposit(network, txHash, index)
  return found === undefined ? undefined : await invoices.findWithPayment(found.id)
}
