import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** The checker is more code than our pages allow, so it comes in past their policy. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What on a page is against WCAG 2.2 AA. */
export async function violations(page: Page): Promise<unknown> {
  // It takes as long as a check, so a page that stays has it once.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target))`,
  )
}

/** Whether nothing on a page is wider than the screen. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth')
}
