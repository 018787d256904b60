import { requestFields } from './request-fields.js'

/** How many letters a name may be away from the one that was meant. */
const TYPOS_MAX = 2

/** Throws a `TypeError` for a field that the request does not have: services ignore those, so a misspelt one would be lost. */
export function checkFields(method: keyof typeof requestFields, given: object): void {
  const known: readonly string[] = requestFields[method]
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    throw new TypeError(`${method} has no field "${name}"${suggestion(name, known)} It has ${known.join(', ')}.`)
  }
}

const OPTION_FIELDS: readonly string[] = ['walletIds', 'currency', 'amount']

/** The same for the options of an order: a misspelt amount would be another one. */
export function checkOptions(options: readonly object[]): void {
  for (const name of options.flatMap((option) => Object.keys(option))) {
    if (OPTION_FIELDS.includes(name)) continue
    const known = OPTION_FIELDS.join(', ')
    throw new TypeError(`an option has no field "${name}"${suggestion(name, OPTION_FIELDS)} It has ${known}.`)
  }
}

/** The end of a sentence that refuses a name: it asks for the one that was meant, if there is one. */
export function suggestion(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, away: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, away }) => away <= TYPOS_MAX && 2 * away < candidate.length)
    .sort((a, b) => a.away - b.away)
  return nearest === undefined ? '.' : `; did you mean "${nearest.candidate}"?`
}

/** How many letters must be added, removed or replaced to make one text of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
