import { chooseLanguage, language, text } from '../languages/language.js'
import { LANGUAGES } from '../languages/languages.js'
import { Database } from '../storage/database.js'
import { Choice } from './form.js'

const KEY = 'language'

/** Of all who use this browser: it is chosen before anybody has opened a vault. */
export function rememberedLanguage(): Promise<string | null> {
  return Database.open().get<string>('memory', KEY)
}

export function LanguageChoice() {
  const choose = async (code: string) => {
    await chooseLanguage(code)
    await Database.open().put('memory', KEY, code)
  }
  return (
    <Choice
      label={text('language')}
      value={language.value.code}
      onValue={(code) => void choose(code)}
      options={LANGUAGES.map(({ code, name }) => [code, name])}
    />
  )
}
