import assert from 'node:assert/strict'
import { signedHeaders } from '../support/service-fixture.js'
import type { Acknowledged } from './acknowledged.js'
import { OWNERS } from './crash-load.js'
import { type Answered, ask, pushEvents } from './http-client.js'

/** Of the latest keys, events and idempotent creations, as many are asked about one by one in each round. */
export const LATEST = 40
const WAIT_LIMIT_MS = 60_000
const WAIT_STEP_MS = 20

async function get(url: string): Promise<Answered> {
  const answer = await ask('GET', url)
  assert.ok(answer, `no answer from ${url}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.json))
  return answer
}

/** Everything that was acknowledged is there, and no two unpaid invoices share wallet, currency and amount. */
export async function assertKept(url: string, acknowledged: Acknowledged): Promise<void> {
  for (const owner of OWNERS) {
    const { json: invoices } = await get(`${url}/api/users/${owner}/invoices?include=payment`)
    const listed = new Set<string>(invoices.map((invoice: { id: string }) => invoice.id))
    assert.equal(listed.size, invoices.length, 'an invoice is listed twice')
    for (const id of acknowledged.invoicesOf(owner)) assert.ok(listed.has(id), `invoice ${id} is lost`)
    assertDistinctAmounts(invoices)
    const { json: wallets } = await get(`${url}/api/users/${owner}/wallets`)
    const ids = new Set(wallets.map((wallet: { id: string }) => wallet.id))
    for (const id of acknowledged.walletsOf(owner)) assert.ok(ids.has(id), `the assignment of ${id} is lost`)
    await assertKeysKept(url, owner, acknowledged)
  }
  await assertEventsKept(url, acknowledged)
}

interface ListedInvoice {
  readonly id: string
  readonly wallet_ids: string
  readonly currency: string
  readonly amount: string
  readonly payment: { readonly status: string }
}

function assertDistinctAmounts(invoices: readonly ListedInvoice[]): void {
  const unpaid = new Map<string, string>()
  for (const { id, wallet_ids, currency, amount, payment } of invoices) {
    if (payment.status === 'paid') continue
    const value = amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount
    for (const wallet of wallet_ids.split(',')) {
      const place = `${wallet} ${currency} ${value}`
      assert.ok(!unpaid.has(place), `${id} and ${unpaid.get(place)} are both unpaid: ${place}`)
      unpaid.set(place, id)
    }
  }
}

async function assertKeysKept(url: string, owner: string, acknowledged: Acknowledged): Promise<void> {
  const { json: listed } = await get(`${url}/api/users/${owner}/api-keys`)
  const byId = new Map(listed.map((key: { id: string; revoked_at: number | null }) => [key.id, key.revoked_at]))
  const own = acknowledged.keys.filter((one) => one.owner === owner)
  for (const { id, state } of own) {
    assert.ok(byId.has(id), `key ${id} is lost`)
    if (state === 'revoked') assert.notEqual(byId.get(id), null, `the revocation of ${id} is lost`)
    if (state === 'active') assert.equal(byId.get(id), null, `key ${id} is revoked by nobody`)
  }
  for (const { key, id } of own.filter(({ state }) => state === 'revoked').slice(-LATEST)) {
    const body = JSON.stringify({ walletIds: ['none'], name: 'Order', amount: '1' })
    const answer = await ask('POST', `${url}/api/invoices`, body, signedHeaders(key, body, String(Date.now())))
    assert.equal(answer?.json.code, 'api_key_revoked', `the revoked key ${id} is not refused`)
  }
}

/** Repeated, an event that was answered changes nothing: it is a duplicate. */
async function assertEventsKept(url: string, { events }: Acknowledged): Promise<void> {
  const latest = events.slice(-LATEST)
  if (latest.length === 0) return
  const answer = await pushEvents(url, latest)
  assert.equal(answer?.status, 200)
  for (const [i, { id }] of latest.entries()) {
    assert.equal(answer.json.results[i].status, 'duplicate', `the event ${id} is lost`)
  }
}

interface ListedDelivery {
  readonly txHash: string
  readonly status: string
  readonly state: string
  readonly failure: string | null
}

/** How the deliveries of all rounds ended. */
export interface DeliveryCounts {
  readonly delivered: number
  readonly interrupted: number
}

/**
 * When nothing is queued any more: every notification that an acknowledged deposit owes was attempted, once. What
 * arrived, by `txHash status`, is in `received`; only an attempt that a crash interrupted may not have arrived.
 */
export async function assertDelivered(
  url: string,
  { deposits }: Acknowledged,
  received: ReadonlyMap<string, number>,
): Promise<DeliveryCounts> {
  const ended = new Map<string, ListedDelivery>()
  for (const owner of OWNERS) {
    for (const delivery of await settledDeliveries(`${url}/api/users/${owner}/webhook/deliveries`)) {
      const name = `${delivery.txHash} ${delivery.status}`
      assert.ok(!ended.has(name), `two deliveries of ${name}`)
      ended.set(name, delivery)
    }
  }
  for (const { txHash, acknowledged } of deposits) {
    if (acknowledged === 'nothing') continue
    assert.ok(ended.has(`${txHash} pending`), `the delivery of ${txHash} pending is lost`)
    if (acknowledged === 'confirmed') assert.ok(ended.has(`${txHash} confirmed`), `${txHash} confirmed is lost`)
  }
  for (const name of received.keys()) assert.ok(ended.has(name), `${name} was received and is not known`)
  let interrupted = 0
  for (const [name, { state, failure }] of ended) {
    if (state === 'delivered') assert.equal(received.get(name), 1, `${name} is said to be delivered`)
    else {
      assert.equal(failure, 'interrupted', `${name} failed`)
      interrupted += 1
    }
  }
  return { delivered: ended.size - interrupted, interrupted }
}

async function settledDeliveries(url: string): Promise<readonly ListedDelivery[]> {
  for (const deadline = Date.now() + WAIT_LIMIT_MS; Date.now() < deadline; ) {
    const { json }: { json: readonly ListedDelivery[] } = await get(url)
    if (json.every(({ state }) => state === 'delivered' || state === 'failed')) return json
    await new Promise((resolve) => setTimeout(resolve, WAIT_STEP_MS))
  }
  throw new assert.AssertionError({ message: 'deliveries stay queued' })
}
