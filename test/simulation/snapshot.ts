/**
 * Keeps what some objects hold now, and answers what puts it back, as often as one likes. Lists, maps, sets and plain objects are
 * kept by value, the same one in several places as the same one; everything else is shared.
 */
export function capture(holders: readonly object[]): () => void {
  const kept = fieldsOf(holders)
  return () => {
    const seen = new Map<object, object>()
    for (const [i, holder] of holders.entries()) Object.assign(holder, copyOf(kept[i], seen))
  }
}

/** A copy of the data of each holder, without what is shared. */
function fieldsOf(holders: readonly object[]): readonly object[] {
  const seen = new Map<object, object>()
  return holders.map((holder) =>
    Object.fromEntries(
      Object.entries(holder)
        .filter(([, value]) => !isShared(value))
        .map(([name, value]) => [name, copyOf(value, seen)]),
    ),
  )
}

function isShared(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null) return false
  return !(Array.isArray(value) || value instanceof Map || value instanceof Set || isPlain(value))
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

function copyOf(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null || isShared(value)) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  const copy = emptyLike(value)
  seen.set(value, copy)
  if (value instanceof Map) for (const [key, one] of value) (copy as Map<unknown, unknown>).set(key, copyOf(one, seen))
  else if (value instanceof Set) for (const one of value) (copy as Set<unknown>).add(copyOf(one, seen))
  else for (const [name, one] of Object.entries(value)) Reflect.set(copy, name, copyOf(one, seen))
  return copy
}

function emptyLike(value: object): object {
  if (Array.isArray(value)) return []
  if (value instanceof Map) return new Map()
  return value instanceof Set ? new Set() : {}
}
