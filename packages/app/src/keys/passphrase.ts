/** Characters at least. docs/security/web-wallet.md says what guessing one costs. */
export const LENGTH_MIN = 10
/** What has to be left of a passphrase when everything is away that a thief tries first, and how many of its characters differ. */
const LEFT_MIN = 6
const DIFFERENT_MIN = 4
/** An own word that is shorter is in too many others. */
const OWN_MIN = 3
/** Neighbours in a row that somebody types without a thought. */
const RUN_MIN = 4

/** Words that passphrases of many people are made of, longer ones before those that are in them. */
const COMMON =
  'passphrase password passwort iloveyou sunshine princess football baseball starwars whatever superman welcome monkey dragon shadow master letmein secret bitcoin ethereum billhook wallet crypto login admin hello shop'.split(
    ' ',
  )

const ROWS = ['abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'qwertzuiop', 'azertyuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm']

/** Digits and signs that people put for letters. */
const LETTERS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

/** Signs and digits around the rest: years, dates, an exclamation mark. */
const EDGES = /^[^\p{L}]+|[^\p{L}]+$/gu

/** One piece, again and again. */
const REPEATED = /^(.+?)\1+$/su

export type PassphraseFlaw = 'short' | 'guessable'

/**
 * Why a passphrase is refused; null where it is not. The rule knows what is tried first, and no more: who is not refused is not safe.
 * `own`: words that a thief of the device knows, such as the name of the host.
 */
export function flawOf(passphrase: string, own: readonly string[]): PassphraseFlaw | null {
  const typed = passphrase.normalize('NFC').toLowerCase()
  if ([...typed].length < LENGTH_MIN) return 'short'
  const asLetters = [...typed].map((character) => LETTERS[character] ?? character).join('')
  return [typed, asLetters].some((text) => isLittle(leftOf(text, own))) ? 'guessable' : null
}

function leftOf(text: string, own: readonly string[]): string {
  const words = own.map((word) => word.toLowerCase()).filter(({ length }) => length >= OWN_MIN)
  const known = [...words, ...COMMON, ...ROWS.flatMap(runsOf)]
  const left = known.reduce((rest, word) => rest.replaceAll(word, ''), text).replace(EDGES, '')
  return left.replace(REPEATED, '$1')
}

/** Every run of neighbours, forwards and backwards, longest first. */
function runsOf(row: string): readonly string[] {
  const backwards = [...row].reverse().join('')
  const lengths = Array.from({ length: row.length - RUN_MIN + 1 }, (_, at) => row.length - at)
  return lengths.flatMap((length) =>
    [row, backwards].flatMap((keys) =>
      Array.from({ length: row.length - length + 1 }, (_, at) => keys.slice(at, at + length)),
    ),
  )
}

function isLittle(left: string): boolean {
  const characters = [...left]
  return characters.length < LEFT_MIN || new Set(characters).size < DIFFERENT_MIN
}
