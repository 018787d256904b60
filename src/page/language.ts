import { ar } from './languages/ar.js'
import { de } from './languages/de.js'
import { en, type TextKey, type Texts } from './languages/en.js'
import { es } from './languages/es.js'
import { fr } from './languages/fr.js'
import { hi } from './languages/hi.js'
import { ja } from './languages/ja.js'
import { pt } from './languages/pt.js'
import { tr } from './languages/tr.js'
import { zh } from './languages/zh.js'
import { Markup, markup, type Piece } from './markup.js'

/** A language of the pages. */
export interface Language {
  /** As in `?lang=` and in the `lang` attribute. */
  readonly code: string
  /** In the language itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** For numbers and times. Digits are Latin everywhere: wallets take no others. */
  readonly locale: string
  readonly texts: Texts
}

const ENGLISH: Language = { code: 'en', name: 'English', direction: 'ltr', locale: 'en', texts: en }

export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  { code: 'de', name: 'Deutsch', direction: 'ltr', locale: 'de', texts: de },
  { code: 'fr', name: 'Français', direction: 'ltr', locale: 'fr', texts: fr },
  { code: 'es', name: 'Español', direction: 'ltr', locale: 'es', texts: es },
  { code: 'pt', name: 'Português', direction: 'ltr', locale: 'pt-BR', texts: pt },
  { code: 'tr', name: 'Türkçe', direction: 'ltr', locale: 'tr', texts: tr },
  { code: 'ar', name: 'العربية', direction: 'rtl', locale: 'ar-u-nu-latn', texts: ar },
  { code: 'zh', name: '中文', direction: 'ltr', locale: 'zh-CN', texts: zh },
  { code: 'ja', name: '日本語', direction: 'ltr', locale: 'ja', texts: ja },
  { code: 'hi', name: 'हिन्दी', direction: 'ltr', locale: 'hi-u-nu-latn', texts: hi },
]

/** Entries of an `Accept-Language` header that are read. Browsers send fewer; others cost nothing. */
const ACCEPTED_MAX = 32

/** The language that a request asks for: by `lang` in its query, else by its `Accept-Language` header, else English. */
export function languageFor(query: string, accepted: string | undefined): Language {
  const asked = query.includes('lang=') ? new URLSearchParams(query).get('lang') : null
  return (asked === null ? undefined : known(asked)) ?? preferred(accepted ?? '') ?? ENGLISH
}

/** By the primary subtag alone: `pt-BR` and `pt-PT` are both Portuguese. */
function known(tag: string): Language | undefined {
  const primary = tag.trim().split('-', 1)[0]?.toLowerCase()
  return LANGUAGES.find(({ code }) => code === primary)
}

/** The known language with the highest weight, the first of equals (RFC 9110, 12.5.4). */
function preferred(accepted: string): Language | undefined {
  let best: Language | undefined
  let bestWeight = 0
  for (const entry of accepted.split(',', ACCEPTED_MAX)) {
    const [tag = '', ...parameters] = entry.split(';')
    const weight = weightOf(parameters)
    const language = weight > bestWeight ? known(tag) : undefined
    if (language === undefined) continue
    best = language
    bestWeight = weight
  }
  return best
}

/** 1 without a weight, 0 if it is malformed. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.map((text) => text.trim()).find((text) => /^q=/i.test(text))
  if (given === undefined) return 1
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/i.test(given) ? Number(given.slice(2)) : 0
}

const PLACEHOLDER = /\{([a-z]+)\}/

/** A text with its placeholders filled in. */
export function say({ texts }: Language, key: TextKey, values: Readonly<Record<string, string | Markup>> = {}): Markup {
  const pieces = texts[key].split(PLACEHOLDER)
  // Texts and names of placeholders in turn.
  return Markup.join(pieces.map((piece, index): Piece => (index % 2 === 0 ? piece : filledIn(values, piece))))
}

function filledIn(values: Readonly<Record<string, string | Markup>>, name: string): string | Markup {
  const value = values[name]
  if (value === undefined) throw new Error(`a text has no value for {${name}}`)
  return value
}

/** By locale. Making one takes fifty times as long as using it. */
const timeFormats = new Map<string, Intl.DateTimeFormat>()

/** In UTC, until the script writes it in the payer's time zone, which the service does not know. */
export function timeMark(language: Language, timeMs: number): Markup {
  return markup`<time datetime="${new Date(timeMs).toISOString()}">${timeText(language, timeMs)}</time>`
}

/** Rounded down to minutes, so never too late. */
export function timeText({ locale }: Language, timeMs: number): string {
  let format = timeFormats.get(locale)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
    timeFormats.set(locale, format)
  }
  return `${format.format(timeMs)} UTC`
}

/** So many minutes, in words that agree with the number. */
export function minutesText({ locale }: Language, minutes: number): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
}

export function listText(language: Language, items: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return listParts(language, items, type)
    .map(({ value }) => value)
    .join('')
}

/** The items of a list and the words between them. */
export function listParts(
  { locale }: Language,
  items: readonly string[],
  type: 'conjunction' | 'disjunction',
): readonly { readonly type: 'element' | 'literal'; readonly value: string }[] {
  return new Intl.ListFormat(locale, { type }).formatToParts(items)
}
