import { render } from 'preact'
import { App } from './app.js'
import { chooseLanguage } from './languages/language.js'
import { LANGUAGES } from './languages/languages.js'
import { wantedLanguage } from './languages/wanted.js'
import { rememberedLanguage } from './parts/language-choice.js'
import { followFragment } from './routes.js'
import { basePathOf } from './session/base-path.js'
import { Session } from './session/session.js'

const INPUTS = ['pointerdown', 'keydown', 'scroll'] as const

const session = new Session(location.origin + basePathOf(location.pathname))
followFragment()
for (const input of INPUTS) addEventListener(input, () => session.touch(), { capture: true, passive: true })

const place = document.querySelector('#app')
if (place === null) throw new Error('the page has no place for the app')
place.replaceChildren()
render(<App session={session} />, place)
void session.start()
void beginIn(LANGUAGES.map(({ code }) => code))

async function beginIn(known: readonly string[]): Promise<void> {
  await chooseLanguage(wantedLanguage(known, location.search, await rememberedLanguage(), navigator.languages))
}
