/** How many words are asked back. */
const ASKED = 3

export function wordsOf(phrase: string): readonly string[] {
  return phrase.trim().split(/\s+/)
}

/** Different places of a phrase, in their order, counted from zero. `random` answers numbers from 0 to below 1. */
export function chosenPlaces(count: number, random: () => number): readonly number[] {
  const left = Array.from({ length: count }, (_, place) => place)
  const chosen = Array.from({ length: Math.min(ASKED, count) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  )
  return chosen.flat().sort((a, b) => a - b)
}

/** The first place with another word than the phrase has there; null where all are right. */
export function wrongPlace(
  phrase: string,
  places: readonly number[],
  given: Readonly<Record<number, string>>,
): number | null {
  const words = wordsOf(phrase)
  return places.find((place) => (given[place] ?? '').trim().toLowerCase() !== words[place]) ?? null
}
