import { render } from 'preact'
import { App } from './app.js'
import { chooseLanguage } from './languages/language.js'
import { LANGUAGES } from './languages/languages.js'
import { wantedLanguage } from './languages/wanted.js'
import { loadOffice } from './loaded-office.js'
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
void session.start()
void begin(place)

/** Nothing is shown in one language, and then in another. */
async function begin(container: Element): Promise<void> {
  const known = LANGUAGES.map(({ code }) => code)
  // A browser that keeps nothing has no choice of before.
  const remembered = await rememberedLanguage().catch(() => null)
  await chooseLanguage(wantedLanguage(known, location.search, remembered, navigator.languages))
  container.replaceChildren()
  render(<App session={session} />, container)
  await loadOffice()
}
