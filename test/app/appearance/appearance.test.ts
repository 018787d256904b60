import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { ADVICE, complaintOf } from '../../page/appearance/references.js'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { projectRoot } from '../../support/project-root.js'
import { APP_REFERENCES, DOCS_PICTURES, referenceOf, WALKS, Walker } from './photographer.js'
import { SCENES } from './scenes.js'

test('what each reference picture shows is described', () => {
  const described = readFileSync(join(projectRoot, 'test/app/appearance/README.md'), 'utf8').matchAll(
    /^\| `([a-z-]+)`/gm,
  )
  const pictured = new Set(readdirSync(APP_REFERENCES).map((file) => file.split('.')[0]))
  assert.deepEqual([...described].map(([, scene]) => scene).sort(), [...pictured].sort())
})

test('the documentation shows the app as it is', () => {
  const shown = readdirSync(DOCS_PICTURES)
  assert.ok(shown.length > 0)
  for (const file of shown) {
    assert.ok(readFileSync(join(DOCS_PICTURES, file)).equals(readFileSync(referenceOf(file))), file)
  }
})

describe('the web wallet looks as it did', { skip: noBrowser }, () => {
  let browser: Browser
  const names: string[] = []

  before(async () => {
    browser = await launchBrowserWithFonts()
  })

  after(() => browser?.close())

  for (const walk of WALKS) {
    describe(walk.lang, () => {
      let walker: Walker
      before(async () => {
        walker = await Walker.start(browser, walk.lang)
      })
      after(() => walker?.visitor.leave())

      for (const scene of SCENES) {
        test(scene.name, async () => {
          await walker.show(scene)
          const pictures = await walker.picture(scene, walk)
          names.push(...pictures.map(({ name }) => `${name}.png`))
          const complaints: string[] = []
          for (const picture of pictures) {
            const complaint = await complaintOf(picture, APP_REFERENCES)
            if (complaint !== null) complaints.push(complaint)
          }
          assert.equal(complaints.join('\n'), '', ADVICE)
        })
      }
    })
  }

  test('and there is no reference of anything else', () => {
    assert.deepEqual(readdirSync(APP_REFERENCES).sort(), names.sort())
  })
})
