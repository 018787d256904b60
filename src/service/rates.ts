import type { Settings } from '../config.js'
import { NO_RATES, type Rates } from '../domain/order-price.js'
import { type RateOrigin, type RateTerms, rateFor } from '../domain/rates.js'
import type { RatesInUse } from '../http/routes/rates.js'
import type { RateSource } from '../rates/rate-source.js'
import { systemScheduler } from '../scheduler.js'
import type { RatePort } from '../store/rates.js'
import { AddressGuard } from '../webhooks/address-guard.js'
import { isLoopback, isPrivateToMachine } from './exposure.js'

const MS_PER_SECOND = 1000
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** By what sets of rates are judged. */
export function rateTermsOf({ ratesJump: jump, ratesMaxAgeSeconds }: Settings): RateTerms {
  return { jump, maxAgeMs: ratesMaxAgeSeconds * MS_PER_SECOND }
}

/** Where the rates of a service come from; null where it has none. A sandbox has its own, unless the settings name others. */
export function rateOriginOf({ rates, sandbox }: Pick<Settings, 'rates' | 'sandbox'>): RateOrigin | null {
  if (rates.kind === 'off') return sandbox ? 'sandbox' : null
  return rates.kind
}

export function ratesInUse(settings: Settings): RatesInUse {
  return { origin: rateOriginOf(settings), maxAgeMs: rateTermsOf(settings).maxAgeMs, spread: settings.ratesSpread }
}

/** The rates that are in force, as they are now; orders are priced by them. */
export async function ratesForOrders(
  rates: Pick<RatePort, 'current'>,
  { origin, maxAgeMs, spread }: RatesInUse,
): Promise<Rates> {
  if (origin === null) return NO_RATES
  const table = await rates.current()
  return {
    rateFor: (currency, coin, nowMs) => {
      const found = rateFor(table, { currency, coin }, maxAgeMs, nowMs)
      return found.ok ? { rate: found.rate, at: found.at, spread } : null
    },
  }
}

/** What is read for rates; null where they are pushed, or there are none. Its HTTP client is loaded only here. */
export async function rateSourceOf(settings: Settings): Promise<RateSource | null> {
  const { rates } = settings
  switch (rates.kind) {
    case 'off':
    case 'push':
      return null
    case 'file': {
      const { RateFile } = await import('../rates/rate-file.js')
      return new RateFile(rates.path)
    }
    case 'https': {
      const { RateUrl } = await import('../rates/rate-url.js')
      const url = new URL(rates.url)
      const own = isLoopback(url.hostname.replace(/^\[|\]$/g, '')) ? LOOPBACK : []
      const allow = [...settings.ratesAllow, ...own]
      const guard = new AddressGuard({ allowAll: isPrivateToMachine(settings), allow })
      return new RateUrl(url, { guard, scheduler: systemScheduler })
    }
  }
}
