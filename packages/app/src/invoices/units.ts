/** More decimal places than any coin has. */
const PLACES = 18

/** The sum of two decimals, which may be negative. */
export function sumOf(one: string, other: string): string {
  return decimalOf(unitsOf(one) + unitsOf(other))
}

/** What is left of a decimal. */
export function differenceOf(from: string, what: string): string {
  return decimalOf(unitsOf(from) - unitsOf(what))
}

/** A decimal in units of 10⁻¹⁸. */
export function unitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'))
  return amount.startsWith('-') ? -units : units
}

/** The decimal of units. */
export function decimalOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`
}
