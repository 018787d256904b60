/**
 * The values of TRON's REST interface. Nodes omit default values (protocol buffers): a missing integer is 0. Some gateways
 * in front of nodes write integers as texts, as protocol buffers do in JSON, hex with `0x`, or null for what is missing.
 */

import { demand } from '../node/answer.js'
import { items, type Scalar, type Shape } from '../node/json-shape.js'

const WORD = /^(?:0x)?([0-9a-f]{64})$/i
/** An integer as a text; none of the protocol has more than 64 bits. */
const DIGITS = /^\d{1,20}$/
/** What a node writes for a result that is not set. */
const NO_RESULT = 'DEFAULT'

/** 32 bytes of hex, such as the id of a block or transaction, as 64 digits in lower case; null for everything else. */
export function wordOf(value: Scalar | undefined): string | null {
  return typeof value === 'string' ? (WORD.exec(value)?.[1]?.toLowerCase() ?? null) : null
}

/** Whether a node gives a value. */
export function isGiven(value: Scalar | undefined): value is Exclude<Scalar, null> {
  return value !== undefined && value !== null
}

/** A non-negative integer; null for everything else. */
export function naturalOf(value: Scalar | undefined): bigint | null {
  if (value === undefined) return 0n
  if (typeof value === 'string') return DIGITS.test(value) ? BigInt(value) : null
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  return isInteger && value >= 0 ? BigInt(value) : null
}

/** A name of the protocol, such as a result; null for everything else. */
export function nameOf(value: Scalar | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** How a transaction ended, in upper case; null where the node does not say. */
export function resultOf(value: Scalar | undefined): string | null {
  const name = nameOf(value)?.toUpperCase() ?? null
  return name === NO_RESULT ? null : name
}

/** The id of a block or transaction. Throws `BadAnswer` for everything else. */
export function demandId(value: Scalar | undefined, what: string): string {
  const id = wordOf(value)
  demand(id !== null, `${what}: not an id of 64 hex digits`)
  return id
}

/** The first item of a list; undefined when there is none. */
export function firstOf<T>(item: Shape<T>): Shape<T | null | undefined> {
  return items(item, () => {
    let first: T | undefined
    return {
      take: (one, index) => {
        if (index === 0) first = one
      },
      end: () => first,
    }
  })
}
