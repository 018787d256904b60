import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowserWithFonts } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { projectRoot } from '../../support/project-root.js'
import { openStage, picturesOf, scenes } from './photographer.js'
import { ADVICE, complaintOf, REFERENCES } from './references.js'

test('what each reference picture shows is described', () => {
  const described = readFileSync(join(projectRoot, 'test/page/appearance/README.md'), 'utf8').matchAll(
    /^\| `([a-z-]+)`/gm,
  )
  const pictured = new Set(readdirSync(REFERENCES).map((file) => file.split('.')[0]))
  assert.deepEqual([...described].map(([, state]) => state).sort(), [...pictured].sort())
})

describe('the payment page looks as it did', { skip: noBrowser }, () => {
  let browser: Browser
  let page: Page
  const names: string[] = []

  before(async () => {
    browser = await launchBrowserWithFonts()
    page = await openStage(browser)
  })

  after(() => browser?.close())

  for (const scene of scenes) {
    test(`${scene.state}, ${scene.lang}`, async () => {
      const pictures = await picturesOf(page, scene)
      names.push(...pictures.map(({ name }) => `${name}.png`))
      const complaints: string[] = []
      for (const picture of pictures) {
        const complaint = await complaintOf(picture)
        if (complaint !== null) complaints.push(complaint)
      }
      assert.equal(complaints.join('\n'), '', ADVICE)
    })
  }

  test('and there is no reference of anything else', () => {
    assert.deepEqual(readdirSync(REFERENCES).sort(), names.sort())
  })
})
