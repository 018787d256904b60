import { en, type Texts } from './en.js'
import { named } from './named.js'

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

export const ENGLISH: Language = { code: 'en', name: 'English', direction: 'ltr', locale: 'en', load: async () => en }

/** As the payment page has them (`src/page/language.ts`). */
export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  other('de', 'Deutsch', 'ltr', 'de', async () => (await import('./de.js')).de),
  other('fr', 'Français', 'ltr', 'fr', async () => (await import('./fr.js')).fr),
  other('es', 'Español', 'ltr', 'es', async () => (await import('./es.js')).es),
  other('pt', 'Português', 'ltr', 'pt-BR', async () => (await import('./pt.js')).pt),
  other('tr', 'Türkçe', 'ltr', 'tr', async () => (await import('./tr.js')).tr),
  other('ar', 'العربية', 'rtl', 'ar-u-nu-latn', async () => (await import('./ar.js')).ar),
  other('zh', '中文', 'ltr', 'zh-CN', async () => (await import('./zh.js')).zh),
  other('ja', '日本語', 'ltr', 'ja', async () => (await import('./ja.js')).ja),
  other('hi', 'हिन्दी', 'ltr', 'hi-u-nu-latn', async () => (await import('./hi.js')).hi),
]

function other(
  code: string,
  name: string,
  direction: Language['direction'],
  locale: string,
  load: Language['load'],
): Language {
  return { code, name, direction, locale, load: async () => named(await load()) }
}
