import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'

const FORMULA = '=HYPERLINK("http://evil.example/")'

describe('a list of the console as CSV', () => {
  test('has the columns of the list, every page of it, narrowed as it is, and no formula', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const id = await console.invoice({ amount: '900', orderNumber: FORMULA, reference: '@ref', name: 'a;=b\u001b[31m' })
    for (let n = 1; n <= 60; n += 1) await console.invoice({ amount: `${n}` })
    await console.deposit('0x1', '900000000')
    const { html } = await console.page(`/console/invoices?owner=${OWNER}&state=paid`)
    const [, link = ''] = /href="(\/console\/csv\/[^"]+)"/.exec(html) ?? []
    assert.equal(link.replaceAll('&amp;', '&'), `/console/csv/invoices?owner=${OWNER}&state=paid`)
    const whole = await console.visit('/console/csv/invoices')
    assert.equal(whole.status, 200)
    assert.equal(whole.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="invoices.csv"')
    const lines = whole.html.trimEnd().split('\n')
    assert.equal(lines[0], 'Created,Invoice,State,Amount,Currency,Received,Reference,Name,Order')
    assert.equal(lines.length, 62)
    const line = lines.find((one) => one.includes(id)) ?? ''
    assert.match(line, /,paid,900,USDT,900,'@ref,a;'=b\\u001b\[31m,"'=HYPERLINK\(""http:\/\/evil\.example\/""\)"$/)
    const narrowed = (await console.visit('/console/csv/invoices?state=paid&amount=900.0')).html
    assert.equal(narrowed.trimEnd().split('\n').length, 2)
    assert.match(
      (await console.visit('/console/csv/deposits')).html,
      /^Received,Network.*\n.*,SEP,confirmed,900,USDT,0x1,/,
    )
    assert.match((await console.visit('/console/csv/deliveries')).html, /^Created,/)
    assert.equal((await console.visit('/console/csv/keys')).status, 404)
  })

  test('is given to nobody who does not come in, and to no page of another site', async (t) => {
    const console = await ConsoleFixture.start(t, { BILLHOOK_CONSOLE_PASSWORD: 'a-long-password-1' })
    const refused = await console.visit('/console/csv/invoices')
    assert.deepEqual([refused.status, refused.headers.get('location')], [303, '/console/sign-in'])
    const foreign = await console.visit('/console/csv/invoices', undefined, { 'sec-fetch-site': 'cross-site' })
    assert.doesNotMatch(foreign.html, /Created,/)
    const named = await console.visit('/console/csv/invoices', undefined, { origin: 'http://evil.example' })
    assert.doesNotMatch(named.html, /Created,/)
  })
})
