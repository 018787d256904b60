import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { browserGuard, ownOrigin } from '../../../src/http/guards/browsers.js'
import { headFrom } from '../head-from.js'

type Row = readonly [headers: Readonly<Record<string, string>>, verdict: string | null]

const OWN = 'https://pay.example'
const SHOP = 'https://shop.example'

function judge(headers: Readonly<Record<string, string>>, corsOrigins: readonly string[], publicUrl?: string) {
  const guard = browserGuard(ownOrigin(publicUrl), corsOrigins)
  return guard(headFrom('192.0.2.1', headers))?.code ?? null
}

const json = { 'content-length': '2', 'content-type': 'application/json' }

describe('with a public URL and a CORS origin', () => {
  const rows: readonly Row[] = [
    // Programs
    [{}, null],
    [{ 'content-length': '2', 'content-type': 'text/plain' }, null],
    // Node's fetch
    [{ 'content-length': '2', 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'cors' }, null],
    // Own pages
    [{ origin: OWN }, null],
    [{ origin: OWN, 'sec-fetch-site': 'same-origin', ...json }, null],
    [{ 'sec-fetch-site': 'same-origin' }, null],
    [{ 'sec-fetch-site': 'none' }, null],
    // Pages of the CORS origin
    [{ origin: SHOP, 'sec-fetch-site': 'cross-site', ...json }, null],
    [{ origin: SHOP, 'sec-fetch-site': 'same-site' }, null],
    // Others
    [{ 'sec-fetch-site': 'cross-site' }, 'cross_site'],
    [{ 'sec-fetch-site': 'same-site' }, 'cross_site'],
    [{ 'sec-fetch-site': 'anything' }, 'cross_site'],
    [{ 'sec-fetch-site': '' }, 'cross_site'],
    [{ origin: 'https://evil.example' }, 'cross_site'],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 'cross_site'],
    [{ origin: 'https://evil.pay.example', 'sec-fetch-site': 'same-site' }, 'cross_site'],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, 'cross_site'],
    [{ origin: '' }, 'cross_site'],
    [{ origin: 'http://pay.example' }, 'cross_site'],
    [{ origin: 'https://pay.example:8443' }, 'cross_site'],
    [{ origin: `${OWN}, ${OWN}` }, 'cross_site'],
    // A redirect by way of another site
    [{ origin: OWN, 'sec-fetch-site': 'cross-site' }, 'cross_site'],
    // Bodies
    [{ origin: OWN, 'content-length': '2' }, 'unsupported_media_type'],
    [{ origin: OWN, 'content-length': '2', 'content-type': 'text/plain' }, 'unsupported_media_type'],
    [{ origin: OWN, 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }, 'unsupported_media_type'],
    [
      { 'sec-fetch-site': 'same-origin', 'content-length': '2', 'content-type': 'application/jsonp' },
      'unsupported_media_type',
    ],
    [{ origin: OWN, 'content-length': '2', 'content-type': 'text/plain, application/json' }, 'unsupported_media_type'],
    [{ origin: OWN, 'content-length': '2', 'content-type': 'Application/JSON; charset=utf-8' }, null],
    [{ origin: OWN, 'content-length': '0' }, null],
  ]
  for (const [headers, verdict] of rows) {
    test(`${JSON.stringify(headers)}: ${verdict ?? 'served'}`, () =>
      assert.equal(judge(headers, [SHOP], `${OWN}/billhook`), verdict))
  }
})

test('with * as CORS origin every page is welcome', () => {
  for (const origin of ['https://evil.example', 'null']) {
    assert.equal(judge({ origin, 'sec-fetch-site': 'cross-site', ...json }, ['*'], OWN), null)
  }
  assert.equal(judge({ 'sec-fetch-site': 'cross-site' }, ['*'], OWN), 'cross_site')
})

describe('without a public URL the own pages are those at the address that was asked', () => {
  const rows: readonly (readonly [host: string | undefined, origin: string, isOwn: boolean])[] = [
    ['127.0.0.1:8080', 'http://127.0.0.1:8080', true],
    ['localhost:8080', 'http://localhost:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['10.0.0.5', 'http://10.0.0.5', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:3000', false],
    ['127.0.0.1:8080', 'http://localhost:8080', false],
    ['127.0.0.1:8080', 'https://127.0.0.1:8080', false],
    ['127.0.0.1:8080', 'null', false],
    // A name that anybody may have pointed here.
    ['evil.example:8080', 'http://evil.example:8080', false],
    ['evil.example', 'http://evil.example', false],
    ['a b', 'http://a b', false],
    [undefined, 'http://127.0.0.1', false],
  ]
  for (const [host, origin, isOwn] of rows) {
    test(`Host ${host}, Origin ${origin}: ${isOwn}`, () =>
      assert.equal(judge(host === undefined ? { origin } : { host, origin }, []), isOwn ? null : 'cross_site'))
  }
})
