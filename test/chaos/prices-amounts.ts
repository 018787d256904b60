import { decimalOf } from './shop-amounts.js'

/** Places of an atom, the unit of all amounts of the model: 10⁻¹⁸ of a coin. */
const ATOM_PLACES = 18

/** An exact share of a price; `under` is greater than zero. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

export const NOTHING: Fraction = { over: 0n, under: 1n }

export function sumOf(one: Fraction, other: Fraction): Fraction {
  return { over: one.over * other.under + other.over * one.under, under: one.under * other.under }
}

/** A number of at least zero, divided and rounded up. */
export function ceiling(over: bigint, under: bigint): bigint {
  return over % under === 0n ? over / under : over / under + 1n
}

/** Atoms in a unit of so many decimal places. */
export function unitOf(places: number): bigint {
  return 10n ** BigInt(ATOM_PLACES - places)
}

export function upTo(places: number, atoms: bigint): bigint {
  const unit = unitOf(places)
  return ceiling(atoms, unit) * unit
}

export function downTo(places: number, atoms: bigint): bigint {
  return atoms - (atoms % unitOf(places))
}

/** A share as the API shows it: 18 places, rounded down. */
export function fractionText({ over, under }: Fraction): string {
  const [whole = '', places = ''] = decimalOf((over * unitOf(0)) / under).split('.')
  return `${whole}.${places.padEnd(ATOM_PLACES, '0')}`
}

/** How many decimal places of a decimal count. */
export function placesOf(decimal: string): number {
  return (decimal.split('.')[1] ?? '').replace(/0+$/, '').length
}
