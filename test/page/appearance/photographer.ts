import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core'
import { START_MS } from '../../support/manual-clock.js'
import { answerTo, pathOf, type StateName, stateNames } from './states.js'

const ORIGIN = 'http://pay.test'

export const SCREENS = { phone: { width: 390, height: 844 }, desktop: { width: 1024, height: 768 } }

const SCHEMES = ['light', 'dark'] as const

/** English, and a language from right to left. */
const LANGUAGES = ['en', 'ar'] as const

/** A state of the page in a language. */
export interface Scene {
  readonly state: StateName
  readonly lang: (typeof LANGUAGES)[number]
}

export const scenes: readonly Scene[] = stateNames.flatMap((state) => LANGUAGES.map((lang) => ({ state, lang })))

/** What some states are about is in the browser: a wallet that announces itself, and a network that is gone. */
const SURROUNDINGS = `
  if (location.pathname.endsWith('/browser-wallet')) {
    const info = { uuid: 'a', name: 'Example Wallet', icon: 'data:,', rdns: 'test.wallet' }
    const provider = { request: () => new Promise(() => {}) }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } })))
  }
  if (location.pathname.endsWith('/connection-lost')) Object.defineProperty(navigator, 'onLine', { value: false })
`

/** What appears when the surroundings have been noticed. */
const NOTICED: Partial<Record<StateName, string>> = { 'browser-wallet': '.wallets button', 'connection-lost': '#lost' }

/** A page for scenes. Its time stands still, and its streams of events are silent. */
export async function openStage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ deviceScaleFactor: 1, locale: 'en', timezoneId: 'UTC', ...options })
  await context.route('**', async (route) => {
    const url = new URL(route.request().url())
    if (!url.pathname.endsWith('/events')) await route.fulfill(await answerTo(url))
  })
  const page = await context.newPage()
  await page.addInitScript(SURROUNDINGS)
  await page.clock.setFixedTime(START_MS)
  return page
}

/** Shows a scene in light colours, whatever the page has shown before. */
export async function show(page: Page, { state, lang }: Scene, viewport: ViewportSize): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
  await page.goto(`${ORIGIN}${pathOf(state)}?lang=${lang}`)
  const noticed = NOTICED[state]
  if (noticed !== undefined) await page.locator(noticed).first().waitFor()
  // Those that are shown: the others are lazy.
  await page.evaluate('Promise.all([...document.images].filter((it) => it.offsetParent).map((it) => it.decode()))')
}

export interface Picture {
  readonly name: string
  readonly png: Buffer
}

/** Shows a scene and takes pictures of the whole page, on each screen and in each colour scheme. */
export async function picturesOf(page: Page, scene: Scene): Promise<readonly Picture[]> {
  const { state, lang } = scene
  const pictures: Picture[] = []
  await show(page, scene, SCREENS.phone)
  for (const [screen, size] of Object.entries(SCREENS)) {
    await page.setViewportSize(size)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const png = await page.screenshot({ fullPage: true, animations: 'disabled' })
      pictures.push({ name: `${state}.${lang}.${screen}.${colorScheme}`, png })
    }
  }
  return pictures
}

/** The scenes whose accessibility trees are checked in. */
export function hasTree({ lang }: Scene): boolean {
  return lang === 'en'
}

/** What a screen reader is told, from top to bottom. */
export async function treeOf(page: Page): Promise<string> {
  return `${await page.locator('body').ariaSnapshot()}\n`
}
