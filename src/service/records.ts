import { scan } from '../base/scan.js'
import type { Turns } from '../base/turns.js'
import type { AuditRecord } from '../domain/audit.js'
import type { Deposit } from '../domain/deposit.js'
import type { Note } from '../domain/note.js'
import type { Wallet } from '../domain/wallet.js'
import type { WithdrawnWallet } from '../domain/withdrawal.js'
import type { RecordsWanted } from '../http/routes/admin.js'
import { withPayment } from '../http/routes/invoices.js'
import { shownOrder } from '../http/routes/orders.js'
import type { WorkRecord } from '../http/routes/work-answer.js'
import type { OrderWithOptions } from '../store/orders.js'
import type { RecordCounts } from '../store/overview.js'
import type { Awaitable, Page, PageOf } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { setAsideOf } from './set-aside.js'

/** Whether `text` names a kind of records. */
export function isRecordKind(text: string): text is RecordKind {
  return Object.hasOwn(READERS, text)
}

/** Whom the work of exports counts for. */
const EXPORT = 'export'

/** Records read in one piece at most. */
const PAGE_RECORDS = 100

/**
 * Every record of a kind, as the API shows it, or those of one owner; deposits and deliveries on request newest first, which
 * is how the console lists them. It is no snapshot: each page is read when the client has
 * taken the one before, so a record that changes meanwhile is shown before or after its change.
 */
export async function* recordsOf(store: Store, kind: RecordKind, wanted: RecordsWanted): AsyncGenerator<WorkRecord> {
  const { owner, isNewestFirst } = wanted
  const read = (isNewestFirst ? NEWEST_FIRST[kind] : undefined) ?? READERS[kind]
  const total = owner === null && isCounted(kind) ? (await store.overview.counts())[kind] : null
  let done = 0
  for await (const items of read(store, owner, wanted)) {
    for (const item of items) yield { type: 'item', item }
    done += items.length
    yield { type: 'progress', done, total, what: '' }
  }
  yield { type: 'done', result: { records: done } }
}

/** What can be read. Some kinds are not counted. */
type RecordKind = keyof RecordCounts | Uncounted
const UNCOUNTED = [
  'orders',
  'withdrawn-wallets',
  'events',
  'notes',
  'audit',
  'set-aside-blocks',
  'set-aside-deposits',
] as const
type Uncounted = (typeof UNCOUNTED)[number]

function isCounted(kind: RecordKind): kind is keyof RecordCounts {
  return !UNCOUNTED.some((one) => one === kind)
}

type Pages = AsyncGenerator<readonly unknown[]>

type Reader = (store: Store, owner: string | null, wanted: RecordsWanted) => Pages

/** How each kind is read: all of it, or that of an owner. */
const READERS: Readonly<Record<RecordKind, Reader>> = {
  identities: async function* (store, owner) {
    for await (const items of ownersOf(store)) yield owner === null ? items : items.filter((one) => one.owner === owner)
  },
  wallets: async function* (store, owner) {
    const pages = everyPage<Wallet>(store.turns, (page) =>
      owner === null ? store.overview.wallets(page) : store.wallets.page(owner, page),
    )
    // One that was withdrawn before it was told is no wallet yet; it is among the withdrawn ones.
    for await (const items of pages) yield items.filter((one) => one.network !== null || one.owner !== null)
  },
  'withdrawn-wallets': async function* (store, owner) {
    // They have no owner.
    if (owner !== null) return
    for await (const items of everyPage<WithdrawnWallet>(store.turns, (page) => store.wallets.withdrawn(page))) {
      yield items.map(({ id, network, address, withdrawal: { umid, ledgerMs, at } }) => {
        return { id, network, address, transaction: umid, ledgerAt: ledgerMs, withdrawnAt: at }
      })
    }
  },
  keys: (store, owner) => ofOwners(store, owner, (one, page) => store.keys.page(one, page)),
  invoices: (store, owner) =>
    ofOwners(store, owner, async (one, page) => {
      const { items, next } = await store.invoices.pageWithPayment(one, page)
      return { items: items.map(withPayment), next }
    }),
  orders: async function* (store, owner) {
    const read = (page: Page) =>
      owner === null ? store.orders.all(page) : store.orders.page(owner, page, { orderNumber: null })
    for await (const items of everyPage(store.turns, read)) yield items.map(exportedOrder)
  },
  deposits: async function* (store, owner) {
    for (const network of store.networks.ids) {
      for await (const items of everyPage<Deposit>(store.turns, (page) => store.deposits.page(network, page))) {
        yield owner === null ? items : await depositsTo(store, owner, items)
      }
    }
  },
  deliveries: (store, owner) => ofOwners(store, owner, (one, page) => store.outbox.page(one, page)),
  events: (store, owner) => ofOwners(store, owner, (one, page) => store.events.log(one, page)),
  notes: async function* (store, owner, { invoice, sinceMs }) {
    const pages =
      invoice === null
        ? since(
            sinceMs,
            everyPage<Note>(store.turns, (page) => store.notes.page(page)),
          )
        : since(sinceMs, [[...(await store.notes.ofInvoice(invoice))].reverse()])
    for await (const items of pages) yield owner === null ? items : await notesAbout(store, owner, items)
  },
  audit: async function* (store, owner, { sinceMs }) {
    const pages = since(
      sinceMs,
      everyPage<AuditRecord>(store.turns, (page) => store.audit.page(page)),
    )
    for await (const items of pages) yield owner === null ? items : items.filter((record) => record.owner === owner)
  },
  'set-aside-blocks': async function* (store, owner) {
    // A block has no owner.
    if (owner === null) yield (await setAsideOf(store)).blocks
  },
  'set-aside-deposits': async function* (store, owner) {
    const deposits = await store.aside.deposits()
    for (const { sighting, ...aside } of deposits) {
      const wallet = owner === null ? undefined : await store.wallets.at(sighting.network, sighting.toAddress)
      if (owner === null || wallet?.owner === owner) yield [{ ...sighting, ...aside }]
    }
  },
}

