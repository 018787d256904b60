import { distance } from 'fastest-levenshtein'

/** Maximum edit distance of a misspelt name. */
const DISTANCE_MAX = 3
/** A name with more mistakes than half of its letters is a different name. */
const LETTERS_PER_MISTAKE = 2
/** Prefixes that all names share are not counted. */
const PREFIX = /^(?:BILLHOOK_|--)/

/** The hint for a name that is not in `known`, as the end of a sentence; it suggests a similar name. */
export function suggestion(name: string, known: readonly string[]): string {
  const letters = name.replace(PREFIX, '').length
  let nearest: string | undefined
  let nearestDistance = Math.min(DISTANCE_MAX, Math.floor(letters / LETTERS_PER_MISTAKE)) + 1
  for (const candidate of known) {
    const away = distance(name, candidate)
    if (away < nearestDistance) {
      nearest = candidate
      nearestDistance = away
    }
  }
  return nearest === undefined ? 'see billhook --help.' : `did you mean ${nearest}? See billhook --help.`
}
