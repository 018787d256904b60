import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { assertRefused, type Reply, ServiceFixture } from '../../support/service-fixture.js'

const OWNER = 'shop & co'
const LIST = `/api/users/${encodeURIComponent(OWNER)}/webhook/deliveries`
const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const NOT_FOUND = [404, 'No such delivery.', 'delivery_not_found'] as const
const TOO_MANY = [429, 'Too many redeliveries. Try again later.', 'too_many_redeliveries'] as const
const IN_PROGRESS = [409, 'This delivery is already queued or being sent.', 'delivery_in_progress'] as const

let fixture: ServiceFixture
let receiver: Receiver
/** The status that the receiver answers with; null: it does not answer. */
let answer: number | null = 200
const held: (() => void)[] = []

before(async () => {
  fixture = await ServiceFixture.start()
  receiver = await openReceiver((_request, response) => {
    const respond = () => response.writeHead(answer ?? 200).end()
    if (answer === null) held.push(respond)
    else respond()
  })
  await fixture.assign(OWNER, WALLET)
})
after(async () => {
  await fixture.stop()
  await receiver.close()
})

let made = 0

/** Makes an invoice and pays it, so that a pending webhook is sent; answers what the test may look for. */
async function notify(status: number | null, url = `${receiver.url}/hook?key=1`) {
  answer = status
  made += 1
  const was = receiver.requests.length
  const reference = `order ${made}`
  const body = { owner: OWNER, walletIds: [WALLET.id], name: 'n', amount: `${made}`, reference, callbackUrl: url }
  const reply = await fixture.post('/api/invoices', body)
  assert.equal(reply.status, 201, reply.text)
  const txHash = `0x${made}`
  const deposit = { network: 'SEP', txHash, toAddress: WALLET.address, currency: null, amount: `${made}` }
  await fixture.push({
    id: txHash,
    type: 'deposit.pending',
    deposit: { ...deposit, receivedAt: Date.now() + 1000 },
  })
  return { invoiceId: reply.json.id as string, reference, txHash, url, was }
}

/** The newest delivery, once it is in a state; its outcome is recorded a moment after the receiver has answered. */
async function newest(state: string) {
  for (let looks = 0; looks < 1000; looks += 1) {
    const [first] = (await fixture.get(`${LIST}?limit=1`)).json
    if (first?.state === state) return first
  }
  return assert.fail(`the newest delivery is not ${state}`)
}

function redeliver(id: string, path = LIST): Promise<Reply> {
  return fixture.call('POST', `${path}/${id}/redeliver`)
}

