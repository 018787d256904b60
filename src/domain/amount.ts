/**
 * Amounts of money are `bigint`s scaled by 10¹⁸ ("atoms"), so sums and comparisons are exact (specification, Limits:
 * fixed-point, 18 decimal places). Nothing in this file ever rounds: what does not fit is refused.
 */

const AMOUNT_DECIMALS = 18
/** Integer digits an invoice's amount may have (decisions 4). */
const AMOUNT_INTEGER_DIGITS_MAX = 60
/** Characters of it as sent, zeros without meaning included: it is kept as it was sent (decisions 4). */
const AMOUNT_LENGTH_MAX = 100
/** Digits of a raw token amount or integer part of a native deposit: 2²⁵⁶ has 78. */
const OBSERVED_DIGITS_MAX = 78

const DECIMAL = /^([0-9]*)(?:\.([0-9]+))?$/
const INTEGER = /^[0-9]+$/

/**
 * Reads `digits[.digits]` or `.digits`: no sign, exponent or space, at most 18 significant fraction digits (zeros
 * behind them are free), at most `integerDigitsMax` integer digits. Answers atoms, or null when the text is none of these.
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
  return BigInt(integer + fraction.slice(0, significant).padEnd(AMOUNT_DECIMALS, '0'))
}

/** The amount of an invoice (decisions 4): greater than zero, else null. */
export function parseInvoiceAmount(text: string): bigint | null {
  if (text.length > AMOUNT_LENGTH_MAX) return null
  const atoms = parseDecimal(text, AMOUNT_INTEGER_DIGITS_MAX)
  return atoms === null || atoms === 0n ? null : atoms
}

/** A native deposit's amount: decimal whole coins, used as given (decisions 5). Greater than zero, else null. */
export function parseNativeDepositAmount(text: string): bigint | null {
  const atoms = parseDecimal(text, OBSERVED_DIGITS_MAX)
  return atoms === null || atoms === 0n ? null : atoms
}

/** A token deposit's amount: a raw on-chain integer of `tokenDecimals` (0–18) decimals. Greater than zero, else null. */
export function parseTokenDepositAmount(text: string, tokenDecimals: number): bigint | null {
  if (text.length > OBSERVED_DIGITS_MAX || !INTEGER.test(text)) return null
  const atoms = BigInt(text) * 10n ** BigInt(AMOUNT_DECIMALS - tokenDecimals)
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

/** The atoms of a text that `formatAmount` wrote. */
export function parseFormattedAmount(text: string): bigint {
  const [integer = '', fraction = ''] = text.split('.')
  return BigInt(integer + fraction.padEnd(AMOUNT_DECIMALS, '0'))
}

/** The raw on-chain integer of a decimal amount, or null when the token cannot express it. */
export function rawTokenAmount(atoms: bigint, tokenDecimals: number): string | null {
  const unit = 10n ** BigInt(AMOUNT_DECIMALS - tokenDecimals)
  return atoms % unit === 0n ? (atoms / unit).toString() : null
}
