import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packed } from '../../page/appearance/compare.js'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { APP_REFERENCES, DOCS_PICTURES, referenceOf, WALKS, Walker } from './photographer.js'
import { SCENES } from './scenes.js'

/*
 * Writes the references anew, for you to look at and to check in: `npm run pictures`.
 */
rmSync(APP_REFERENCES, { recursive: true, force: true })
mkdirSync(APP_REFERENCES)
const browser = await launchBrowserWithFonts()
for (const walk of WALKS) {
  const walker = await Walker.start(browser, walk.lang)
  for (const scene of SCENES) {
    await walker.show(scene)
    for (const { name, png } of await walker.picture(scene, walk)) {
      writeFileSync(join(APP_REFERENCES, `${name}.png`), await packed(png))
    }
  }
  await walker.visitor.leave()
}
await browser.close()
for (const file of readdirSync(DOCS_PICTURES)) copyFileSync(referenceOf(file), join(DOCS_PICTURES, file))
