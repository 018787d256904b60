import type { Settings } from '../config.js'
import { type PageSettings, pageVersion } from '../http/routes/pay.js'
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

export function networkFactsOf({ sepChainId, sepToken, trxNileToken }: Settings): NetworkFacts {
  return {
    SEP: { chainId: sepChainId, token: sepToken ?? null },
    'TRX-NILE': { chainId: null, token: trxNileToken ?? null },
  }
}

/** Tells open pages of what the store's commits change, until it is closed. */
export function startOpenPages(store: Store, log: Logger): OpenPages {
  const openPages = new OpenPages({
    versionOf: (invoiceId) => pageVersion(store, invoiceId),
    onError: (error) => log.error({ err: error }, 'open payment pages could not be told what changed'),
  })
  store.changes.onChange((walletIds) => openPages.changed(walletIds))
  return openPages
}