describe('GET /api/users/:id/webhook/deliveries', () => {
  test('is empty for an identity that was sent nothing', async () => {
    const reply = await fixture.get('/api/users/nobody/webhook/deliveries')
    assert.deepEqual([reply.status, reply.json], [200, []])
  })

  test('shows a delivery that arrived, and one that was answered without success', async () => {
    for (const [status, state] of [
      [204, 'delivered'],
      [500, 'failed'],
    ] as const) {
      const { invoiceId, reference, txHash, url } = await notify(status)
      const record = await newest(state)
      assert.deepEqual(record, {
        id: record.id,
        invoiceId,
        reference,
        txHash,
        status: 'pending',
        event: null,
        url,
        state,
        attempt: 1,
        httpStatus: status,
        failure: null,
        durationMs: record.durationMs,
        createdAt: record.createdAt,
        attemptedAt: record.attemptedAt,
        nextAttemptAt: null,
      })
      assert.match(record.id, /^[0-9a-f]{32}$/)
      assert.ok(record.durationMs >= 0 && record.attemptedAt >= record.createdAt)
    }
  })

  test('shows the failure of one that reached nobody', async () => {
    const closed = await openReceiver()
    await closed.close()
    await notify(200, closed.url)
    const { httpStatus, failure, state } = await newest('failed')
    assert.deepEqual([httpStatus, failure, state], [null, 'connection', 'failed'])
  })

  test('lists the newest first, whole or in pages linked to each other', async () => {
    const whole = (await fixture.get(LIST)).json.map(({ id }: { id: string }) => id)
    assert.ok(whole.length >= 3)
    assert.deepEqual(whole, [...whole].sort().reverse())
    const paged: string[] = []
    let path: string | undefined = `${LIST}?limit=2`
    for (let pages = 0; path !== undefined && pages < 100; pages += 1) {
      const reply = await fixture.get(path)
      paged.push(...reply.json.map(({ id }: { id: string }) => id))
      path = /^<(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(paged, whole)
  })

  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=x', 'cursor=']) {
    test(`refuses ?${query}`, async () => {
      const parameter = query.split('=')[0]
      const text = `The query parameter ${parameter} is not valid.`
      assertRefused(await fixture.get(`${LIST}?${query}`), 400, text, 'invalid_query')
    })
  }

  test("shows nothing of another owner's", async () => {
    assert.deepEqual((await fixture.get('/api/users/shop/webhook/deliveries')).json, [])
  })
})

describe('POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver', () => {
  test('sends the same body to the same URL again, under the same id, signed anew', async () => {
    const { was } = await notify(500)
    const { id, createdAt } = await newest('failed')
    answer = 200
    const reply = await redeliver(id)
    assert.equal(reply.status, 200)
    assert.deepEqual(
      [reply.json.id, reply.json.state, reply.json.attempt, reply.json.createdAt, reply.json.httpStatus],
      [id, 'queued', 1, createdAt, 500],
    )
    await receiver.received(was + 2)
    const again = await newest('delivered')
    assert.deepEqual([again.id, again.attempt, again.httpStatus], [id, 2, 200])
    const [first, second] = receiver.requests.slice(was)
    assert.ok(first && second)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.path, first.path)
    assert.equal(second.headers['webhook-id'], id)
    assert.equal(first.headers['webhook-id'], id)
    const { secret } = (await fixture.get(`/api/users/${encodeURIComponent(OWNER)}/webhook`)).json
    assert.equal(second.headers['x-service-signature'], createHmac('sha256', secret).update(second.body).digest('hex'))
    const signed = `${id}.${second.headers['webhook-timestamp']}.${second.body}`
    const standard = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64')
    assert.equal(second.headers['webhook-signature'], `v1,${standard}`)
  })

  test('may be asked for a delivery that succeeded, and for the same one again after a minute only', async () => {
    const { was } = await notify(200)
    const { id } = await newest('delivered')
    assert.equal((await redeliver(id)).status, 200)
    await receiver.received(was + 2)
    const again = await newest('delivered')
    assert.equal(again.attempt, 2)
    const reply = await redeliver(id)
    assertRefused(reply, ...TOO_MANY)
    const waitSeconds = Number(reply.headers.get('retry-after'))
    assert.ok(waitSeconds > 0 && waitSeconds <= 60)
    assert.deepEqual(await newest('delivered'), again)
    assert.equal(receiver.requests.length, was + 2)
  })

  test('is refused while the delivery is being sent, which changes nothing', async () => {
    const { was } = await notify(null)
    await receiver.received(was + 1)
    const sending = await newest('sending')
    assertRefused(await redeliver(sending.id), ...IN_PROGRESS)
    assert.deepEqual(await newest('sending'), sending)
    for (const respond of held.splice(0)) respond()
    assert.equal((await newest('delivered')).attempt, 1)
    assert.equal(receiver.requests.length, was + 1)
  })

  test("is refused for what is not there, and for another owner's", async () => {
    await notify(200)
    const { id } = await newest('delivered')
    const was = receiver.requests.length
    for (const unknown of ['0'.repeat(32), 'x', id.toUpperCase(), `${id}0`]) {
      assertRefused(await redeliver(unknown), ...NOT_FOUND)
    }
    assertRefused(await redeliver(id, '/api/users/somebody/webhook/deliveries'), ...NOT_FOUND)
    assert.equal((await newest('delivered')).attempt, 1)
    assert.equal(receiver.requests.length, was)
  })

  test('is a POST only', async () => {
    const reply = await fixture.get(`${LIST}/${'0'.repeat(32)}/redeliver`)
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'OPTIONS, POST'])
  })
})
