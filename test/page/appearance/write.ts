import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { packed } from './compare.js'
import { hasTree, openStage, picturesOf, scenes, treeOf } from './photographer.js'
import { REFERENCES, treeFile } from './references.js'

/*
 * Writes the references anew, for you to look at and to check in: `npm run pictures`.
 */
for (const folder of [REFERENCES, dirname(treeFile('any'))]) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
}
const browser = await launchBrowserWithFonts()
const page = await openStage(browser)
for (const scene of scenes) {
  for (const { name, png } of await picturesOf(page, scene)) {
    writeFileSync(join(REFERENCES, `${name}.png`), await packed(png))
  }
  if (hasTree(scene)) writeFileSync(treeFile(scene.state), await treeOf(page))
}
await browser.close()
