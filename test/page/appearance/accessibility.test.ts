import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { fits, violations } from '../../support/axe.js'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { hasTree, openStage, scenes, show, treeOf } from './photographer.js'
import { ADVICE, treeFile } from './references.js'

const NARROW = { width: 320, height: 640 }
const WIDE = { width: 1280, height: 800 }

/** 320 pixels are also a window of 1280 at 400 %. */
const SIZES = [NARROW, { width: 640, height: 400 }, WIDE]

/** The controls in the order in which they are seen, and those that Tab reaches, with the width of their outlines. */
const CONTROLS = `
  const isRtl = document.documentElement.dir === 'rtl'
  const seen = (control) => control.labels?.[0] ?? control
  const box = (control) => seen(control).getBoundingClientRect()
  const nameOf = (control) => control.dataset.copy ?? seen(control).textContent.trim()
  const before = (a, b) => {
    const [one, other] = [box(a), box(b)]
    if (one.bottom <= other.top || other.bottom <= one.top) return one.top - other.top
    return isRtl ? other.right - one.right : one.left - other.left
  }
  const controls = [...document.querySelectorAll('a[href], button, summary, input:checked')]
    .filter((control) => seen(control).checkVisibility()).sort(before)
`

describe('the payment page for everybody', { skip: noBrowser }, () => {
  let browser: Browser
  let page: Page

  before(async () => {
    browser = await launchBrowserWithFonts()
    page = await openStage(browser, { bypassCSP: true })
  })

  after(() => browser?.close())

  for (const scene of scenes) {
    test(`${scene.state}, ${scene.lang}`, async () => {
      await show(page, scene, NARROW)
      if (hasTree(scene)) assert.equal(await treeOf(page), readFileSync(treeFile(scene.state), 'utf8'), ADVICE)
      // The colours are those of every language.
      for (const colorScheme of scene.lang === 'en' ? (['light', 'dark'] as const) : (['light'] as const)) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await violations(page), [], colorScheme)
      }
      for (const size of SIZES) {
        await page.setViewportSize(size)
        assert.ok(await fits(page), `it is wider than ${size.width} pixels`)
      }
      await assertKeyboardReachesAll(page)
      await page.setViewportSize(NARROW)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      assert.ok(await fits(page), 'large text is wider than the screen')
      assert.equal(await page.evaluate('document.getAnimations().length'), 0)
    })
  }

  test('arrow keys choose the network, and Tab goes on into its panel', async () => {
    await show(page, { state: 'unseen', lang: 'en' }, WIDE)
    await page.locator('input:checked').focus()
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.locator('input:focus').inputValue(), 'TRX-NILE')
    assert.equal(await page.locator('.panel:visible .address').count(), 1)
    await page.keyboard.press('Tab')
    const address = await page.locator('.panel:visible .address').textContent()
    assert.equal(await page.evaluate('document.activeElement.dataset.copy'), address)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowUp')
    assert.equal(await page.locator('input:focus').inputValue(), 'SEP')
    await page.locator('summary:visible').focus()
    await page.keyboard.press('Enter')
    assert.equal(await page.locator('details[open] .address').count(), 1)
  })
})

/** Tab goes through every control in the order in which they are seen, and each shows that it has the focus. */
async function assertKeyboardReachesAll(page: Page): Promise<void> {
  const expected: string[] = await page.evaluate(`{ ${CONTROLS}; controls.map(nameOf) }`)
  const reached: string[] = []
  for (const _ of expected) {
    await page.keyboard.press('Tab')
    const [name, style, width]: [string, string, string] = await page.evaluate(`{ ${CONTROLS}
      const focused = document.activeElement
      const { outlineStyle, outlineWidth } = getComputedStyle(seen(focused));
      [nameOf(focused), outlineStyle, outlineWidth]
    }`)
    reached.push(name)
    assert.deepEqual([style, width], ['solid', '3px'], `the focus on ${name} is not visible`)
  }
  assert.deepEqual(reached, expected)
}
