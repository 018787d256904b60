import type { Settled } from '../commands.js'

/** Writes one after the other, each in a transaction of its own: one that fails is rejected alone. */
export async function eachAlone<One, T>(
  batch: readonly One[],
  write: (one: One) => Promise<T>,
): Promise<readonly Settled<T>[]> {
  const fates: Settled<T>[] = []
  for (const one of batch) fates.push(...(await Promise.allSettled([write(one)])))
  return fates
}
