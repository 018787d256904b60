import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANGUAGES } from '../../src/page/language.js'
import { answerTo, pathOf, stateNames } from './appearance/states.js'

/** Of a page with the images that it shows, uncompressed. */
const BYTES_MAX = 40_000

describe('the payment page is small', () => {
  for (const state of stateNames) {
    test(`${state}, in every language`, async () => {
      for (const { code } of LANGUAGES) {
        const url = new URL(`http://pay.test${pathOf(state)}?lang=${code}`)
        const { body } = await answerTo(url)
        let bytes = Buffer.byteLength(body)
        for (const [, src = ''] of body.matchAll(/<img[^>]* src="([^"]*)"/g)) {
          const image = await answerTo(new URL(src, url))
          assert.equal(image.status, 200, src)
          bytes += Buffer.byteLength(image.body)
        }
        assert.ok(bytes < BYTES_MAX, `${bytes} bytes in ${code}`)
      }
    })
  }
})
