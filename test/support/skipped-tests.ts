import { readAbsence } from './programs.js'

/** A test or suite that was skipped. */
export interface Skipped {
  /** Where it is written, relative to the project. */
  readonly file: string
  readonly name: string
  /** Empty where the test gives none. */
  readonly reason: string
}

/** What a run skipped and why, in lines for people; tests that give no reason are left out. */
export function reportOf(skipped: readonly Skipped[]): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const { file, name, reason } of skipped) {
    if (reason === '') continue
    const absence = readAbsence(reason)
    const why = absence === null ? reason : `not installed: ${absence.names.join(', ')}`
    const line = `  ${absence?.file ?? file}: ${name}`
    const others = groups.get(why)
    if (others === undefined) groups.set(why, [line])
    else others.push(line)
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([why, lines]) => [`skipped, ${why}`, ...lines])
}

/** The test files that skipped tests because something was not installed. */
export function filesThatLacked(skipped: readonly Skipped[]): readonly string[] {
  return distinct(skipped.flatMap(({ reason }) => readAbsence(reason)?.file ?? []))
}

/** What was not installed, and may not be missing. */
export function namesThatLacked(skipped: readonly Skipped[], mayLack: ReadonlySet<string>): readonly string[] {
  return distinct(skipped.flatMap(({ reason }) => readAbsence(reason)?.names ?? [])).filter(
    (name) => !mayLack.has(name),
  )
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}
