import type { Sighting } from './deposit.js'
import type { Networks } from './network.js'
import { parseOwner } from './text.js'

/* Reads the fields of records that another store has exported. What cannot be is a `FieldFlaw`. */

export type Fields = Readonly<Record<string, unknown>>

export class FieldFlaw extends Error {}

/** Where and when records are imported. */
export interface Importing {
  /** The networks that a record may name. */
  readonly networks: Networks
  /** Unix milliseconds: nothing that a record tells of can have happened later. */
  readonly nowMs: number
}

const INDEX_MAX = 0xffff_ffff
const TIME_MAX = 0xffff_ffff_ffff

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A deposit as it was seen. What the label says is read by the caller. */
export function readSighting(record: Fields, currency: string | null, importing: Importing): Sighting {
  const { network, index } = record
  if (!importing.networks.isKnown(network)) throw new FieldFlaw('network is not one that is known')
  if (!isWhole(index, INDEX_MAX)) throw new FieldFlaw(`index must be an integer from 0 to ${INDEX_MAX}`)
  return {
    network,
    txHash: text(record, 'txHash'),
    index,
    toAddress: text(record, 'toAddress'),
    currency,
    amount: text(record, 'amount'),
    receivedAt: pastTime(record, 'receivedAt', importing),
  }
}

export function readOwner(record: Fields): string {
  const parsed = parseOwner(record['owner'])
  if (parsed === null || parsed !== record['owner']) throw new FieldFlaw('owner must be an identity')
  return parsed
}

export function text(record: Fields, name: string): string {
  const value = optionalText(record, name)
  if (value === null) throw new FieldFlaw(`${name} is missing`)
  return value
}

export function matching(record: Fields, name: string, pattern: RegExp, form: string): string {
  const value = text(record, name)
  if (!pattern.test(value)) throw new FieldFlaw(`${name} must be ${form}`)
  return value
}

/** Absent, null and empty are the same. */
export function optionalText(record: Fields, name: string): string | null {
  const value = record[name]
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || !value.isWellFormed()) throw new FieldFlaw(`${name} must be a text`)
  return value
}

/** When something has happened, Unix milliseconds. */
export function pastTime(record: Fields, name: string, importing: Importing): number {
  const value = optionalPastTime(record, name, importing)
  if (value === null) throw new FieldFlaw(`${name} is missing`)
  return value
}

export function optionalPastTime(record: Fields, name: string, { nowMs }: Importing): number | null {
  const value = optionalTime(record, name)
  if (value !== null && value > nowMs) throw new FieldFlaw(`${name} is in the future`)
  return value
}

export function optionalTime(record: Fields, name: string, maximum = TIME_MAX): number | null {
  const value = record[name]
  if (value === undefined || value === null) return null
  if (!isWhole(value, maximum)) throw new FieldFlaw(`${name} must be Unix milliseconds`)
  return value
}

export function isWhole(value: unknown, maximum: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maximum
}
