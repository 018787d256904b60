import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound } from '../support/check-data.js'
import { openReceiver } from '../support/receiver.js'
import { gatewayHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const OWNER = 'shop'
const WEBHOOK = `/api/users/${OWNER}/webhook`
const WALLET = { id: 'w', address: '0x0000000000000000000000000000000000000001', network: 'SEP' }
const ROUNDS = 4
const CLIENTS = 8
/** Webhooks of a round after which the process is killed. */
const RECEIVED = 30

async function call<T>(url: string, method: string, path: string, body?: unknown, headers = {}): Promise<T> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}${path}`, { method, headers, ...sent })
  assert.ok(response.ok, `${path}: ${response.status}`)
  return (await response.json()) as T
}

interface Listed {
  readonly id: string
  readonly state: string
  readonly event: { readonly id: string } | null
}

interface Logged {
  readonly id: string
  readonly type: string
}

async function logOf(url: string): Promise<readonly Logged[]> {
  const log: Logged[] = []
  for (;;) {
    const after = log.length === 0 ? '' : `&after=${log.at(-1)?.id}`
    const page = await call<readonly Logged[]>(url, 'GET', `/api/users/${OWNER}/events?limit=1000${after}`)
    log.push(...page)
    if (page.length < 1000) return log
  }
}

async function setUp(url: string, callbackUrl: string): Promise<void> {
  const events = [
    { id: 'c', type: 'wallet.created', wallet: WALLET },
    { id: 'a', type: 'wallet.assigned', wallet: { id: WALLET.id }, owner: OWNER },
  ]
  await call(
    url,
    'POST',
    '/internal/events',
    { events },
    gatewayHeaders(String(Date.now()), JSON.stringify({ events })),
  )
  await call(url, 'PUT', WEBHOOK, { callbackUrl, payload: 'events', types: ['invoice.created'] })
}

/** Waits until every event of the log has a delivery, and each of these its outcome. */
async function settled(url: string): Promise<readonly Listed[]> {
  for (let looks = 0; looks < 2000; looks += 1) {
    const created = (await logOf(url)).filter(({ type }) => type === 'invoice.created')
    const deliveries = await call<readonly Listed[]>(url, 'GET', `${WEBHOOK}/deliveries`)
    const isOver = deliveries.every(({ state }) => state === 'delivered' || state === 'failed')
    if (deliveries.length < created.length || !isOver) continue
    const told = deliveries.map(({ event }) => event?.id).sort()
    assert.deepEqual(told, created.map(({ id }) => id).sort(), 'events and deliveries are not the same')
    return deliveries
  }
  return assert.fail('not every event was delivered')
}

test(`events are sent, none lost and none twice, by kill -9 while they are queued and sent, ${ROUNDS} rounds`, async () => {
  const place = temporaryDirectory()
  const received = new Map<string, number>()
  const receiver = await openReceiver(({ headers }, response) => {
    const id = String(headers['webhook-id'])
    received.set(id, (received.get(id) ?? 0) + 1)
    response.end()
  })
  let amount = 0
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await ServiceProcess.start(place.path)
      if (round === 0) await setUp(service.url, receiver.url)
      else await settled(service.url)
      let isOver = false
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (!isOver) {
          amount += 1
          const body = { owner: OWNER, walletIds: [WALLET.id], name: 'n', amount: `${amount}` }
          // The last ones are cut off.
          await call(service.url, 'POST', '/api/invoices', body).catch(() => undefined)
        }
      })
      await receiver.received(receiver.requests.length + RECEIVED)
      await service.end('SIGKILL')
      isOver = true
      await Promise.all(clients)
    }
    const last = await ServiceProcess.start(place.path)
    const deliveries = await settled(last.url)
    assert.ok(deliveries.length > ROUNDS * RECEIVED, `only ${deliveries.length} events were sent`)
    for (const [id, times] of received) assert.equal(times, 1, `${id} was delivered ${times} times`)
    for (const { id, state } of deliveries) if (state === 'delivered') assert.ok(received.has(id), `${id} never came`)
    await assertSound(place.path)
    assert.deepEqual(await last.end('SIGTERM'), { code: 0, signal: null })
  } finally {
    await receiver.close()
    place.remove()
  }
})
