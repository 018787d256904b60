import type { Network } from '../../../src/domain/network.js'
import { currencyOf, kindOf, tokenDecimalsOf } from '../networks.js'

/** Amounts of the model: atoms (10⁻¹⁸), read digit by digit from the text of decisions 4 and 5. */

const FRACTION_DIGITS = 18
const ATOMS = 10n ** BigInt(FRACTION_DIGITS)

/** Integer digits of an invoice's amount (decisions 4), and of what is observed on a network: 2²⁵⁶ has 78. */
const INVOICE_DIGITS = 60
const INVOICE_CHARACTERS = 100
const OBSERVED_DIGITS = 78

/** `digits[.digits]` or `.digits`; null for anything else and for zero. */
export function invoiceAtoms(text: string): bigint | null {
  return text.length > INVOICE_CHARACTERS ? null : decimalAtoms(text, INVOICE_DIGITS)
}

/** A raw integer for a token of the network, decimal whole coins for everything else; null when it is no positive amount. */
export function depositAtoms(network: Network, label: string | null, text: string): bigint | null {
  const currency = currencyOf(network, label)
  const decimals = currency === null ? null : tokenDecimalsOf(network, currency)
  if (decimals === null) return decimalAtoms(text, OBSERVED_DIGITS)
  if (text.length > OBSERVED_DIGITS || text === '') return null
  let raw = 0n
  for (const digit of text) {
    if (digit < '0' || digit > '9') return null
    raw = raw * 10n + BigInt(digit)
  }
  return raw === 0n ? null : raw * 10n ** BigInt(FRACTION_DIGITS - decimals)
}

function decimalAtoms(text: string, integerDigits: number): bigint | null {
  let atoms = 0n
  let digits = 0
  let place: bigint | null = null
  for (const digit of text) {
    if (digit === '.') {
      if (place !== null) return null
      place = ATOMS
      digits = 0
      continue
    }
    if (digit < '0' || digit > '9') return null
    digits += 1
    if (place === null) {
      if (digits > integerDigits) return null
      atoms = atoms * 10n + BigInt(digit) * ATOMS
      continue
    }
    // What is behind the 18th place may be nothing but zeros.
    if (place === 1n && digits > FRACTION_DIGITS) {
      if (digit !== '0') return null
      continue
    }
    place /= 10n
    atoms += BigInt(digit) * place
  }
  return digits === 0 || atoms === 0n ? null : atoms
}

/** What a coin or token can carry at least: wei, sun, and the last decimal of a token. */
export function smallestUnit(network: Network, currency: string): bigint {
  const coin = kindOf(network) === 'evm' ? FRACTION_DIGITS : 6
  return (
    10n **
    BigInt(FRACTION_DIGITS - (currency === 'native' ? coin : (tokenDecimalsOf(network, currency) ?? FRACTION_DIGITS)))
  )
}

/** The shortest decimal. */
export function decimal(atoms: bigint): string {
  const digits = atoms.toString().padStart(FRACTION_DIGITS + 1, '0')
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '')
  return digits.slice(0, -FRACTION_DIGITS) + (fraction === '' ? '' : `.${fraction}`)
}

/** The raw integer of a token amount, cut off below its last decimal. */
export function rawToken(atoms: bigint, decimals: number): string {
  return (atoms / 10n ** BigInt(FRACTION_DIGITS - decimals)).toString()
}
