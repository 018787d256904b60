import { ORDER_STATUSES } from '../domain/order-share.js'
import { shownOrder } from '../http/routes/orders.js'
import { type OrderRecord, orderColumns } from '../listing/orders.js'
import type { InvoiceWithPayment, Page, PageOf } from '../store/reading.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { links } from './links.js'
import type { ListView } from './list-page.js'
import { CONSOLE } from './paging.js'

export type OrderListStore = Pick<Store, 'orders' | 'invoices' | 'search' | 'turns'>

/** Orders of one number that are shown. */
const SHOWN = 20

/** The orders of all owners or of one, newest first, or those that somebody calls so. */
export function ordersList<Shown>(store: OrderListStore, { query }: Visit, show: ListView<Shown>): Promise<Shown> {
  return show(store.turns, query, {
    title: 'Orders',
    section: 'orders',
    what: 'order',
    hasCsv: true,
    filters: {
      owner: { label: 'Owner' },
      name: { label: 'Order number, reference or id' },
      state: { label: 'State', choices: ORDER_STATUSES },
    },
    columns: orderColumns,
    links: { id: ({ id }: OrderRecord) => links.order(id) },
    choose: async ({ owner, name, state }) => ({
      caption: name === null ? 'Newest first' : 'The orders with this number, reference or id',
      from: name === null ? (page: Page) => pageOf(store, owner, page) : await named(store, name),
      conditions: [
        name === null || owner === null ? null : (one: OrderRecord) => one.owner === owner,
        state === null ? null : (one: OrderRecord) => one.status === state,
      ],
    }),
  })
}

async function pageOf({ orders }: OrderListStore, owner: string | null, page: Page): Promise<PageOf<OrderRecord>> {
  const { items, next } = await (owner === null ? orders.all(page) : orders.page(owner, page, { orderNumber: null }))
  return { items: items.map(shownOrder), next }
}

/** Ids and references are unique; of one number there may be several. */
async function named(store: OrderListStore, name: string): Promise<readonly OrderRecord[]> {
  const found = (await store.orders.findWithOptions(name)) ?? (await store.orders.findByReference(name))
  if (found !== undefined) return [shownOrder(found)]
  const invoices = await store.search.byOrderNumber(name, SHOWN)
  return await ordersOf(
    store,
    invoices.filter(({ order }) => order.orderNumber === name),
  )
}

/** The orders of which some invoices are options, each once. */
export async function ordersOf(
  { orders, invoices, turns }: Pick<OrderListStore, 'orders' | 'invoices' | 'turns'>,
  options: readonly InvoiceWithPayment[],
): Promise<readonly OrderRecord[]> {
  const ids = new Set<string>()
  const found: OrderRecord[] = []
  for (const { invoice } of options) {
    const id = (await turns.run(CONSOLE, () => invoices.findWithDeposits(invoice.id, 0)))?.orderId ?? null
    if (id === null || ids.has(id)) continue
    ids.add(id)
    const order = await turns.run(CONSOLE, () => orders.findWithOptions(id))
    if (order !== undefined) found.push(shownOrder(order))
  }
  return found
}
