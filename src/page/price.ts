import { BoundedMap } from '../base/bounded-map.js'
import { formatAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Price } from '../domain/order.js'
import type { Language } from './language.js'

/** The currencies whose names and places are known. A code is no name: `Intl` would take any three letters for one. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Formats that are kept. Making one takes fifty times as long as using it, and each takes some kilobytes. */
const FORMATS_MAX = 200

const formats = new BoundedMap<string, Intl.NumberFormat>(FORMATS_MAX)

/** Decimal places that an amount has at most. */
const PLACES_MAX = 18

/**
 * A price as people write it in a language, exactly: no place is rounded away. One in a coin, or in a currency that nobody knows, is
 * shown with its code behind it, as the shop wrote it.
 */
export function priceText({ locale }: Pick<Language, 'locale'>, { amount, currency }: Price): string {
  const exact = plain(amount)
  if (!CURRENCIES.has(currency)) return `${exact} ${currency}`
  const name = `${locale} ${currency}`
  let format = formats.get(name)
  if (format === undefined) {
    const { minimumFractionDigits: least = 0 } = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
    }).resolvedOptions()
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: least,
      maximumFractionDigits: PLACES_MAX,
    })
    formats.set(name, format)
  }
  return format.format(exact as Intl.StringNumericLiteral)
}

/** A share of a hundred, in hundredths of a percent. */
export function percentText({ locale }: Pick<Language, 'locale'>, hundredths: number): string {
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(hundredths / 10_000)
}

/** A decimal that people would write: `25.00` stays so, and `.5` and `0025` do not. */
function plain(amount: string): string {
  if (/^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/.test(amount)) return amount
  const atoms = parseInvoiceAmount(amount)
  if (atoms === null) throw new Error('the price of an order is not valid')
  return formatAmount(atoms)
}
