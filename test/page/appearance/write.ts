import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { packed } from './compare.js'
import { openScene, picturesOf, scenes } from './photographer.js'
import { REFERENCES } from './references.js'

/*
 * Writes the references anew, for you to look at and to check in: `npm run pictures`.
 */
rmSync(REFERENCES, { recursive: true, force: true })
mkdirSync(REFERENCES)
const browser = await launchBrowserWithFonts()
for (const scene of scenes) {
  const page = await openScene(browser, scene)
  for (const { name, png } of await picturesOf(page, scene)) {
    writeFileSync(join(REFERENCES, `${name}.png`), await packed(png))
  }
  await page.context().close()
}
await browser.close()
