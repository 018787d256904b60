import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { openReceiver } from '../support/receiver.js'
import { testKey } from '../support/signing.js'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'
import { formIn } from './forms.js'

async function withInvoice(t: TestContext) {
  const console = await ConsoleFixture.start(t)
  await console.service.assign(OWNER, WALLET)
  const id = await console.invoice({ amount: '10' })
  const isVoid = async () => (await console.service.get(`/api/invoices/${id}`)).json.voided_at !== null
  const { html } = await console.page(`/console/invoices/${id}`)
  return { console, id, isVoid, form: formIn(html, '/void') }
}

describe('the forms of the console', () => {
  test('void an invoice', async (t) => {
    const { console, isVoid, id, form } = await withInvoice(t)
    const done = await console.visit(form.path, form.fields)
    assert.deepEqual([done.status, await isVoid()], [303, true])
    assert.equal(done.headers.get('location'), `/console/invoices/${id}?done=voided`)
    const { text, html } = await console.page(done.headers.get('location') ?? '')
    assert.ok(text.includes('The invoice is void.'))
    assert.ok(!html.includes('/void"'))
  })

  test('accept an invoice, which is paid for people then', async (t) => {
    const { console, id } = await withInvoice(t)
    const form = formIn((await console.page(`/console/invoices/${id}`)).html, '/accept')
    const done = await console.visit(form.path, form.fields)
    assert.equal(done.status, 303)
    assert.equal(typeof (await console.service.get(`/api/invoices/${id}`)).json.accepted_at, 'number')
    assert.equal(done.headers.get('location'), `/console/invoices/${id}?done=accepted`)
    const { text, html } = await console.page(done.headers.get('location') ?? '')
    assert.ok(text.includes('The invoice is accepted as paid.'))
    assert.ok(!html.includes('/accept"') && !html.includes('/void"'))
    assert.equal((await console.visit(`/console/invoices/${id}/void`, form.fields)).status, 403)
  })

  test('say why something was not done', async (t) => {
    const { console, isVoid, form } = await withInvoice(t)
    await console.deposit('0x1', '10000000')
    const refused = await console.visit(form.path, form.fields)
    assert.deepEqual([refused.status, await isVoid()], [409, false])
    assert.ok(refused.text.includes('This invoice is paid or being paid.'))
  })

  const forged: readonly [what: string, of: (fields: Record<string, string>) => Forgery][] = [
    ['without a token', () => ({ fields: {} })],
    ['with an empty token', () => ({ fields: { token: '' } })],
    ['with another token', ({ token = '' }) => ({ fields: { token: `${token.slice(0, -1)}!` } })],
    ['without a session', (fields) => ({ fields, headers: { cookie: '' } })],
    ['of another origin', (fields) => ({ fields, headers: { origin: 'https://evil.example' } })],
    ['of another port', (fields) => ({ fields, headers: { origin: 'http://127.0.0.1:1' } })],
    ['of an opaque origin', (fields) => ({ fields, headers: { origin: 'null' } })],
    ['of another site', (fields) => ({ fields, headers: { 'sec-fetch-site': 'cross-site' } })],
    ['of another host of the site', (fields) => ({ fields, headers: { 'sec-fetch-site': 'same-site' } })],
  ]
  for (const [what, of] of forged) {
    test(`do nothing ${what}`, async (t) => {
      const { console, isVoid, form } = await withInvoice(t)
      const { fields, headers = {} } = of(form.fields)
      const refused = await console.visit(form.path, fields, headers)
      assert.deepEqual([refused.status, await isVoid()], [403, false])
      assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
    })
  }

  test('do nothing for another session, for another record, for another action, or by GET', async (t) => {
    const { console, isVoid, form, id } = await withInvoice(t)
    const other = await console.invoice({ amount: '11' })
    const replayed = await console.visit(`/console/invoices/${other}/void`, form.fields)
    assert.equal(replayed.status, 403)
    assert.equal((await console.service.get(`/api/invoices/${other}`)).json.voided_at, null)
    assert.equal((await console.visit(`/console/deliveries/${id}/redeliver`, form.fields)).status, 403)
    const got = await console.visit(`${form.path}?${new URLSearchParams(form.fields)}`)
    assert.deepEqual([got.status, got.headers.get('allow')], [405, 'OPTIONS, POST'])
    assert.equal((await console.visit('/console', {})).status, 405)
    // The token of a session is worth nothing in the next one.
    const next = await console.visit('/console', undefined, { cookie: '' })
    assert.equal(next.status, 200)
    assert.equal((await console.visit(form.path, form.fields)).status, 403)
    assert.equal(await isVoid(), false)
  })

  test('send a webhook again, which arrives', async (t) => {
    const console = await ConsoleFixture.start(t)
    const receiver = await openReceiver((_request, response) => response.writeHead(500).end())
    t.after(() => receiver.close())
    await console.service.assign(OWNER, WALLET)
    await console.invoice({ reference: 'r', callbackUrl: `${receiver.url}/` })
    await console.deposit('0x1', '10000000', 'deposit.pending')
    await receiver.received(1)
    const { html } = await console.page('/console/deliveries')
    const [, path = ''] = /href="(\/console\/deliveries\/[0-9a-f]{32})"/.exec(html) ?? []
    let shown = await console.page(path)
    while (!shown.html.includes('/redeliver"')) shown = await console.page(path)
    const form = formIn(shown.html, '/redeliver')
    const done = await console.visit(form.path, form.fields)
    assert.equal(done.status, 303)
    await receiver.received(2)
    const { requests } = receiver
    assert.equal(requests[1]?.headers['webhook-id'], requests[0]?.headers['webhook-id'])
    assert.deepEqual(requests[1]?.body, requests[0]?.body)
    const again = await console.page(done.headers.get('location') ?? '')
    assert.ok(again.text.includes('The webhook is queued again.'))
    const soon = await console.visit(form.path, form.fields)
    assert.ok([409, 429].includes(soon.status), String(soon.status))
  })

  test('revoke a key', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const key = testKey('of a shop')
    await console.service.register(OWNER, key)
    const body = { walletIds: [WALLET.id], name: 'Tea', amount: '1' }
    assert.equal((await console.service.createSigned(key, body)).status, 201)
    const { html } = await console.page('/console/keys')
    const form = formIn(html, '/revoke')
    assert.equal((await console.visit(form.path, form.fields)).status, 303)
    const refused = await console.service.createSigned(key, { ...body, amount: '2' })
    assert.equal(refused.json.code, 'api_key_revoked')
    assert.ok((await console.page('/console/keys?state=revoked')).text.includes(OWNER))
    assert.ok((await console.page('/console/keys?state=active')).text.includes('No key found.'))
  })
})

interface Forgery {
  readonly fields: Record<string, string>
  readonly headers?: Readonly<Record<string, string>>
}
