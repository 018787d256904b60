import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { type Picture, SCREENS } from '../../page/appearance/photographer.js'
import { START_MS } from '../../support/manual-clock.js'
import { projectRoot } from '../../support/project-root.js'
import { Visitor } from '../browser/visitor.js'
import { type Scene, unlock } from './scenes.js'
import { ORIGIN, StandIn } from './stand-in.js'

export const APP_REFERENCES = join(projectRoot, 'test/app/appearance/pictures')

/** Some of the pictures, by the name of their scene: what the documentation shows. */
export const DOCS_PICTURES = join(projectRoot, 'docs/app')

/** The reference that a picture of the documentation is. */
export function referenceOf(docsPicture: string): string {
  return join(APP_REFERENCES, docsPicture.replace('.png', '.en.phone.light.png'))
}

/** A walk through all scenes, each of which is pictured in these ways. */
export interface Walk {
  readonly lang: 'en' | 'ar'
  readonly ways: readonly Way[]
}

interface Way {
  readonly screen: keyof typeof SCREENS
  readonly colorScheme: 'light' | 'dark'
}

export const WALKS: readonly Walk[] = [
  {
    lang: 'en',
    ways: [
      { screen: 'phone', colorScheme: 'light' },
      { screen: 'desktop', colorScheme: 'dark' },
    ],
  },
  {
    lang: 'ar',
    ways: [
      { screen: 'phone', colorScheme: 'dark' },
      { screen: 'desktop', colorScheme: 'light' },
    ],
  },
]

/** Somebody who walks through the scenes, one after the other. */
export class Walker {
  private constructor(
    readonly visitor: Visitor,
    private readonly service: StandIn,
    private readonly lang: string,
  ) {}

  static async start(browser: Browser, lang: string, options: BrowserContextOptions = {}): Promise<Walker> {
    const service = new StandIn()
    const prepared = { deviceScaleFactor: 1, locale: 'en', timezoneId: 'UTC', viewport: SCREENS.phone, ...options }
    const visitor = await Visitor.arrive(ORIGIN, browser, prepared, async (page) => {
      await service.answerTo(page.context())
      // Which words are asked back is drawn by lot.
      await page.addInitScript('Math.random = () => 0.5')
      await page.clock.setFixedTime(START_MS)
    })
    return new Walker(visitor, service, lang)
  }

  async show({ mood = 'usual', begins, place, act, ready }: Scene): Promise<void> {
    const { visitor, service, lang } = this
    const { page } = visitor
    await page.emulateMedia({ media: 'screen', colorScheme: 'light', reducedMotion: 'reduce' })
    await page.setViewportSize(SCREENS.phone)
    service.mood = mood
    if (begins !== undefined) {
      await page.goto('about:blank')
      await visitor.open(`?lang=${lang}${place ?? ''}`)
    }
    if (begins === 'with-the-shop') await unlock(visitor)
    if (place !== undefined) await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
    await page.locator('h1').waitFor()
    await act?.(visitor, service)
    await page.locator(ready).first().waitFor()
  }

  /** Pictures of the scene that is shown. */
  async picture({ name, media = 'screen' }: Scene, { lang, ways }: Walk): Promise<readonly Picture[]> {
    const { page } = this.visitor
    const pictures: Picture[] = []
    for (const { screen, colorScheme } of ways) {
      await page.setViewportSize(SCREENS[screen])
      await page.emulateMedia({ media, colorScheme })
      // The links below stay at the edge of the screen, so the screen is made as high as the page.
      const height: number = await page.evaluate('document.documentElement.scrollHeight')
      await page.setViewportSize({ ...SCREENS[screen], height })
      // What was at the edge of the smaller screen is gone with the second frame.
      await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))')
      const png = await page.screenshot({ animations: 'disabled' })
      pictures.push({ name: `${name}.${lang}.${screen}.${colorScheme}`, png })
    }
    return pictures
  }
}
