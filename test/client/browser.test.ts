import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { deferred } from '../support/deferred.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Packed } from './packed.js'
import { TRADE_PROGRAM, TRADED } from './trade-program.js'

const TIMEOUT_MS = 60_000

/** In a page of another origin. It reports how it went. */
const PROGRAM = `${TRADE_PROGRAM}
trade(document.body.dataset.service)
  .catch((error) => ({ failed: String(error) }))
  .then((result) => fetch('/result', { method: 'POST', body: JSON.stringify(result) }))
`

describe('the packed library in a browser', { skip: noBrowser }, () => {
  let packed: Packed
  before(() => {
    packed = new Packed()
  })
  after(() => packed.remove())

  test('trades across origins, though the clock of the machine is an hour slow', async (t) => {
    const { outputFiles } = await build({
      stdin: { contents: PROGRAM, resolveDir: packed.project },
      bundle: true,
      format: 'iife',
      platform: 'browser',
      write: false,
    })
    const script = outputFiles[0]?.text ?? ''
    let service = ''
    const result = deferred<string>()
    const page = createServer(async (request, response) => {
      if (request.method === 'POST') {
        result.resolve(Buffer.concat(await request.toArray()).toString())
        response.end()
      } else if (request.url === '/script.js') {
        response.setHeader('Content-Type', 'text/javascript').end(script)
      } else {
        response.setHeader('Content-Type', 'text/html')
        response.end(`<!doctype html><body data-service="${service}"><script src="/script.js"></script>`)
      }
    }).listen(0, '127.0.0.1')
    t.after(() => page.close().closeAllConnections())
    await once(page, 'listening')
    const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    const fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_CORS_ORIGINS: origin })
    t.after(() => fixture.stop())
    service = fixture.url

    const browser = await launchBrowser()
    t.after(() => browser.close())
    const opened = await browser.newPage()
    opened.once('pageerror', result.reject)
    await opened.goto(origin)
    const gaveUp = setTimeout(() => result.reject(new Error('the page reported nothing')), TIMEOUT_MS)
    t.after(() => clearTimeout(gaveUp))
    assert.deepEqual(JSON.parse(await result.promise), TRADED)
  })
})
