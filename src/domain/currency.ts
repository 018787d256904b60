/** The currencies of invoices (specification, Invoice record). */
export const CURRENCIES = ['native', 'USDT'] as const
export type Currency = (typeof CURRENCIES)[number]

export function isCurrency(text: string): text is Currency {
  return text === 'native' || text === 'USDT'
}

/** The currency label of a deposit, as reported. */
export type CurrencyLabel = string | null

export const TOKEN_LABEL = 'Tether'
export const NATIVE_LABEL = '#native'

/** The invoice currency of a deposit's label; null if it matches none (specification, Currency normalisation). */
export function currencyOfLabel(label: CurrencyLabel): Currency | null {
  if (label === TOKEN_LABEL) return 'USDT'
  if (label === NATIVE_LABEL || label === null || label === '') return 'native'
  return null
}
