import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { InProgress } from '../../../src/http/idempotency.js'
import { assertRefused, type Reply, ServiceFixture, signedHeaders } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'

const WALLET = { id: 'w', address: '0xabcd000000000000000000000000000000000021', network: 'SEP' }
const KEY = testKey('idempotent')
const OTHER_KEY = testKey('idempotent, another key')

let fixture: ServiceFixture
let amounts = 0

before(async () => {
  fixture = await ServiceFixture.start()
  await fixture.assign('shop', WALLET)
  for (const key of [KEY, OTHER_KEY]) assert.equal((await fixture.register('shop', key)).status, 201)
})
after(() => fixture.stop())

function body(): string {
  amounts += 1
  return JSON.stringify({ owner: 'shop', walletIds: [WALLET.id], name: 'Order', amount: `${amounts}` })
}

function send(text: string, key: string): Promise<Reply> {
  return fixture.post('/api/invoices', text, { 'Idempotency-Key': key })
}

function sendSigned(text: string, key: string, by = KEY): Promise<Reply> {
  return fixture.post('/api/invoices', text, { ...signedHeaders(by, text, String(Date.now())), 'Idempotency-Key': key })
}

async function count(): Promise<number> {
  return (await fixture.get('/api/users/shop/invoices')).json.length
}

describe('POST /api/invoices with an Idempotency-Key', () => {
  for (const [path, post] of [
    ['unsigned', send],
    ['signed', sendSigned],
  ] as const) {
    test(`answers a repetition like the first time, and creates nothing: ${path}`, async () => {
      const text = body()
      const first = await post(text, `"${path} 1"`)
      assert.equal(first.status, 201, first.text)
      assert.equal(first.headers.get('idempotency-replayed'), null)
      const was = await count()
      const second = await post(text, `"${path} 1"`)
      assert.deepEqual([second.status, second.text], [201, first.text])
      assert.equal(second.headers.get('location'), first.headers.get('location'))
      assert.equal(second.headers.get('idempotency-replayed'), 'true')
      assert.equal(await count(), was)
    })
  }

  test('refuses another body under the same key, quoted or bare', async () => {
    const text = body()
    assert.equal((await send(text, 'reused')).status, 201)
    const was = await count()
    for (const other of [body(), `${text} `]) {
      const reply = await send(other, '"reused"')
      const error = 'This Idempotency-Key was used with another request body.'
      assertRefused(reply, 422, error, 'idempotency_key_reused')
    }
    assert.equal(await count(), was)
  })

  test('keeps keys of different merchants apart', async () => {
    const first = await sendSigned(body(), 'mine')
    const second = await sendSigned(body(), 'mine', OTHER_KEY)
    const third = await send(body(), 'mine')
    assert.deepEqual([first.status, second.status, third.status], [201, 201, 201])
    assert.equal(new Set([first.json.id, second.json.id, third.json.id]).size, 3)
  })

  test('remembers nothing of a request that was refused', async () => {
    const text = body()
    const wrong = text.replace('"w"', '"unknown"')
    assert.equal((await send(wrong, '"second try"')).status, 400)
    assert.equal((await send(text, '"second try"')).status, 201)
  })

  test('authenticates a repetition like any request', async () => {
    const text = body()
    assert.equal((await sendSigned(text, 'auth')).status, 201)
    const headers = { ...signedHeaders(KEY, text, '1'), 'Idempotency-Key': 'auth' }
    assert.equal((await fixture.post('/api/invoices', text, headers)).status, 401)
  })

  test('creates one invoice of many equal requests at once; the others are told to wait or get the same answer', async () => {
    const text = body()
    const was = await count()
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(text, 'burst')))
    assert.equal(await count(), was + 1)
    const created = replies.filter((reply) => reply.status === 201)
    assert.equal(new Set(created.map((reply) => reply.text)).size, 1)
    for (const reply of replies.filter((one) => one.status !== 201)) {
      const error = 'A request with this Idempotency-Key is still in progress.'
      assertRefused(reply, 409, error, 'idempotency_in_progress')
    }
  })

  for (const key of ['', '""', 'two words', 'k'.repeat(256)]) {
    test(`refuses the key ${JSON.stringify(key).slice(0, 20)}`, async () => {
      const error = 'Idempotency-Key must be 1 to 255 printable ASCII characters, quoted or bare.'
      assertRefused(await send(body(), key), 400, error, 'invalid_idempotency_key')
    })
  }
})

test('work under way turns away a second one of its name until it has ended, also when it fails', async () => {
  const inProgress = new InProgress()
  const name = Buffer.from('name')
  let end: () => void = () => undefined
  const first = inProgress.run(name, () => new Promise<string>((resolve) => (end = () => resolve('first'))))
  assert.equal(await inProgress.run(name, async () => 'second'), null)
  assert.equal(await inProgress.run(Buffer.from('other'), async () => 'other'), 'other')
  end()
  assert.equal(await first, 'first')
  await assert.rejects(
    inProgress.run(name, () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await inProgress.run(name, async () => 'third'), 'third')
})
