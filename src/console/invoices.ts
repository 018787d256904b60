import { parseInvoiceAmount } from '../domain/amount.js'
import { walletsOf } from '../domain/invoice.js'
import type { Payment } from '../domain/payment.js'
import type { Wallet } from '../domain/wallet.js'
import { qualifyingColumns } from '../listing/deposits.js'
import { INVOICE_STATES, type InvoiceRecord, invoiceColumns, invoiceState } from '../listing/invoices.js'
import { walletColumns } from '../listing/wallets.js'
import { type Markup, markup } from '../page/markup.js'
import type { Page, PageOf } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { doneNotice } from './actions.js'
import { besideInvoice } from './beside.js'
import { deliveriesOf } from './deliveries.js'
import { recordsOf } from './deposit-records.js'
import type { Visit } from './entrance.js'
import { finalForm, tokenFor } from './forms.js'
import { recordOf } from './invoice-record.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import type { ListView } from './list-page.js'
import { notesShown } from './notes.js'
import { payersPage } from './payers-page.js'
import type { Session } from './sessions.js'
import { facts, idText, moment, table } from './table.js'
import { momentColumns, timeline } from './timeline.js'
import { walletLinks } from './wallets.js'

/** Deposits that the page of an invoice shows. */
const DEPOSITS_SHOWN = 20

export type InvoiceStore = Pick<
  Store,
  'invoices' | 'notes' | 'overview' | 'wallets' | 'outbox' | 'deposits' | 'networks' | 'search' | 'turns'
>

/** The invoices of all owners or of one, newest first. */
export function invoicesList<Shown>(store: InvoiceStore, { query }: Visit, show: ListView<Shown>): Promise<Shown> {
  return show(store.turns, query, {
    title: 'Invoices',
    section: 'invoices',
    what: 'invoice',
    hasCsv: true,
    filters: {
      owner: { label: 'Owner' },
      reference: { label: 'Reference or id' },
      amount: { label: 'Amount' },
      state: { label: 'State', choices: INVOICE_STATES },
    },
    columns: invoiceColumns,
    links: { id: ({ id }: InvoiceRecord) => links.invoice(id) },
    choose: async ({ owner, reference, amount, state }) => ({
      caption: reference === null ? 'Newest first' : 'The invoice with this reference or id',
      from: reference === null ? (page: Page) => pageOf(store, owner, page) : await named(store, reference),
      conditions: [
        reference === null || owner === null ? null : (one: InvoiceRecord) => one.owner === owner,
        amount === null ? null : (one: InvoiceRecord) => isOfAmount(one, amount),
        state === null ? null : (one: InvoiceRecord) => invoiceState(one) === state,
      ],
    }),
  })
}

/** By its value: `25` finds `25.00`. */
function isOfAmount({ amount }: InvoiceRecord, text: string): boolean {
  const wanted = parseInvoiceAmount(text)
  return wanted !== null && parseInvoiceAmount(amount) === wanted
}

async function pageOf(
  { invoices, overview }: InvoiceStore,
  owner: string | null,
  page: Page,
): Promise<PageOf<InvoiceRecord>> {
  const { items, next } = await (owner === null ? overview.invoices(page) : invoices.pageWithPayment(owner, page))
  return { items: items.map(recordOf), next }
}

/** References are unique, and so are ids; both have an index. */
async function named({ invoices }: InvoiceStore, name: string): Promise<readonly InvoiceRecord[]> {
  const id = (await invoices.findByReference(name))?.id ?? name
  const invoice = await invoices.findWithPayment(id)
  return invoice === undefined ? [] : [recordOf(invoice)]
}

