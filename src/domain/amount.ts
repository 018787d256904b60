/**
 * Amounts of money and their currencies. Amounts are `bigint`s scaled by 10¹⁸ ("atoms"), so sums and comparisons are exact (specification, Limits:
 * fixed-point, 18 decimal places). Nothing that is recorded is rounded; a text that does not fit is rejected.
 */

const AMOUNT_DECIMALS = 18

/** By decimal places. */
const SMALLEST_UNITS = Array.from(
  { length: AMOUNT_DECIMALS + 1 },
  (_, decimals) => 10n ** BigInt(AMOUNT_DECIMALS - decimals),
)

/** The smallest amount that a coin or token with so many decimal places (0–18) can carry, in atoms. */
export function smallestUnit(decimals: number): bigint {
  const unit = SMALLEST_UNITS[decimals]
  if (unit === undefined) throw new RangeError(`no amount has ${decimals} decimal places`)
  return unit
}
/** Maximum integer digits of an invoice's amount (decisions 4). */
const AMOUNT_INTEGER_DIGITS_MAX = 60
/** Maximum characters of an amount as sent, which is how it is stored (decisions 4). */
const AMOUNT_LENGTH_MAX = 100
/** Maximum digits of a raw token amount, or of the integer part of a native deposit: 2²⁵⁶ has 78. */
const OBSERVED_DIGITS_MAX = 78

const DECIMAL = /^([0-9]*)(?:\.([0-9]+))?$/
const INTEGER = /^[0-9]+$/

/**
 * Parses `digits[.digits]` or `.digits` into atoms: no sign, exponent or space, at most 18 significant fraction digits
 * (trailing zeros do not count), at most `integerDigitsMax` integer digits. Returns null for any other text, and for zero.
 */
function parseDecimal(text: string, integerDigitsMax: number): bigint | null {
  const parts = DECIMAL.exec(text)
  if (parts === null) return null
  const integer = parts[1] ?? ''
  const fraction = parts[2] ?? ''
  if (integer === '' && fraction === '') return null
  if (integer.length > integerDigitsMax) return null
  let significant = fraction.length
  while (significant > 0 && fraction.charCodeAt(significant - 1) === 0x30) significant -= 1
  if (significant > AMOUNT_DECIMALS) return null
  const atoms = BigInt(integer + fraction.slice(0, significant).padEnd(AMOUNT_DECIMALS, '0'))
  return atoms === 0n ? null : atoms
}

/** Parses the amount of an invoice (decisions 4). Returns null unless it is greater than zero. */
export function parseInvoiceAmount(text: string): bigint | null {
  return text.length > AMOUNT_LENGTH_MAX ? null : parseDecimal(text, AMOUNT_INTEGER_DIGITS_MAX)
}

/** Parses a native deposit's amount, decimal whole coins (decisions 5). Returns null unless it is greater than zero. */
export function parseNativeDepositAmount(text: string): bigint | null {
  return parseDecimal(text, OBSERVED_DIGITS_MAX)
}

/**
 * Parses a token deposit's amount, a raw on-chain integer with `tokenDecimals` (0–18) decimals. Returns null unless it
 * is greater than zero.
 */
export function parseTokenDepositAmount(text: string, tokenDecimals: number): bigint | null {
  if (text.length > OBSERVED_DIGITS_MAX || !INTEGER.test(text)) return null
  const atoms = BigInt(text) * smallestUnit(tokenDecimals)
  return atoms === 0n ? null : atoms
}

/** The shortest decimal string of a non-negative amount: `1500000000000000000n` is `1.5`. */
export function formatAmount(atoms: bigint): string {
  if (atoms === 0n) return '0'
  const digits = atoms.toString().padStart(AMOUNT_DECIMALS + 1, '0')
  const point = digits.length - AMOUNT_DECIMALS
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === 0x30) end -= 1
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
}

/** Parses a text that `formatAmount` wrote. */
export function parseFormattedAmount(text: string): bigint {
  const [integer = '', fraction = ''] = text.split('.')
  return BigInt(integer + fraction.padEnd(AMOUNT_DECIMALS, '0'))
}

/** The raw on-chain integer of an amount, or null if the token has too few decimals for it. */
export function rawTokenAmount(atoms: bigint, tokenDecimals: number): string | null {
  const unit = smallestUnit(tokenDecimals)
  return atoms % unit === 0n ? (atoms / unit).toString() : null
}

/**
 * The least amount with at most `decimals` (0–18) decimal places that is not below `atoms`: a coin carries no finer one
 * (decisions 4). What is negative is rounded towards zero, so an excess never grows.
 */
export function roundedUp(atoms: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(AMOUNT_DECIMALS - decimals)
  return (atoms > 0n ? (atoms + unit - 1n) / unit : atoms / unit) * unit
}

/**
 * What invoices and deposits are in: `native` is a network's own coin, anything else the symbol of a token (specification, Invoice
 * record; decisions 15).
 */
export type Currency = string

export const NATIVE = 'native'
export const USDT = 'USDT'

/** How tokens may be called; `NATIVE` could be taken for the coin. */
const TOKEN_SYMBOL = /^(?!NATIVE$)[A-Z0-9]{2,12}$/

export function isTokenSymbol(text: string): boolean {
  return TOKEN_SYMBOL.test(text)
}

/** Whether a text has the form of a currency. Which currencies there are, the networks say. */
export function isCurrency(text: string): text is Currency {
  return text === NATIVE || isTokenSymbol(text)
}

/** The currency label of a deposit, as reported. */
export type CurrencyLabel = string | null

const USDT_LABEL = 'Tether'
export const NATIVE_LABEL = '#native'

/** The label of deposits in a currency. */
export function labelOf(currency: Currency): string {
  if (currency === NATIVE) return NATIVE_LABEL
  return currency === USDT ? USDT_LABEL : currency
}

/**
 * The currency that a deposit's label names; null if it is the label of none (specification, Currency normalisation). A network may
 * not have it: see `currencyOf`.
 */
export function currencyOfLabel(label: CurrencyLabel): Currency | null {
  if (label === USDT_LABEL) return USDT
  if (label === NATIVE_LABEL || label === null || label === '') return NATIVE
  return label !== USDT && isTokenSymbol(label) ? label : null
}
