import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openReceiver } from '../support/receiver.js'
import { gatewayHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const OWNER = 'shop'
const DELIVERIES = `/api/users/${OWNER}/webhook/deliveries`

async function post(url: string, path: string, body: unknown, headers: (text: string) => Record<string, string>) {
  const text = JSON.stringify(body)
  const response = await fetch(`${url}${path}`, { method: 'POST', body: text, headers: headers(text) })
  assert.ok(response.ok, `${path}: ${response.status}`)
  return response.json()
}

/** Makes a wallet, an invoice on it, and a deposit that is told to `callbackUrl`. */
async function owe(url: string, callbackUrl: string): Promise<void> {
  const push = (events: readonly unknown[]) =>
    post(url, '/internal/events', { events }, (text) => gatewayHeaders(String(Date.now()), text))
  await push([
    {
      id: 'c',
      type: 'wallet.created',
      wallet: { id: 'w', address: '0x0000000000000000000000000000000000000001', network: 'SEP' },
    },
    { id: 'a', type: 'wallet.assigned', wallet: { id: 'w' }, owner: OWNER },
  ])
  const invoice = { owner: OWNER, walletIds: ['w'], name: 'n', amount: '1', reference: 'r', callbackUrl }
  await post(url, '/api/invoices', invoice, () => ({}))
  const deposit = {
    network: 'SEP',
    txHash: '0x2',
    toAddress: '0x0000000000000000000000000000000000000001',
    currency: null,
    amount: '1',
  }
  await push([{ id: 'd', type: 'deposit.pending', deposit: { ...deposit, receivedAt: Date.now() + 1000 } }])
}

interface Listed {
  readonly id: string
  readonly state: string
  readonly attempt: number
  readonly failure: string | null
}

async function only(url: string): Promise<Listed> {
  const list = (await (await fetch(`${url}${DELIVERIES}`)).json()) as Listed[]
  assert.equal(list.length, 1)
  return list[0] ?? assert.fail()
}

/** The only delivery once its outcome is recorded, which is a moment after the receiver has answered. */
async function settled(url: string) {
  for (let looks = 0; looks < 1000; looks += 1) {
    const one = await only(url)
    if (one.state === 'delivered' || one.state === 'failed') return one
  }
  return assert.fail('the delivery has no outcome')
}

describe('a webhook under way when the process is killed', () => {
  test('is an attempt that is retried after the restart, when there are retries', async () => {
    const place = temporaryDirectory()
    const receiver = await openReceiver((_request, response) => {
      if (receiver.requests.length > 1) response.end()
    })
    const environment = { BILLHOOK_WEBHOOK_ATTEMPTS: '2' }
    const first = await ServiceProcess.start(place.path, environment)
    await owe(first.url, receiver.url)
    await receiver.received(1)
    await first.end('SIGKILL')
    const second = await ServiceProcess.start(place.path, environment)
    await receiver.received(2)
    const { state, attempt } = await settled(second.url)
    assert.deepEqual([state, attempt], ['delivered', 2])
    const [one, two] = receiver.requests
    assert.equal(one?.headers['webhook-id'], two?.headers['webhook-id'])
    assert.deepEqual(one?.body, two?.body)
    await second.end('SIGTERM')
    await receiver.close()
    place.remove()
  })

  test('is not sent again without retries, but when its merchant asks for it', async () => {
    const place = temporaryDirectory()
    const receiver = await openReceiver((_request, response) => {
      if (receiver.requests.length > 1) response.end()
    })
    const first = await ServiceProcess.start(place.path)
    await owe(first.url, receiver.url)
    await receiver.received(1)
    await first.end('SIGKILL')
    const second = await ServiceProcess.start(place.path)
    const lost = await settled(second.url)
    assert.deepEqual([lost.state, lost.attempt], ['failed', 1])
    assert.equal(lost.failure, 'interrupted')
    assert.equal(receiver.requests.length, 1)
    await post(second.url, `${DELIVERIES}/${lost.id}/redeliver`, {}, () => ({}))
    await receiver.received(2)
    assert.equal((await settled(second.url)).attempt, 2)
    await second.end('SIGTERM')
    await receiver.close()
    place.remove()
  })
})
