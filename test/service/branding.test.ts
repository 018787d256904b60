import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readSettings } from '../../src/config.js'
import { OperatorError } from '../../src/operator-error.js'
import { readBrand } from '../../src/service/brand.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const LIMIT_BYTES = 262_144

const place = temporaryDirectory()
after(() => place.remove())

function file(name: string, contents: string): string {
  const path = join(place.path, name)
  writeFileSync(path, contents)
  return path
}

function settingsWith(logo: string) {
  const read = readSettings([], { BILLHOOK_PAGE_NAME: 'Tea House', BILLHOOK_PAGE_LOGO: logo })
  assert.ok('settings' in read, JSON.stringify(read))
  return read.settings
}

describe('the logo of the settings', () => {
  const huge = file('huge.png', '')
  truncateSync(huge, 50_000_000)
  const pipe = join(place.path, 'pipe')
  execFileSync('mkfifo', [pipe])
  const unusable: readonly [what: string, path: string, why: string][] = [
    ['is missing', join(place.path, 'none.svg'), 'there is no such file'],
    ['is a directory', place.path, 'it is a directory'],
    ['is a pipe', pipe, 'it is not a file'],
    ['is a device', '/dev/zero', 'it is not a file'],
    ['has 50 MB', huge, 'it is longer than 262144 bytes'],
    ['is a byte too long', file('long.svg', SVG.padEnd(LIMIT_BYTES + 1)), 'it is longer than 262144 bytes'],
    ['is empty', file('empty.svg', ''), 'it is not SVG (with its xmlns), PNG, JPEG or WebP'],
    ['is a page', file('page.svg', '<html></html>'), 'it is not SVG (with its xmlns), PNG, JPEG or WebP'],
  ]
  for (const [what, path, why] of unusable) {
    test(`stops the start with one line if it ${what}`, () => {
      const expected = new OperatorError(`BILLHOOK_PAGE_LOGO: cannot use the file ${JSON.stringify(path)}: ${why}`)
      assert.throws(() => readBrand(settingsWith(path), { info: () => {} }), expected)
    })
  }

  test('may have the most bytes', () => {
    const { logo } = readBrand(settingsWith(file('most.svg', SVG.padEnd(LIMIT_BYTES))), { info: () => {} })
    assert.equal(logo?.bytes.length, LIMIT_BYTES)
  })

  test('stops the whole service, which leaves nothing behind', async () => {
    const environment = { BILLHOOK_PAGE_NAME: 'Tea House', BILLHOOK_PAGE_LOGO: place.path }
    await assert.rejects(ServiceFixture.start(environment), OperatorError)
  })
})

for (const engine of HTTP_ENGINES) {
  describe(`a branded page, served by ${engine}`, () => {
    let fixture: ServiceFixture
    after(() => fixture.stop())

    test('names its logo, which is an image for ever and nothing else', async () => {
      fixture = await ServiceFixture.start({
        BILLHOOK_HTTP: engine,
        BILLHOOK_PAGE_NAME: 'Tea House',
        BILLHOOK_PAGE_LOGO: file('logo.png', SVG),
        BILLHOOK_PAGE_ACCENT: '#ffd600',
        BILLHOOK_PAGE_RETURN_URL: 'https://shop.example/',
        BILLHOOK_PAGE_SUPPORT: 'tel:112',
        BILLHOOK_PAGE_FRAME_ANCESTORS: 'https://shop.example,http://127.0.0.1:9',
      })
      const page = await fixture.get('/pay/x')
      const path =
        /<img src="(shop\/logo\/[0-9a-f]{16}\.svg)" alt="Tea House">/.exec(page.text)?.[1] ?? assert.fail(page.text)
      const logo = await fixture.get(`/pay/${path}`)
      assert.equal(logo.status, 200)
      assert.equal(logo.text, SVG)
      assert.equal(logo.headers.get('content-type'), 'image/svg+xml')
      assert.equal(
        logo.headers.get('content-security-policy'),
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      )
      assert.equal(logo.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(logo.headers.get('x-content-type-options'), 'nosniff')
    })

    test('has no other logo', async () => {
      for (const name of ['x', '..%2f..%2fetc%2fpasswd', '0123456789abcdef.svg']) {
        assert.equal((await fixture.get(`/pay/shop/logo/${name}`)).status, 404, name)
      }
    })

    test('may be framed by the listed origins, and no header contradicts', async () => {
      const { headers } = await fixture.get('/pay/x')
      assert.ok(
        headers.get('content-security-policy')?.endsWith('; frame-ancestors https://shop.example http://127.0.0.1:9'),
      )
      assert.equal(headers.get('x-frame-options'), null)
    })
  })
}
