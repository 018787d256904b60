/** The values of TRON's REST interface. Nodes omit default values (protocol buffers): a missing integer is 0. */

import { demand } from '../node/answer.js'
import { items, type Scalar, type Shape } from '../node/json-shape.js'

const ID = /^[0-9a-f]{64}$/i

/** The id of a block or transaction, in lower case; null for everything else. */
export function idOf(value: Scalar | undefined): string | null {
  return typeof value === 'string' && ID.test(value) ? value.toLowerCase() : null
}

/** A non-negative integer; null for everything else. */
export function naturalOf(value: Scalar | undefined): bigint | null {
  if (value === undefined) return 0n
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  return isInteger && value >= 0 ? BigInt(value) : null
}

/** A name of the protocol, such as a result; null for everything else. */
export function nameOf(value: Scalar | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The id of a block or transaction. Throws `BadAnswer` for everything else. */
export function demandId(value: Scalar | undefined, what: string): string {
  const id = idOf(value)
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
