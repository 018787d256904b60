import { computed, signal } from '@preact/signals'
import { en, type TextKey, type Texts } from './en.js'
import { filled, isolated, type Values } from './filled.js'
import { ENGLISH, LANGUAGES, type Language } from './languages.js'

const chosen = signal<{ readonly language: Language; readonly texts: Texts }>({ language: ENGLISH, texts: en })

/** The language that people see. */
export const language = computed(() => chosen.value.language)

/** Shows the app in a language. It stays in the present one where the texts cannot be loaded. */
export async function chooseLanguage(code: string): Promise<void> {
  const found = LANGUAGES.find((one) => one.code === code) ?? ENGLISH
  const texts = await found.load().catch(() => null)
  if (texts === null) return
  chosen.value = { language: found, texts }
  document.documentElement.lang = found.code
  document.documentElement.dir = found.direction
}

/** A text with its placeholders filled in. */
export function text(key: TextKey, values: Values = {}): string {
  const { language: shown, texts } = chosen.value
  return filled(texts[key], values, shown.direction)
}

/** Names or amounts as one text: all of them, or one of them (`disjunction`). */
export function listText(words: readonly string[], type: 'unit' | 'disjunction'): string {
  const { locale, direction } = language.value
  return new Intl.ListFormat(locale, { type }).format(words.map((word) => isolated(word, direction)))
}

export function timeText(ms: number): string {
  return new Intl.DateTimeFormat(language.value.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(ms)
}
