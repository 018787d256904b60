import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { fits, violations } from '../../support/axe.js'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { Walker } from './photographer.js'
import { SCENES } from './scenes.js'

const NARROW = { width: 320, height: 640 }
/** 320 pixels are also a window of 1280 at 400 %. */
const SIZES = [NARROW, { width: 320, height: 256 }, { width: 640, height: 400 }, { width: 1280, height: 800 }]

/** More than there are controls on a screen. */
const STEPS_MAX = 80

/** What people can use on a page, as Tab should reach it. A group of choices is reached once. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, summary, input, select')]
  .filter((control) => !control.disabled && control.checkVisibility())`

/** The place of the focus among the controls, whether it can be seen, and whether the links at the edge cover it. */
const FOCUS = `{
  const focused = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(focused)
  const { top, bottom, left } = focused.getBoundingClientRect()
  const at = document.elementFromPoint(left + 4, Math.min(bottom - 4, Math.max(top + 4, (top + bottom) / 2)));
  [${CONTROLS}.indexOf(focused), outlineStyle + ' ' + outlineWidth, at === focused || focused.contains(at) || at?.contains(focused) === true]
}`

describe('the web wallet for everybody', { skip: noBrowser }, () => {
  let browser: Browser
  let walker: Walker
  let page: Page

  before(async () => {
    browser = await launchBrowserWithFonts()
    walker = await Walker.start(browser, 'en', { bypassCSP: true })
    page = walker.visitor.page
  })

  after(() => browser?.close())

  for (const scene of SCENES) {
    if (scene.media === 'print') continue
    test(scene.name, async () => {
      await walker.show(scene)
      await page.evaluate("document.documentElement.style.fontSize = ''")
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [], colorScheme)
      }
      for (const size of SIZES) {
        await page.setViewportSize(size)
        assert.ok(await fits(page), `it is wider than ${size.width} pixels`)
      }
      await page.setViewportSize(NARROW)
      await assertKeyboardReachesAll(page)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      assert.ok(await fits(page), 'large text is wider than the screen')
      assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    })
  }
})

/** Tab reaches every control of a screen, and each shows that it has the focus and is covered by nothing. */
async function assertKeyboardReachesAll(page: Page): Promise<void> {
  await page.evaluate('document.activeElement?.blur()')
  const count: number = await page.evaluate(`${CONTROLS}.length`)
  const reached = new Set<number>()
  for (let step = 0; step < STEPS_MAX && reached.size < count; step++) {
    await page.keyboard.press('Tab')
    const [at, outline, isSeen]: [number, string, boolean] = await page.evaluate(FOCUS)
    if (at < 0) continue
    reached.add(at)
    const name = await page.evaluate('document.activeElement.outerHTML.slice(0, 120)')
    assert.equal(outline, 'solid 3px', `the focus is not visible on ${name}`)
    assert.ok(isSeen, `something covers ${name}`)
  }
  assert.equal(reached.size, count, 'Tab does not reach everything')
}
