/** What a deposit is about, as texts that name it. */
export interface Claim {
  /** What it changes. */
  readonly changes: readonly string[]
  /** What it depends on, too. */
  readonly reads: readonly string[]
  /** Whether it is to be recorded alone, because what it changes is not known before. */
  readonly isAlone: boolean
  /** Whether what comes behind it has to wait when it has to, because it shows what was received until then. */
  readonly isOrdered: boolean
}

/**
 * Which of some deposits can be recorded together with the same result as one after the other, by their places in the list: those that
 * neither depend on what an earlier one changes nor change what an earlier one depends on. The first is always among them.
 */
export function waveOf(claims: readonly Claim[]): readonly number[] {
  const wave: number[] = []
  const changed = new Set<string>()
  const read = new Set<string>()
  for (const [at, { changes, reads, isAlone, isOrdered }] of claims.entries()) {
    if (isAlone && at > 0) break
    const waits = changes.some((name) => changed.has(name) || read.has(name)) || reads.some((name) => changed.has(name))
    if (!waits) wave.push(at)
    if (isAlone || (waits && isOrdered)) break
    for (const name of changes) changed.add(name)
    for (const name of reads) read.add(name)
  }
  return wave
}
