import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failurePage } from '../../src/page/failure-page.js'
import { frameOf } from './frame.js'

describe('the page in place of one that cannot be shown', () => {
  const rows: readonly [number, number | null, string, number | null][] = [
    [404, null, 'Invoice not found', 30],
    [429, 42, 'Too many requests', 42],
    [429, 1, 'Too many requests', 5],
    [503, 60, 'This page is busy', 60],
    [503, 1, 'This page is busy', 5],
    [503, null, 'This page is busy', 5],
    [500, null, 'Something went wrong', 10],
    [400, null, 'This request cannot be answered', null],
    [405, null, 'This request cannot be answered', null],
  ]
  for (const [status, retryAfterSeconds, title, refresh] of rows) {
    const asked = retryAfterSeconds === null ? '' : ` with Retry-After ${retryAfterSeconds}`
    test(`of status ${status}${asked} ${refresh === null ? 'does not ask again' : `asks again after ${refresh} s`}`, () => {
      const html = failurePage(frameOf(), { subject: 'invoice', status, retryAfterSeconds })
      assert.ok(html.includes(`<h1>${title}</h1>`), html)
      assert.equal(
        /http-equiv="refresh" content="(\d+)"/.exec(html)?.[1],
        refresh === null ? undefined : String(refresh),
      )
      assert.equal(/<main data-retry="(\d+)">/.exec(html)?.[1], refresh === null ? undefined : String(refresh))
    })
  }

  test('tells a payer that money on its way is safe', () => {
    for (const status of [429, 500, 503]) {
      const html = failurePage(frameOf(), { subject: 'invoice', status, retryAfterSeconds: null })
      assert.ok(html.includes('A payment that you have sent is not affected.'), String(status))
    }
  })

  test('speaks the language of the payer', () => {
    const html = failurePage(frameOf({ lang: 'de' }), { subject: 'invoice', status: 404, retryAfterSeconds: null })
    assert.ok(html.includes('<html lang="de" dir="ltr">'))
    assert.ok(html.includes('<h1>Rechnung nicht gefunden</h1>'))
  })
})
