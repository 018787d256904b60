import type { OperatorActions } from '../audit/operator-actions.js'
import { type ConsoleHandlers, handlers } from '../http/endpoints.js'
import type { RatesInUse } from '../http/routes/rates.js'
import type { SetAside } from '../listing/aside.js'
import type { Store } from '../store/store.js'
import { acceptInvoice, addNote, redeliver, removeNote, revokeKey, voidInvoice } from './actions.js'
import { deliveriesList, deliveryPage } from './deliveries.js'
import { depositsList } from './deposits.js'
import { Entrance, type EntranceParts } from './entrance.js'
import { WRITTEN_FIELD } from './forms.js'
import { invoicePage, invoicesList } from './invoices.js'
import { keysPage } from './keys.js'
import { listCsv } from './list-csv.js'
import { listPage } from './list-page.js'
import { networksPage, type Progress } from './networks.js'
import { NOTE_ACTIONS } from './notes.js'
import { orderPage } from './order-page.js'
import { ordersList } from './orders.js'
import { type Condition, overviewPage } from './overview.js'
import { ratesPage } from './rates.js'
import { reportFile, reportsPage } from './reports.js'
import { searchPage } from './search.js'
import { walletsPage } from './wallets.js'

/** What the console shows and does. */
export interface ConsoleParts extends EntranceParts {
  readonly actions: OperatorActions
  readonly store: Pick<
    Store,
    | 'networks'
    | 'invoices'
    | 'orders'
    | 'notes'
    | 'overview'
    | 'wallets'
    | 'outbox'
    | 'deposits'
    | 'keys'
    | 'rates'
    | 'search'
    | 'turns'
  >
  readonly condition: Condition
  /** The URL below which payers find the pages; empty until the service listens. */
  readonly pages: () => string
  readonly progress: Progress
  readonly ratesInUse: RatesInUse
  /** Blocks that no node could give, and deposits whose recording failed. */
  readonly setAside: () => Promise<SetAside>
}

/** What the patterns of single records name. */
interface One {
  readonly id: string
}

/** The console: every page of it, behind its entrance. */
export function consoleHandlers(parts: ConsoleParts): ConsoleHandlers {
  const { store, clock, condition, progress, pages, actions } = parts
  const entrance = new Entrance(parts)
  return handlers({
    'GET /console': entrance.shows(() => overviewPage(store, condition, clock.now())),
    'GET /console/networks': entrance.shows(async () =>
      networksPage(progress, await parts.setAside(), store.networks.decimals),
    ),
    'GET /console/rates': entrance.shows(async () =>
      ratesPage(await store.rates.current(), parts.ratesInUse, clock.now()),
    ),
    'GET /console/search': entrance.shows((visit) => searchPage(store, visit)),
    'GET /console/reports': entrance.shows(() => reportsPage(clock.now())),
    'GET /console/csv/reports': entrance.sendsIfRight((visit) => reportFile(store, visit)),
    'GET /console/csv/orders': entrance.sends((visit) => ordersList(store, visit, listCsv)),
    'GET /console/csv/invoices': entrance.sends((visit) => invoicesList(store, visit, listCsv)),
    'GET /console/csv/deposits': entrance.sends((visit) => depositsList(store, visit, listCsv)),
    'GET /console/csv/deliveries': entrance.sends((visit) => deliveriesList(store, visit, listCsv)),
    'GET /console/sign-in': entrance.asksPassword,
    'POST /console/sign-in': entrance.signsIn,
    'POST /console/sign-out': entrance.signsOut,
    'GET /console/orders': entrance.shows((visit) => ordersList(store, visit, listPage)),
    'GET /console/orders/:id': entrance.shows((_visit, { id }: One) => orderPage(store, id, pages())),
    'GET /console/invoices': entrance.shows((visit) => invoicesList(store, visit, listPage)),
    'GET /console/invoices/:id': entrance.shows((visit, { id }: One) => invoicePage(store, visit, id, pages())),
    'POST /console/invoices/:id/void': entrance.acts('void', (operator, { id }: One) =>
      voidInvoice(actions, operator, id),
    ),
    'POST /console/invoices/:id/accept': entrance.acts('accept', (operator, { id }: One) =>
      acceptInvoice(actions, operator, id),
    ),
    'POST /console/invoices/:id/notes': entrance.acts(NOTE_ACTIONS.add, (operator, { id }: One, form) =>
      addNote(actions, operator, id, form.get(WRITTEN_FIELD)),
    ),
    'POST /console/notes/:id/remove': entrance.acts(NOTE_ACTIONS.remove, (operator, { id }: One) =>
      removeNote(actions, operator, id),
    ),
    'GET /console/deposits': entrance.shows((visit) => depositsList(store, visit, listPage)),
    'GET /console/deliveries': entrance.shows((visit) => deliveriesList(store, visit, listPage)),
    'GET /console/deliveries/:id': entrance.shows((visit, { id }: One) => deliveryPage(store, visit, id)),
    'POST /console/deliveries/:id/redeliver': entrance.acts('redeliver', (operator, { id }: One) =>
      redeliver(actions, operator, id),
    ),
    'GET /console/wallets': entrance.shows((visit) => walletsPage(store, visit)),
    'GET /console/keys': entrance.shows((visit) => keysPage(store, visit, clock.now())),
    'POST /console/keys/:id/revoke': entrance.acts('revoke', (operator, { id }: One) =>
      revokeKey(actions, operator, id),
    ),
  })
}
