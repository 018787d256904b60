import type { Slice } from '../base/turns.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Networks, Token } from '../domain/network.js'
import { orderPageState } from '../http/routes/order-page.js'
import type { PageSettings } from '../http/routes/page-answers.js'
import { pageState } from '../http/routes/pay.js'
import type { Logger } from '../log.js'
import type { NetworkEntry } from '../networks/catalogue/entry.js'
import type { PageNetworks } from '../page/networks.js'
import { OpenPages } from '../page/open-pages.js'
import { invoiceOfPage, orderOfPage } from '../page/page-name.js'
import type { Awaitable } from '../store/reading.js'
import type { Store } from '../store/store.js'
import { readBrand } from './brand.js'
import { catalogueOf } from './catalogue.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** What the settings say of the payment pages. Throws `OperatorError` if the logo cannot be shown. */
export function pageSettingsOf(settings: Settings, log: Logger): PageSettings {
  const { sandbox, pageFrameAncestors, lateDays } = settings
  return {
    isSandbox: sandbox,
    brand: readBrand(settings, log),
    frameAncestors: pageFrameAncestors,
    lateMs: lateDays * DAY_MS,
  }
}

/**
 * What pages show of the networks. Of a retired one that is what the store remembers; of one that only another process of
 * the store knows so far, its id.
 */
export function pageNetworksOf(settings: Settings, { all }: Pick<Networks, 'all'>): PageNetworks {
  const entries = new Map(catalogueOf(settings).map((entry) => [entry.id, entry]))
  const known = new Map(
    all.map((about) => {
      const entry = entries.get(about.id)
      const tokens = about.tokens.map((token) => ({ ...token, contract: contractIn(entry, token) }))
      return [about.id, { ...about, tokens, ...ofEntry(entry, settings) }]
    }),
  )
  return (id) => known.get(id) ?? { ...NAMELESS, name: id, symbol: id, ...ofEntry(undefined, settings) }
}

const NAMELESS = { kind: 'evm', tokens: [], isTest: false } as const

/** The contract of a token; null when it is not configured, and for one that has left the catalogue. */
function contractIn(entry: NetworkEntry | undefined, { currency }: Token): string | null {
  return entry?.tokens.find((token) => token.currency === currency)?.contract ?? null
}

/** No explorer knows the transactions of simulated networks. */
function ofEntry(entry: NetworkEntry | undefined, { sandbox }: Settings) {
  return {
    chainId: entry?.kind === 'evm' ? entry.chainId : null,
    genesis: entry?.kind === 'tron' ? entry.genesis : null,
    walletNodes: entry?.kind === 'tron' ? entry.walletNodes : [],
    tokenStandard: entry?.tokenStandard ?? null,
    // Simulated networks confirm within seconds.
    confirmationMinutes: sandbox ? null : (entry?.confirmationMinutes ?? null),
    explorer: sandbox ? null : (entry?.explorer ?? null),
    confirmations: entry?.kind === 'evm' && typeof entry.confirmations === 'number' ? entry.confirmations : null,
  }
}

/** Whom the work of telling open pages counts for. */
const OPEN_PAGES = 'open pages'

/** Tells open pages of what the store's commits change, until it is closed. */
export function startOpenPages(store: Store, settings: Settings, clock: Clock, log: Logger): OpenPages {
  const networks = pageNetworksOf(settings, store.networks)
  const run = async <T>(piece: (slice: Slice) => Awaitable<T>): Promise<T> => await store.turns.run(OPEN_PAGES, piece)
  const openPages = new OpenPages({
    stateOf: (page) => {
      const orderId = orderOfPage(page)
      if (orderId === null) return pageState(store, networks, invoiceOfPage(page), run)
      return orderPageState({ store, networks, clock }, orderId, run)
    },
    onError: (error) => log.error({ err: error }, 'open payment pages could not be notified of a change'),
  })
  store.changes.onChange(({ walletIds, invoiceIds }) => {
    openPages.changed(walletIds)
    openPages.ownChanged(invoiceIds)
  })
  return openPages
}