/** An order as the API shows it, with what another store needs to go on with it. */
function exportedOrder(found: OrderWithOptions): unknown {
  const { order } = found
  const shown = shownOrder(found)
  const options = shown.options.map((option, i) => {
    const { decimals, isVoidedByOrder } = order.options[i] ?? {}
    return { ...option, decimals, isVoidedByOrder }
  })
  return { ...shown, callbackUrl: order.callbackUrl, options }
}

/** Pages of records, newest first: they are read until they are older than what is wanted. */
async function* since<T extends { readonly at: number }>(
  sinceMs: number | null,
  pages: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for await (const items of pages) {
    const recent = sinceMs === null ? items : items.filter(({ at }) => at >= sinceMs)
    yield recent
    if (recent.length < items.length) return
  }
}

/** The kinds that the store also has in the order of time, whosever they are. */
const NEWEST_FIRST: Partial<Readonly<Record<RecordKind, Reader>>> = {
  deposits: async function* (store, owner) {
    for await (const items of everyPage<Deposit>(store.turns, (page) => store.overview.deposits(page))) {
      yield owner === null ? items : await depositsTo(store, owner, items)
    }
  },
  deliveries: (store, owner) =>
    everyPage(store.turns, (page) =>
      owner === null ? store.overview.deliveries(page) : store.outbox.page(owner, page),
    ),
}

function ownersOf(store: Store) {
  return everyPage(store.turns, (page) => store.overview.owners(page))
}

/** The records of an owner, or those of every owner, one after the other. */
async function* ofOwners(
  store: Store,
  owner: string | null,
  read: (owner: string, page: Page) => Awaitable<PageOf<unknown>>,
): Pages {
  if (owner !== null) {
    yield* everyPage(store.turns, (page) => read(owner, page))
    return
  }
  for await (const owners of ownersOf(store)) {
    for (const one of owners) yield* everyPage(store.turns, (page) => read(one.owner, page))
  }
}

/** Those of `deposits` that went to a wallet which the owner has now. */
async function depositsTo(store: Store, owner: string, deposits: readonly Deposit[]): Promise<readonly Deposit[]> {
  const kept: Deposit[] = []
  for (const deposit of deposits) {
    const wallet = await store.wallets.at(deposit.network, deposit.toAddress)
    if (wallet?.owner === owner) kept.push(deposit)
  }
  return kept
}

/** Those of `notes` that are about invoices of an owner. */
async function notesAbout(store: Store, owner: string, notes: readonly Note[]): Promise<readonly Note[]> {
  const kept: Note[] = []
  for (const note of notes) {
    if ((await store.invoices.find(note.invoiceId))?.owner === owner) kept.push(note)
  }
  return kept
}

async function* everyPage<T>(turns: Turns, read: (page: Page) => Awaitable<PageOf<T>>): AsyncGenerator<readonly T[]> {
  const limit = PAGE_RECORDS
  const pages = scan((after) => turns.run(EXPORT, (slice) => read({ after, limit, slice })))
  for await (const { items } of pages) if (items.length > 0) yield items
}
