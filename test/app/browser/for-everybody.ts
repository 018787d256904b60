import assert from 'node:assert/strict'
import { fits, violations } from '../../support/axe.js'
import type { Visitor } from './visitor.js'

/** WCAG 2.2 AA in light and dark, and nothing wider than 320 pixels. For screens that `../appearance/scenes.ts` has not. */
export async function assertForEverybody({ page }: Visitor): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violations(page), [], colorScheme)
  }
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  assert.ok(await fits(page), 'it is wider than 320 pixels')
  if (before !== null) await page.setViewportSize(before)
}
