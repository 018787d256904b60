import { distance } from 'fastest-levenshtein'

/** Letters that may be wrong, missing or too many for a name to be taken for a misspelt one. */
const DISTANCE_MAX = 3
/** A name of which more than half is wrong is another name. */
const LETTERS_PER_MISTAKE = 2
/** What all names of a kind have in common says nothing. */
const PREFIX = /^(?:BILLHOOK_|--)/

/** What to do about a name that is none of `known`, as the end of a sentence: a near miss is suggested. */
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