/** One invoice: its payment, its wallets, its deliveries; payers find its page below `pages`. Null if there is none of the id. */
export async function invoicePage(
  store: InvoiceStore,
  { session, query }: Visit,
  id: string,
  pages: string,
): Promise<ConsolePage | null> {
  const found = await store.invoices.findWithDeposits(id, DEPOSITS_SHOWN)
  if (found === undefined) return null
  const invoice = recordOf(found)
  const wallets = await walletsShown(store, invoice)
  const deliveries = await deliveriesOf(store, invoice.id)
  const notes = await store.notes.ofInvoice(invoice.id)
  const content = markup`${invoiceFacts(invoice, found.orderId, pages)}
<h2>Payment</h2>
${paymentFacts(invoice, found.own)}
<h2>Deposits</h2>
${table({
  caption: found.hasMoreDeposits ? `The newest ${DEPOSITS_SHOWN} of its own, of more` : 'All of its own, newest first',
  columns: qualifyingColumns,
  items: found.deposits,
  links: { transaction: ({ network, txHash }) => links.transaction(network, txHash) },
  none: 'None.',
})}
<h2>Wallets</h2>
${table({
  caption: 'Where it can be paid',
  columns: walletColumns,
  items: wallets,
  links: walletLinks,
  areIdsFull: true,
  none: 'None.',
})}
<h2>Deliveries</h2>
${deliveries.shown}
${await besideInvoice(store, invoice, wallets, found.deposits)}
${notesShown(session, invoice.id, notes)}
<h2>Timeline</h2>
${table({
  caption: found.hasMoreDeposits ? `Oldest first, with the newest ${DEPOSITS_SHOWN} deposits` : 'Oldest first',
  columns: momentColumns,
  items: timeline({
    invoice,
    deposits: await recordsOf(store.deposits, found.deposits),
    areAllDeposits: !found.hasMoreDeposits,
    deliveries: deliveries.items,
    notes,
    decimals: store.networks.decimals,
  }),
  links: { what: ({ href }) => href },
  none: 'Nothing.',
})}
${invoiceState(invoice) === 'unpaid' ? [accepting(session, invoice), voiding(session, invoice)] : null}`
  return { title: `Invoice ${invoice.id}`, section: 'invoices', notice: doneNotice(query), content }
}

function accepting(session: Session, { id }: InvoiceRecord): Markup {
  return finalForm({
    path: `${links.invoice(id)}/accept`,
    token: tokenFor(session, 'accept', id),
    label: 'Accept this invoice',
    warning: 'What has come is taken as enough, for good: the payer reads that it is paid.',
  })
}

function voiding(session: Session, { id }: InvoiceRecord): Markup {
  return finalForm({
    path: `${links.invoice(id)}/void`,
    token: tokenFor(session, 'void', id),
    label: 'Void this invoice',
    warning: 'It can no longer be paid, for good.',
  })
}

function invoiceFacts(invoice: InvoiceRecord, orderId: string | null, pages: string): Markup {
  const { reference, description, owner, callback_url: callbackUrl } = invoice
  return facts([
    ['Name', invoice.name],
    ['Description', description === null ? null : markup`<bdi class="description">${description}</bdi>`],
    ['Order number', invoice.orderNumber],
    ['Reference', reference],
    ['Order', orderId === null ? null : idText(orderId, links.order(orderId))],
    ['Owner', idText(owner, links.ofOwner('invoices', owner))],
    ['Payment page', payersPage(pages, `/pay/${invoice.id}`)],
    ['Callback', callbackUrl],
    ['Returns to', invoice.returnUrl],
    ...Object.entries(invoice.metadata ?? {}).map(([key, text]) => [`Metadata ${key}`, text] as const),
    ['Created', moment(invoice.created_at)],
    ['Expires', moment(invoice.expires_at)],
    ['Void since', moment(invoice.voided_at)],
    ['Accepted', moment(invoice.accepted_at)],
  ])
}

/** Its own money, and in a line of its own what counts for it beside that: the API adds what others paid to its wallets. */
function paymentFacts(invoice: InvoiceRecord, own: Payment): Markup {
  const { payment, amount, currency } = invoice
  return facts([
    ['State', invoice.accepted_at === null ? invoiceState(invoice) : 'accepted as paid'],
    ['Amount', `${amount} ${currency}`],
    ['Received', own.received],
    ['Pending', own.pending],
    ['Remaining', own.remaining],
    ['Overpaid', own.overpaid],
    ['Received on its wallets', payment.received === own.received ? null : payment.received],
  ])
}

/** An imported invoice may name a wallet that is not known yet. */
async function walletsShown({ wallets }: InvoiceStore, invoice: InvoiceRecord): Promise<readonly Wallet[]> {
  const unknown = { network: null, address: null, owner: null, assignedAt: null }
  return await Promise.all(walletsOf(invoice).map(async (id) => (await wallets.find(id)) ?? { id, ...unknown }))
}
