/**
 * Finds what makes a whole fail: the fewest of its parts that have to be left out, each with the error that it caused. Parts are
 * tried in order with all that have passed, so that one which fails only behind another is found too. `attempt` tries some of
 * them, changes nothing, and answers the error, or null. A single faulty part of n takes some 2 log n attempts.
 *
 * Null when the whole fails without any of its parts: then it is none of them.
 */
export async function faultyParts<T>(
  parts: readonly T[],
  attempt: (some: readonly T[]) => Promise<Error | null>,
): Promise<ReadonlyMap<T, Error> | null> {
  if ((await attempt([])) !== null) return null
  const sound: T[] = []
  const faulty = new Map<T, Error>()

  async function visit(some: readonly T[]): Promise<void> {
    const error = await attempt([...sound, ...some])
    if (error === null) {
      sound.push(...some)
      return
    }
    const [first] = some
    if (some.length === 1 && first !== undefined) {
      faulty.set(first, error)
      return
    }
    const middle = Math.ceil(some.length / 2)
    await visit(some.slice(0, middle))
    await visit(some.slice(middle))
  }

  if (parts.length > 0) await visit(parts)
  return faulty
}
