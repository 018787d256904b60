/** Why what somebody typed is not taken. */
export type AmountFlaw = 'empty' | 'malformed' | 'ambiguous' | 'zero' | 'too_precise' | 'too_long'

export type AmountInput =
  | { readonly ok: true /** A plain decimal: `1234.5`. */; readonly amount: string }
  | { readonly ok: false; readonly flaw: AmountFlaw }

/** Of the service (decisions 4). */
const LENGTH_MAX = 60

/** Where the ten digits of other scripts begin: Arabic-Indic, Eastern Arabic-Indic, Devanagari, full width. */
const ZEROS = [0x660, 0x6f0, 0x966, 0xff10]
const DIGITS = 10

/** What separates groups and is never a decimal separator: blanks of all kinds, apostrophes, the Arabic separator of thousands. */
const PADDING = /[\s\u00a0\u2009\u202f'\u2019\u066c]/g

/**
 * Reads an amount as people type it. `separator` is the decimal separator of the language, `places` what the coin can carry. What could be
 * read in two ways is refused, never guessed: `1,234` where a comma separates thousands may be meant either way.
 */
export function readAmount(typed: string, separator: string, places: number): AmountInput {
  const plain = latinDigits(typed.normalize('NFKC'))
    .replace(PADDING, '')
    .replace(/\u066b/g, separator)
  if (plain === '') return refuse('empty')
  if (!/^[0-9.,]+$/.test(plain)) return refuse('malformed')
  const parts = split(plain, separator)
  if (typeof parts === 'string') return refuse(parts)
  const [whole, fraction] = parts
  if (whole.length + fraction.length > LENGTH_MAX) return refuse('too_long')
  if (fraction.replace(/0+$/, '').length > places) return refuse('too_precise')
  if (/^0*$/.test(whole + fraction)) return refuse('zero')
  const units = whole.replace(/^0+(?=\d)/, '')
  return { ok: true, amount: fraction === '' ? units : `${units}.${fraction}` }
}

/** The digits before and behind the decimal separator, or why there are none. */
function split(plain: string, separator: string): readonly [whole: string, fraction: string] | AmountFlaw {
  const marks = [...plain.matchAll(/[.,]/g)]
  const kinds = new Set(marks.map(([mark]) => mark))
  const last = marks.at(-1)
  if (last === undefined) return [plain, '']
  const whole = plain.slice(0, last.index)
  const fraction = plain.slice(last.index + 1)
  if (kinds.size === 2) {
    // Both kinds: the last one is the decimal separator, and the others must be groups of three.
    if (marks.filter(([mark]) => mark === last[0]).length > 1 || !areGroups(whole)) return 'malformed'
    return fraction === '' ? 'malformed' : [whole.replace(/[.,]/g, ''), fraction]
  }
  if (marks.length > 1) return areGroups(plain) ? [plain.replace(/[.,]/g, ''), ''] : 'malformed'
  if (fraction === '') return 'malformed'
  const isGroup = last[0] !== separator && /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3
  return isGroup ? 'ambiguous' : [whole === '' ? '0' : whole, fraction]
}

/** `1.234.567`: whole groups of three behind the first. */
function areGroups(text: string): boolean {
  return /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/.test(text)
}

function latinDigits(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0
      const zero = ZEROS.find((first) => code >= first && code < first + DIGITS)
      return zero === undefined ? character : String(code - zero)
    })
    .join('')
}

function refuse(flaw: AmountFlaw): AmountInput {
  return { ok: false, flaw }
}

/** The decimal separator of a language. */
export function decimalSeparator(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}
