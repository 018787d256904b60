import { DELIVERY_STATES, type Delivery, deliveryState } from '../domain/webhook.js'
import { deliveryColumns } from '../listing/deliveries.js'
import { type Markup, markup } from '../page/markup.js'
import type { Page } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { doneNotice } from './actions.js'
import type { Visit } from './entrance.js'
import { actionForm, tokenFor } from './forms.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { type Asked, type Chosen, find, type ListView, listTable } from './list-page.js'
import type { Session } from './sessions.js'
import { facts, idText, moment } from './table.js'

export type DeliveryStore = Pick<Store, 'overview' | 'outbox' | 'invoices' | 'turns'>

const FILTERS = {
  owner: { label: 'Owner' },
  invoice: { label: 'Invoice' },
  state: { label: 'State', choices: DELIVERY_STATES },
} as const

/** The deliveries of all owners or of one, newest first, or those of one invoice from its creation on. */
function deliveryList(store: DeliveryStore) {
  return {
    title: 'Deliveries',
    section: 'deliveries' as const,
    what: 'delivery',
    hasCsv: true,
    filters: FILTERS,
    columns: deliveryColumns,
    links: {
      id: ({ id }: Delivery) => links.delivery(id),
      invoice: ({ invoiceId }: Delivery) => (invoiceId === null ? null : links.invoice(invoiceId)),
    },
    choose: (asked: Asked<typeof FILTERS>) => choose(store, asked),
  }
}

async function choose(
  { overview, outbox, invoices }: DeliveryStore,
  { owner, invoice: invoiceId, state }: Asked<typeof FILTERS>,
): Promise<Chosen<Delivery>> {
  const hasState = state === null ? null : (delivery: Delivery) => deliveryState(delivery) === state
  if (invoiceId === null) {
    const read = (page: Page) => (owner === null ? overview.deliveries(page) : outbox.page(owner, page))
    return { caption: 'Newest first', from: read, conditions: [hasState] }
  }
  const caption = 'Oldest first'
  const invoice = await invoices.find(invoiceId)
  if (invoice === undefined || (owner ?? invoice.owner) !== invoice.owner) return { caption, from: [], conditions: [] }
  const { id, owner: its, created_at: since } = invoice
  return {
    caption,
    from: (page) => overview.deliveriesSince(its, since, page),
    conditions: [(delivery) => delivery.invoiceId === id, hasState],
  }
}

export function deliveriesList<Shown>(store: DeliveryStore, { query }: Visit, show: ListView<Shown>): Promise<Shown> {
  return show(store.turns, query, deliveryList(store))
}

/** The first deliveries of an invoice: those of its owner are looked through from its creation on. */
export async function deliveriesOf(
  store: DeliveryStore,
  invoice: string,
): Promise<{ readonly items: readonly Delivery[]; readonly shown: Markup }> {
  const query = new URLSearchParams({ invoice })
  const chosen = await choose(store, { owner: null, invoice, state: null })
  const found = await find(store.turns, chosen, query)
  const whole = found.next === null ? { ...found, searched: null } : found
  return { items: found.items, shown: listTable(deliveryList(store), chosen, whole, query) }
}

/** One delivery: what was sent where, and how it went. Null if there is none of the id. */
export async function deliveryPage(
  store: DeliveryStore,
  { session, query }: Visit,
  id: string,
): Promise<ConsolePage | null> {
  const delivery = await store.outbox.find(id)
  if (delivery === undefined) return null
  const { invoiceId, owner, url, body, attempts, event } = delivery
  const content = markup`${facts([
    ['State', deliveryState(delivery)],
    ['Outcome', outcomeText(delivery)],
    ['Attempts', String(attempts)],
    ['Sent to', url],
    ['Deposit', delivery.status],
    ['Event', event === null ? null : `${event.type}, ${event.id}`],
    ['Invoice', invoiceId === null ? null : idText(invoiceId, links.invoice(invoiceId))],
    ['Owner', idText(owner, links.ofOwner('deliveries', owner))],
    ['Created', moment(delivery.createdAt)],
    ['Last attempt', moment(delivery.attemptedAt)],
    ['Next attempt', moment(delivery.nextAttemptAt)],
  ])}
<h2>Body</h2>
<p class="pre"><bdi>${body}</bdi></p>
${isOver(delivery) ? redelivery(session, delivery) : null}`
  return { title: `Delivery ${id}`, section: 'deliveries', notice: doneNotice(query), content }
}

/** Whether no attempt is due or in progress, so that another can be asked for. */
function isOver({ state }: Delivery): boolean {
  return state === 'settled' || state === 'waiting'
}

function redelivery(session: Session, { id }: Delivery): Markup {
  const token = tokenFor(session, 'redeliver', id)
  return actionForm({ path: `${links.delivery(id)}/redeliver`, token, label: 'Send again' })
}

function outcomeText({ result }: Delivery): string | null {
  if (result === null) return null
  const told = result.kind === 'answered' ? `status ${result.httpStatus}` : `${result.reason}: ${result.detail}`
  return `${told} after ${result.durationMs} ms`
}
