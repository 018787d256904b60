import { DELIVERY_STATES, type Delivery, deliveryState } from '../domain/webhook.js'
import { deliveryColumns } from '../listing/deliveries.js'
import { type Markup, markup } from '../page/markup.js'
import type { Page, Store } from '../store/store.js'
import { doneNotice } from './actions.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import { actionForm, tokenFor } from './forms.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { ownerLinks } from './owner.js'
import { cursorOf, type Found, given, moreLink, noneText, oneOf, search } from './paging.js'
import type { Session } from './sessions.js'
import { facts, idText, moment, table } from './table.js'

export type DeliveryStore = Pick<Store, 'overview' | 'outbox' | 'invoices' | 'turns'>

/** The deliveries of all owners or of one, newest first, or those of one invoice from its creation on. */
export async function deliveriesPage(store: DeliveryStore, { query }: Visit): Promise<ConsolePage> {
  const content = markup`${filterForm(links.deliveries, [
    { name: 'owner', label: 'Owner', type: 'text', value: given(query, 'owner') },
    { name: 'invoice', label: 'Invoice', type: 'text', value: given(query, 'invoice') },
    { name: 'state', label: 'State', type: 'choice', value: stateIn(query), choices: DELIVERY_STATES, any: 'any' },
  ])}
${ownerLinks(given(query, 'owner'), 'deliveries')}
${deliveriesTable(await deliveriesFound(store, query), query)}`
  return { title: 'Deliveries', section: 'deliveries', content }
}

/** What a query asks for. */
export async function deliveriesFound(
  { overview, outbox, invoices, turns }: DeliveryStore,
  query: URLSearchParams,
): Promise<Found<Delivery>> {
  const [owner, invoiceId, state] = [given(query, 'owner'), given(query, 'invoice'), stateIn(query)]
  const hasState = (delivery: Delivery) => state === null || deliveryState(delivery) === state
  if (invoiceId !== null) {
    const invoice = await invoices.find(invoiceId)
    if (invoice === undefined || (owner ?? invoice.owner) !== invoice.owner) {
      return { items: [], next: null, searched: null }
    }
    const { id, owner: its, created_at: since } = invoice
    const isOfInvoice = (delivery: Delivery) => delivery.invoiceId === id && hasState(delivery)
    return await search(turns, (page) => overview.deliveriesSince(its, since, page), isOfInvoice, cursorOf(query))
  }
  const read = (page: Page) => (owner === null ? overview.deliveries(page) : outbox.page(owner, page))
  return await search(turns, read, state === null ? null : hasState, cursorOf(query))
}

function stateIn(query: URLSearchParams) {
  return oneOf(query, 'state', DELIVERY_STATES)
}

export function deliveriesTable(found: Found<Delivery>, query: URLSearchParams): Markup {
  return markup`${table({
    caption: given(query, 'invoice') === null ? 'Newest first' : 'Oldest first',
    columns: deliveryColumns,
    items: found.items,
    links: { id: ({ id }) => links.delivery(id), invoice: ({ invoiceId }) => links.invoice(invoiceId) },
    none: noneText(found, query, 'delivery'),
  })}
${moreLink(found, links.deliveries, query)}`
}

/** One delivery: what was sent where, and how it went. Null if there is none of the id. */
export async function deliveryPage(
  store: DeliveryStore,
  { session, query }: Visit,
  id: string,
): Promise<ConsolePage | null> {
  const delivery = await store.outbox.find(id)
  if (delivery === undefined) return null
  const { invoiceId, owner, url, body, attempts } = delivery
  const content = markup`${facts([
    ['State', deliveryState(delivery)],
    ['Outcome', outcomeText(delivery)],
    ['Attempts', String(attempts)],
    ['Sent to', url],
    ['Deposit', delivery.status],
    ['Invoice', idText(invoiceId, links.invoice(invoiceId))],
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
