const UMID = /^[0-9a-f]{64}$/

/** The transactions that changed a stream, oldest first, as a node tells them; null when it does not. */
export function readTxs(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((one: unknown) => typeof one === 'string' && UMID.test(one)) ? value : null
}

/**
 * The transactions behind the first one, which made the stream, that more than half of the read APIs tell, oldest first. All
 * that are configured count, also those that do not answer: a single one that lies, or is the only one that answers, decides
 * nothing. One that lags behind tells fewer and is outvoted.
 */
export function agreedChanges(told: readonly (readonly string[])[], readApis: number): readonly string[] {
  const changes = told.map(([, ...behind]) => new Set(behind))
  const [longest = new Set<string>()] = changes.toSorted((a, b) => b.size - a.size)
  const tellers = (umid: string) => changes.filter((one) => one.has(umid)).length
  const all = new Set([...longest, ...changes.flatMap((one) => [...one])])
  return [...all].filter((umid) => tellers(umid) * 2 > readApis)
}
