import { DECIMALS } from './shop-chains.js'

const ATOMS = 18
/** Of 10⁻¹⁸, in a millionth. */
export const ATOMS_PER_UNIT = 10n ** BigInt(ATOMS - DECIMALS)

/** A decimal in units of 10⁻¹⁸. */
export function atomsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(ATOMS, '0'))
}

/** Units of 10⁻¹⁸ as a decimal, without zeros at its end. */
export function decimalOf(atoms: bigint): string {
  const digits = String(atoms).padStart(ATOMS + 1, '0')
  const fraction = digits.slice(-ATOMS).replace(/0+$/, '')
  const whole = digits.slice(0, -ATOMS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** To what the coins of both networks carry for certain. */
export function roundedUp(atoms: bigint): bigint {
  return -roundedDown(-atoms)
}

export function roundedDown(atoms: bigint): bigint {
  const rest = ((atoms % ATOMS_PER_UNIT) + ATOMS_PER_UNIT) % ATOMS_PER_UNIT
  return atoms - rest
}
