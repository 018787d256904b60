import { each, isCidr, isPath } from '../checks.js'
import { list, percentage, quantity, type Setting } from '../setting.js'

const JUMP_PERCENT_MAX = 1000
const SPREAD_PERCENT_MAX = 100
const PERCENT_DECIMALS = 2
const MAX_AGE_SECONDS = [30, 86_400] as const
const POLL_SECONDS = [5, 3600] as const

const FILE = 'file:'
/** Over the network only with TLS: who can change an answer on its way sets the prices. */
const URL_FORM = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=[:/?]|$))[^\s\\#@]+$/

/** Where rates come from. */
export type RatesFrom =
  | { readonly kind: 'off' }
  | { readonly kind: 'push' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'https'; readonly url: string }

function ratesFrom(given: string): RatesFrom | undefined {
  if (given === 'off' || given === 'push') return { kind: given }
  if (given.startsWith(FILE)) {
    const path = given.slice(FILE.length)
    return isPath(path) ? { kind: 'file', path } : undefined
  }
  return URL_FORM.test(given) && URL.canParse(given) ? { kind: 'https', url: given } : undefined
}

const rates: Setting<RatesFrom> = {
  about: {
    fallback: 'off',
    secret: true,
    expects: 'off, push, file:<path>, or an https URL without credentials (http on loopback)',
    sentence:
      'Where the rates come from by which prices become amounts of coins (rates.md): off for none, a file that is read again when it changes, a URL that is asked again and again, or push for what is posted to /internal/rates.',
  },
  read: ratesFrom,
}

/** Rates: what a coin costs in the currency of a price. */
export const priceRates = {
  rates,
  ratesMaxAgeSeconds: quantity(...MAX_AGE_SECONDS, 'seconds', {
    fallback: '600',
    sentence:
      'The greatest age of a rate that is used. /readyz reports the service as degraded from three quarters of it.',
  }),
  ratesJump: percentage(JUMP_PERCENT_MAX, PERCENT_DECIMALS, {
    fallback: '10',
    sentence:
      'By how much a rate may differ from the one before. One that differs more is used only when two sets in a row, dated at least 30 seconds apart, say so; until then that coin has no rate.',
  }),
  ratesSpread: percentage(SPREAD_PERCENT_MAX, PERCENT_DECIMALS, {
    fallback: '0',
    sentence: 'What is charged on top of an amount that was computed by a rate.',
  }),
  ratesPollSeconds: quantity(...POLL_SECONDS, 'seconds', {
    fallback: '60',
    sentence: 'The pause between two readings of the URL or file of rates. It grows while readings fail.',
  }),
  ratesAllow: list(each(isCidr), {
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 10.1.0.0/16 or fd00::/8',
    sentence:
      'Non-public networks in which the URL of the rates may be. By default there are none, unless the service is private to its machine or the URL names loopback.',
  }),
}
