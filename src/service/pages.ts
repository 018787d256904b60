import type { Settings } from '../config.js'
import { type PageSettings, pageState } from '../http/routes/pay.js'
import type { Logger } from '../log.js'
import { OpenPages } from '../page/open-pages.js'
import type { NetworkFacts } from '../page/payment-page.js'
import type { Store } from '../store/store.js'
import { readBrand } from './brand.js'

/** What the settings say of the payment pages. Throws `StartError` if the logo cannot be shown. */
export function pageSettingsOf(settings: Settings, log: Logger): PageSettings {
  const { sandbox, pageFrameAncestors } = settings
  return { isSandbox: sandbox, brand: readBrand(settings, log), frameAncestors: pageFrameAncestors }
}

export function networkFactsOf(settings: Settings): NetworkFacts {
  const { sandbox, sepChainId, sepToken, sepConfirmations, trxNileToken } = settings
  // No explorer knows the transactions of simulated networks.
  const [sepExplorer, trxNileExplorer] = sandbox ? [null, null] : [settings.sepExplorer, settings.trxNileExplorer]
  const sepNeeded = sepConfirmations === 'finalized' ? null : sepConfirmations
  return {
    SEP: { chainId: sepChainId, token: sepToken ?? null, explorer: sepExplorer, confirmations: sepNeeded },
    'TRX-NILE': { chainId: null, token: trxNileToken ?? null, explorer: trxNileExplorer, confirmations: null },
  }
}

/** Tells open pages of what the store's commits change, until it is closed. */
export function startOpenPages(store: Store, settings: Settings, log: Logger): OpenPages {
  const networks = networkFactsOf(settings)
  const openPages = new OpenPages({
    stateOf: (invoiceId) => pageState(store, networks, invoiceId),
    onError: (error) => log.error({ err: error }, 'open payment pages could not be told what changed'),
  })
  store.changes.onChange((walletIds) => openPages.changed(walletIds))
  return openPages
}
