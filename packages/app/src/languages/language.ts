import { computed, signal } from '@preact/signals'
import { en, type TextKey, type Texts } from './en.js'

/** A language of the app. */
export interface Language {
  readonly code: string
  /** In the language itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** For numbers and times. Digits are Latin everywhere: wallets take no others. */
  readonly locale: string
  /** Loads its texts. Only English is there from the start. */
  load(): Promise<Texts>
}

const ENGLISH: Language = { code: 'en', name: 'English', direction: 'ltr', locale: 'en', load: async () => en }

/** As the payment page has them (`src/page/language.ts`). */
export const LANGUAGES: readonly Language[] = [ENGLISH]

const chosen = signal<{ readonly language: Language; readonly texts: Texts }>({ language: ENGLISH, texts: en })

/** The language that people see. */
export const language = computed(() => chosen.value.language)

export async function chooseLanguage(code: string): Promise<void> {
  const found = LANGUAGES.find((one) => one.code === code) ?? ENGLISH
  chosen.value = { language: found, texts: await found.load() }
  document.documentElement.lang = found.code
  document.documentElement.dir = found.direction
}

/** The first of the browser's languages that the app has. */
export function browserLanguage(wanted: readonly string[]): string {
  const codes = wanted.map((tag) => tag.split('-', 1)[0]?.toLowerCase())
  return codes.find((code) => LANGUAGES.some((one) => one.code === code)) ?? ENGLISH.code
}

/** A text with its placeholders filled in. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return chosen.value.texts[key].replace(/\{([a-z]+)\}/g, (_, name: string) => String(filledIn(values, name)))
}

function filledIn(values: Readonly<Record<string, string | number>>, name: string): string | number {
  const value = values[name]
  if (value === undefined) throw new Error(`a text has no value for {${name}}`)
  return value
}

export function timeText(ms: number): string {
  return new Intl.DateTimeFormat(language.value.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(ms)
}
