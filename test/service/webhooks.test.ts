import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'

const OWNER = 'shop'
const WALLET = { id: 'w', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }

let fixture: ServiceFixture
let receiver: Receiver
let deposits = 0

before(async () => {
  fixture = await ServiceFixture.start()
  receiver = await openReceiver()
  await fixture.assign(OWNER, WALLET)
})
after(async () => {
  await fixture.stop()
  await receiver.close()
})

function depositOf(amount: string, more: Readonly<Record<string, unknown>> = {}) {
  deposits += 1
  return {
    network: 'SEP',
    txHash: `0x${deposits}`,
    toAddress: WALLET.address.toLowerCase(),
    currency: 'Tether',
    amount,
    receivedAt: Date.now() + 1000,
    ...more,
  }
}

async function create(amount: string, more: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { owner: OWNER, walletIds: [WALLET.id], name: 'Order', amount, currency: 'USDT', ...more }
  const reply = await fixture.post('/api/invoices', body)
  assert.equal(reply.status, 201, reply.text)
  return reply.json.id
}

describe('a deposit to a wallet of the service', () => {
  test('is told twice, pending then confirmed, signed over the bytes sent, and repeated by no repeated event', async () => {
    const invoiceId = await create('10', { reference: 'order 1', callbackUrl: `${receiver.url}/hook?shop=1` })
    const deposit = depositOf('10000000')
    const was = receiver.requests.length
    await fixture.push({ id: 'e1', type: 'deposit.pending', deposit })
    await receiver.received(was + 1)
    await fixture.push(
      { id: 'e1', type: 'deposit.pending', deposit },
      { id: 'e2', type: 'deposit.pending', deposit },
      { id: 'e3', type: 'deposit.confirmed', deposit },
      { id: 'e4', type: 'deposit.confirmed', deposit },
    )
    await receiver.received(was + 2)
    const { secret } = (await fixture.get(`/api/users/${OWNER}/webhook`)).json
    assert.match(secret, /^[0-9a-f]{64}$/)
    const requests = receiver.requests.slice(was)
    assert.equal(requests.length, 2)
    for (const [i, status] of ['pending', 'confirmed'].entries()) {
      const request = requests[i]
      assert.ok(request)
      assert.deepEqual([request.method, request.path], ['POST', '/hook?shop=1'])
      assert.equal(request.headers['content-type'], 'application/json')
      const expected = {
        reference: 'order 1',
        status,
        invoiceId,
        network: 'SEP',
        txHash: deposit.txHash,
        toAddress: deposit.toAddress,
        amount: '10000000',
        currency: 'Tether',
        receivedAt: deposit.receivedAt,
      }
      assert.equal(request.body.toString(), JSON.stringify(expected))
      const hmac = createHmac('sha256', secret).update(request.body).digest('hex')
      assert.equal(request.headers['x-service-signature'], hmac)
      const signed = `${request.headers['webhook-id']}.${request.headers['webhook-timestamp']}.${request.body}`
      const standard = createHmac('sha256', Buffer.from(secret, 'hex')).update(signed).digest('base64')
      assert.equal(request.headers['webhook-signature'], `v1,${standard}`)
    }
  })

  test('confirmed without pending is told as both', async () => {
    const was = receiver.requests.length
    await create('20', { reference: 'order 2', callbackUrl: `${receiver.url}/two` })
    await fixture.push({ id: 'f1', type: 'deposit.confirmed', deposit: depositOf('20000000') })
    await receiver.received(was + 2)
    const statuses = receiver.requests.slice(was).map((request) => JSON.parse(request.body.toString()).status)
    assert.deepEqual(statuses, ['pending', 'confirmed'])
  })

  test("goes to the owner's default URL where the invoice has none of its own", async () => {
    const was = receiver.requests.length
    await fixture.call('PUT', `/api/users/${OWNER}/webhook`, { body: { callbackUrl: `${receiver.url}/default` } })
    await create('30', { reference: 'order 3' })
    await fixture.push({ id: 'g1', type: 'deposit.pending', deposit: depositOf('30000000') })
    await receiver.received(was + 1)
    assert.equal(receiver.requests.at(-1)?.path, '/default')
  })
})

describe('a service that listens beyond loopback', () => {
  for (const [what, allow] of [
    ['connects to no private address', ''],
    ['connects to the private addresses that a setting allows', '127.0.0.0/8'],
  ] as const) {
    test(what, async () => {
      const outcome = new OutcomeLog()
      const environment = { BILLHOOK_HOST: '0.0.0.0', BILLHOOK_CALLBACK_ALLOW: allow }
      const open = await ServiceFixture.start(environment, createLog('info', outcome))
      await open.assign(OWNER, WALLET)
      const local = await openReceiver()
      const body = { owner: OWNER, walletIds: [WALLET.id], name: 'n', amount: '1', currency: 'USDT', reference: 'r' }
      const reply = await open.post('/api/invoices', { ...body, callbackUrl: `${local.url}/hook` })
      assert.equal(reply.status, 201, reply.text)
      await open.push({ id: 'd', type: 'deposit.pending', deposit: depositOf('1000000') })
      const line = await outcome.delivered
      assert.equal(line.includes('refused_address'), allow === '', line)
      await open.stop()
      assert.equal(local.connections, allow === '' ? 0 : 1)
      await local.close()
    })
  }
})

/** Hears the log line that tells how a delivery ended. */
class OutcomeLog {
  readonly delivered: Promise<string>
  private tell: (line: string) => void = () => undefined

  constructor() {
    this.delivered = new Promise((resolve) => {
      this.tell = resolve
    })
  }

  write(line: string): void {
    if (line.includes('deliveryId')) this.tell(line)
  }
}
