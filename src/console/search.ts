import { scan } from '../base/scan.js'
import { parseInvoiceAmount } from '../domain/amount.js'
import { type Deposit, depositValue } from '../domain/deposit.js'
import { canonicalAddress } from '../domain/network.js'
import type { Wallet } from '../domain/wallet.js'
import { type Columns, timeOrNull, timeText } from '../listing/column.js'
import { amountText, currencyText } from '../listing/deposits.js'
import { type InvoiceRecord, invoiceState } from '../listing/invoices.js'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf, Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { recordOf } from './invoice-record.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { CONSOLE } from './paging.js'
import { type SearchTerms, searchTerms } from './search-terms.js'
import { table } from './table.js'

export type SearchStore = Pick<Store, 'search' | 'overview' | 'networks' | 'invoices' | 'turns'>

/** Records of each kind of match that are shown. */
const SHOWN_EACH = 20
/** The newest records of a kind among which an amount is looked for: no index has the amounts of all wallets. */
const AMOUNTS_READ = 1000
/** Records that are read in one piece, if there is time for them. */
const READ_AT_ONCE = 100

/** Something that was found, and by what. */
interface Hit {
  readonly what: 'Invoice' | 'Deposit' | 'Wallet'
  /** What of it matched, such as `order number`. */
  readonly matched: readonly string[]
  /** What matched, as the record has it. */
  readonly name: string
  readonly state: string
  readonly amount: string | null
  readonly time: string | null
  readonly owner: string | null
  /** The invoice that a deposit is matched to, by what people call it. */
  readonly invoice: { readonly name: string; readonly href: string } | null
  readonly href: string
}

const HIT_COLUMNS = {
  what: { title: 'Record', kind: 'word', of: ({ what }) => what },
  matched: { title: 'Matched', of: ({ matched }) => matched.join(', ') },
  name: { title: 'Match', of: ({ name }) => name },
  state: { title: 'State', kind: 'word', of: ({ state }) => state },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  time: { title: 'Time', kind: 'time', of: ({ time }) => time },
  invoice: { title: 'Belongs to', of: ({ invoice }) => invoice?.name ?? null },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
} satisfies Columns<Hit>

/** One list of whatever begins with what was typed. */
export async function searchPage(store: SearchStore, { query }: Visit): Promise<ConsolePage> {
  const terms = searchTerms(query.get('q') ?? '')
  if (terms === null) {
    const content = markup`<p>Type the beginning of an order number, a reference, an invoice id, a transaction hash or an address, or an amount.</p>`
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
  const href = links.ofAmount(/^[0-9.]+/.exec(text)?.[0] ?? text)
  return markup`<p class="quiet">An amount is looked for among the newest ${AMOUNTS_READ.toLocaleString('en')} invoices and deposits. <a href="${href}">Look among all invoices</a>.</p>`
}

/** What was found, each record once. */
class Hits {
  private readonly byHref = new Map<string, Hit>()
  isCut = false

  add(matched: string, all: readonly Omit<Hit, 'matched'>[]): void {
    if (all.length >= SHOWN_EACH) this.isCut = true
    for (const hit of all) {
      const known = this.byHref.get(hit.href)
      const names = known?.matched ?? []
      if (names.includes(matched)) continue
      this.byHref.set(hit.href, { ...(known ?? hit), matched: [...names, matched] })
    }
  }

  get hits(): readonly Hit[] {
    return [...this.byHref.values()]
  }
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
    for (const beginning of beginnings) {
      const answers = await piece(() => read(beginning))
      all.push(...answers.map(recordOf).map((one) => invoiceHit(one, nameOf(one))))
    }
    hits.add(matched, all.slice(0, SHOWN_EACH))
  }
  const deposits = async (matched: string, found: readonly Deposit[]) => {
    const all: Omit<Hit, 'matched'>[] = []
    for (const one of found) {
      const invoice = await piece(() => invoiceOf(store, one))
      all.push(depositHit(one, invoice === undefined ? null : recordOf(invoice), decimals))
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

function invoiceHit(one: InvoiceRecord, name: string | null): Omit<Hit, 'matched'> {
  return {
    what: 'Invoice',
    name: name ?? one.id,
    state: invoiceState(one),
    amount: `${one.amount} ${one.currency}`,
    time: timeText(one.created_at),
    owner: one.owner,
    invoice: null,
    href: links.invoice(one.id),
  }
}

/** What people call the order of an invoice. */
function nameOf({ orderNumber, reference, id }: InvoiceRecord): string {
  return orderNumber ?? reference ?? id
}

/** The invoice that a deposit is matched to, which may be another one than the payer meant. */
async function invoiceOf({ invoices }: SearchStore, { network, txHash, index }: Deposit) {
  const found = await invoices.findByDeposit(network, txHash, index)
  return found === undefined ? undefined : await invoices.findWithPayment(found.id)
}

function depositHit(
  one: Deposit,
  invoice: InvoiceRecord | null,
  decimals: Parameters<typeof amountText>[1],
): Omit<Hit, 'matched'> {
  return {
    what: 'Deposit',
    name: one.txHash,
    state: one.kind,
    amount: `${amountText(one, decimals)} ${currencyText(one.currency)} on ${one.network}`,
    time: timeText(one.receivedAt),
    owner: invoice?.owner ?? null,
    invoice: invoice === null ? null : { name: nameOf(invoice), href: links.invoice(invoice.id) },
    href: links.transaction(one.network, one.txHash),
  }
}

function walletHit(one: Wallet): Omit<Hit, 'matched'> {
  return {
    what: 'Wallet',
    name: one.address ?? one.id,
    state: one.owner === null ? 'pool' : 'assigned',
    amount: null,
    time: timeOrNull(one.assignedAt),
    owner: one.owner,
    invoice: null,
    href: links.wallet(one.id),
  }
}
