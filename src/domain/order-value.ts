import { parseInvoiceAmount } from './amount.js'
import type { Order, OrderOption } from './order.js'

/*
 * What a deposit to an option of an order is worth in the currency of the price: its amount times the rate that the order promised, as
 * its source gave it. The spread is no part of it: it made the payer pay more coins, which are worth what they are worth. An amount times
 * a rate is a decimal of at most 36 places, so nothing is rounded before it is meant to be.
 */

const ATOMS_PLACES = 18
const VALUE_PLACES = 2 * ATOMS_PLACES
/** Decimal places of a currency of which nothing else is known. */
const PLACES_USUAL = 2

/** Currencies with a name: a code is none, and `Intl` would take any three letters for one. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** A sum of money in the currency of a price, in units of 10⁻³⁶. */
export type Value = bigint

/** The price of one coin that an option was made with, as a decimal; null for an amount that the shop fixed. */
export function rateOfOption({ rate, isFixed }: Pick<OrderOption, 'rate' | 'isFixed'>): string | null {
  if (rate === null) return isFixed ? null : '1'
  return rate.rate
}

/** What an amount is worth at a rate. Atoms. */
export function valueAt(atoms: bigint, rate: string): Value {
  const one = parseInvoiceAmount(rate)
  if (one === null) throw new Error('an order was made with a rate that is none')
  return atoms * one
}

/** The option of an order whose invoice has an id in the store. */
export function optionOf({ options }: Pick<Order, 'options'>, invoiceId: string): OrderOption | undefined {
  return options.find((option) => option.invoiceId === invoiceId)
}

/** The shortest decimal string of a value, exactly. */
export function valueText(value: Value): string {
  return decimalText(value, VALUE_PLACES).replace(/\.?0+$/, '')
}

/** A value to the decimal places of its currency: half a unit is rounded up. */
export function roundedValueText(value: Value, currency: string): string {
  const places = placesOfCurrency(currency)
  const unit = 10n ** BigInt(VALUE_PLACES - places)
  return decimalText((value + unit / 2n) / unit, places)
}

/** Decimal places in which people count a currency: 2 for EUR, none for JPY. */
function placesOfCurrency(currency: string): number {
  if (!CURRENCIES.has(currency)) return PLACES_USUAL
  const { maximumFractionDigits = PLACES_USUAL } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return maximumFractionDigits
}

/** A number of units of 10⁻ᵖˡᵃᶜᵉˢ as a decimal with all its places. */
function decimalText(units: bigint, places: number): string {
  if (places === 0) return units.toString()
  const digits = units.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
