import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { Intake } from '../../../src/actors/intake.js'
import { type FailureCode, failure } from '../../../src/domain/failure.js'
import { PUSH_LIMIT_BYTES } from '../../../src/http/endpoints.js'
import { createRouter, DEFAULT_BODY_LIMIT_BYTES } from '../../../src/http/router.js'
import { internalEventsHandlers } from '../../../src/http/routes/internal-events.js'
import type { OwedDelivery } from '../../../src/store/outbox.js'
import { invoiceRequest, type LmdbFixture, openFixture } from '../../support/lmdb-fixture.js'
import { ManualClock } from '../../support/manual-clock.js'
import { callRoute, openAccess, routesOf } from './call-route.js'

const secret = 'shared with the gateway'
const clock = new ManualClock()
const complaints = { rejected: () => undefined }
const guards = { access: { ...openAccess, gateway: { secrets: [secret], clock, complaints } } }
const owed: OwedDelivery[] = []
let fixture: LmdbFixture
let handlers: ReturnType<typeof internalEventsHandlers>

before(async () => {
  fixture = await openFixture(clock)
  const intake = new Intake(fixture.store.ledger, fixture.directory, (due) => owed.push(...due))
  handlers = internalEventsHandlers({ intake, networks: fixture.store.networks, clock, complaints })
})
after(() => fixture.close())

/** By another implementation than the service's. */
function headersFor(body: string | Uint8Array, timestamp = String(clock.now()), key = secret): Record<string, string> {
  const text = Buffer.concat([Buffer.from(`${timestamp}\n`), Buffer.from(body)])
  return {
    'x-gateway-timestamp': timestamp,
    'x-gateway-signature': bytesToHex(hmac(sha256, Buffer.from(key), text)),
  }
}

function send(body: string | Uint8Array, headers: Readonly<Record<string, string>> = headersFor(body)) {
  return callRoute(handlers, 'POST', '/internal/events', { body, headers }, guards)
}

/** Pushes events and answers their results. */
async function push(...events: readonly unknown[]): Promise<unknown> {
  const answer = await send(JSON.stringify({ events }))
  assert.equal(answer.status, 200)
  return (answer.body as { results: unknown }).results
}

function created(id: string, address = `0x${id}`) {
  return { id: `created ${id}`, type: 'wallet.created', wallet: { id, address, network: 'SEP' } }
}

function assigned(id: string, owner: string) {
  return { id: `assigned ${id} to ${owner}`, type: 'wallet.assigned', wallet: { id }, owner }
}

function deposit(id: string, kind: string, toAddress: string, more: Readonly<Record<string, unknown>> = {}) {
  const sighting = { network: 'SEP', txHash: `tx ${id}`, toAddress, currency: 'Tether', amount: '1000000' }
  return {
    id: `${id} ${kind}`,
    type: `deposit.${kind}`,
    deposit: { ...sighting, receivedAt: clock.now() + 1, ...more },
  }
}

describe('POST /internal/events', () => {
  test('applies facts in order and answers each', async () => {
    assert.deepEqual(
      await push(
        { id: 'onboarded i1', type: 'identity.onboarded', identity: 'i1' },
        created('w1'),
        assigned('w1', 'i1'),
        deposit('d1', 'pending', '0xw1'),
        deposit('d1', 'confirmed', '0xw1'),
        deposit('d2', 'pending', '0xnobody'),
        deposit('d3', 'dropped', '0xw1'),
      ),
      [
        { id: 'onboarded i1', status: 'applied' },
        { id: 'created w1', status: 'applied' },
        { id: 'assigned w1 to i1', status: 'applied' },
        { id: 'd1 pending', status: 'applied' },
        { id: 'd1 confirmed', status: 'applied' },
        { id: 'd2 pending', status: 'applied' },
        { id: 'd3 dropped', status: 'rejected', error: 'no such deposit' },
      ],
    )
    assert.equal(fixture.store.identities.isKnown('i1'), true)
    assert.deepEqual(fixture.store.wallets.find('w1'), {
      id: 'w1',
      network: 'SEP',
      address: '0xw1',
      owner: 'i1',
      assignedAt: clock.now(),
    })
    assert.deepEqual(fixture.store.deposits.find('SEP', 'tx d1', 0), {
      network: 'SEP',
      txHash: 'tx d1',
      index: 0,
      toAddress: '0xw1',
      currency: 'Tether',
      amount: '1000000',
      kind: 'confirmed',
      receivedAt: clock.now() + 1,
      confirmedAt: clock.now(),
    })
  })

  test('a push that is repeated changes nothing, also when it comes late', async () => {
    const events = [created('w2'), assigned('w2', 'i1'), deposit('d4', 'pending', '0xw2')]
    await push(...events)
    await push(assigned('w2', 'i2'))
    assert.deepEqual(
      await push(...events),
      events.map(({ id }) => ({ id, status: 'duplicate' })),
    )
    assert.equal(fixture.store.wallets.find('w2')?.owner, 'i2')
  })

  test('the second event of one id is a duplicate, whatever it says', async () => {
    await push(created('w3'), created('w4'))
    const twice = { ...deposit('d5', 'pending', '0xw4'), id: 'd5 twice' }
    const again = { ...deposit('d6', 'pending', '0xw3'), id: 'd5 twice' }
    assert.deepEqual(await push(deposit('d7', 'pending', '0xw3'), twice, again), [
      { id: 'd7 pending', status: 'applied' },
      { id: 'd5 twice', status: 'applied' },
      { id: 'd5 twice', status: 'duplicate' },
    ])
    assert.equal(fixture.store.deposits.find('SEP', 'tx d6', 0), undefined)
  })

  test('bad events are rejected alone', async () => {
    const tooLong = created('w'.repeat(129))
    const results = await push(
      null,
      created('w5'),
      { ...created('w6'), id: '' },
      { ...deposit('d8', 'pending', '0xw5', { amount: '1.5' }) },
      { ...created('w7', '0xw5') },
      { ...tooLong, id: 'too long' },
      { id: 'strange', type: 'wallet.burnt' },
      assigned('w5', 'i1'),
    )
    assert.deepEqual(results, [
      { id: null, status: 'rejected', error: 'an event must be an object' },
      { id: 'created w5', status: 'applied' },
      { id: null, status: 'rejected', error: 'id must be a non-empty string of at most 128 characters' },
      { id: 'd8 pending', status: 'rejected', error: 'amount is not a positive amount of its currency' },
      { id: 'created w7', status: 'rejected', error: 'the address belongs to another wallet' },
      { id: 'too long', status: 'rejected', error: 'a wallet id must have 1 to 128 characters and no comma' },
      { id: 'strange', status: 'rejected', error: 'type is not one that is known' },
      { id: 'assigned w5 to i1', status: 'applied' },
    ])
    for (const id of ['w6', 'w7']) assert.equal(fixture.store.wallets.find(id), undefined)
  })

  test('an event that was rejected is rejected alike when it comes again, whatever it says by then', async () => {
    await push(created('w8'))
    const unreadable = { id: 'unreadable', type: 'wallet.burnt' }
    const contradicting = { ...created('w10', '0xw8'), id: 'contradicting' }
    const bad = deposit('d9', 'pending', '0xw8', { amount: '0' })
    const first = await push(bad, unreadable, contradicting)
    assert.deepEqual(await push(bad, unreadable, contradicting), first)
    const corrected = [
      deposit('d9', 'pending', '0xw8'),
      { ...created('w11'), id: 'unreadable' },
      { ...created('w10'), id: 'contradicting' },
    ]
    assert.deepEqual(await push(...corrected), first)
    assert.deepEqual([fixture.store.wallets.find('w10'), fixture.store.wallets.find('w11')], [undefined, undefined])
    assert.deepEqual(await push({ ...deposit('d9', 'pending', '0xw8'), id: 'corrected' }), [
      { id: 'corrected', status: 'applied' },
    ])
  })

  test('an event that was a duplicate has no effect later, when it would not be one any more', async () => {
    await push(created('w12'), assigned('w12', 'i1'), deposit('d20', 'confirmed', '0xw12'))
    const retries = [
      { ...assigned('w12', 'i1'), id: 'retry of the assignment' },
      { ...deposit('d20', 'confirmed', '0xw12'), id: 'retry of the deposit' },
    ]
    const duplicates = retries.map(({ id }) => ({ id, status: 'duplicate' }))
    assert.deepEqual(await push(...retries), duplicates)
    await push(assigned('w12', 'i2'), deposit('d20', 'dropped', '0xw12'))
    assert.deepEqual(await push(...retries), duplicates)
    assert.equal(fixture.store.wallets.find('w12')?.owner, 'i2')
    assert.equal(fixture.store.deposits.find('SEP', 'tx d20', 0)?.kind, 'dropped')
  })

  test('takes ids of 128 characters of four bytes', async () => {
    const id = '😀'.repeat(128)
    const onboarded = { id, type: 'identity.onboarded', identity: '😀'.repeat(128) }
    assert.deepEqual(await push(onboarded, onboarded), [
      { id, status: 'applied' },
      { id, status: 'duplicate' },
    ])
  })

  test('names the deliveries that deposits owe', async () => {
    await push(created('w9'), assigned('w9', 'i1'))
    const request = invoiceRequest('i1', ['w9'], '1', { reference: 'r1', callbackUrl: 'https://shop.example/hook' })
    await fixture.directory.createInvoice(request)
    const before = owed.length
    await push(deposit('d10', 'confirmed', '0xw9'))
    assert.equal(owed.length, before + 2)
  })

  test('takes a thousand events at once, in a body beyond 64 KiB', async () => {
    const events = Array.from({ length: 1000 }, (_, i) => ({
      id: `many ${i}`,
      type: 'identity.onboarded',
      identity: `many ${i} ${'x'.repeat(100)}`,
    }))
    const results = (await push(...events)) as { status: string }[]
    assert.equal(results.filter(({ status }) => status === 'applied').length, 1000)
  })

  test('a body beyond 1 MiB is refused', async () => {
    const body = `{"events":[${' '.repeat(PUSH_LIMIT_BYTES)}]}`
    assert.equal((await send(body)).status, 413)
  })

  const bodies: readonly [what: string, body: string | Uint8Array, code: 'invalid_json' | 'invalid_events'][] = [
    ['that is no JSON', '{"events":', 'invalid_json'],
    ['that is empty', '', 'invalid_json'],
    ['that is a list', '[]', 'invalid_json'],
    ['that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_json'],
    ['without events', '{}', 'invalid_events'],
    ['with no event', '{"events":[]}', 'invalid_events'],
    [
      'with 1001 events',
      JSON.stringify({ events: Array.from({ length: 1001 }, () => created('w10')) }),
      'invalid_events',
    ],
  ]
  for (const [what, body, code] of bodies) {
    test(`a signed body ${what} is refused`, async () => {
      const { status, body: refusal } = await send(body)
      const { message: error, field } = failure(code)
      assert.deepEqual([status, refusal], [400, { error, code, ...(field === undefined ? {} : { field }) }])
    })

    test(`an unsigned body ${what} is a matter of its signature first`, async () => {
      assert.equal((await send(body, {})).status, 401)
    })
  }

  const good = JSON.stringify({ events: [created('w11')] })
  const forged: readonly [what: string, headers: Readonly<Record<string, string>>][] = [
    ['without headers', {}],
    ['with another secret', headersFor(good, String(clock.now()), 'another')],
    ['of another body', headersFor(`${good} `)],
    ['that is too old', headersFor(good, String(clock.now() - 300_001))],
    ['from the future', headersFor(good, String(clock.now() + 300_001))],
    ['in seconds', headersFor(good, String(clock.now() / 1000))],
  ]
  for (const [what, headers] of forged) {
    test(`a push ${what} is 401 and changes nothing`, async () => {
      const { status, body } = await send(good, headers)
      assert.deepEqual(
        [status, body],
        [401, { error: 'Invalid gateway signature.', code: 'invalid_gateway_signature' }],
      )
      assert.equal(fixture.store.wallets.find('w11'), undefined)
    })
  }

  test('tells its time when it is authentic, whether it is accepted or not', async () => {
    const dated: number[] = []
    const gateway = { ...guards.access.gateway, onDated: (timestampMs: number) => dated.push(timestampMs) }
    const heard = { access: { ...openAccess, gateway } }
    const tell = (headers: Readonly<Record<string, string>>) =>
      callRoute(handlers, 'POST', '/internal/events', { body: good, headers }, heard)
    const timestamp = clock.now() - 60_000
    assert.equal((await tell(headersFor(good, String(timestamp), 'another'))).status, 401)
    assert.equal((await tell(headersFor(good, String(timestamp - 300_001), 'another'))).status, 401)
    assert.equal((await tell(headersFor(good, 'yesterday'))).status, 401)
    assert.equal((await tell({})).status, 401)
    assert.deepEqual(dated, [])
    assert.equal((await tell(headersFor(good, String(timestamp)))).status, 200)
    assert.equal((await tell(headersFor(good, String(timestamp - 3_600_000)))).status, 401)
    assert.equal((await tell(headersFor(good, String(timestamp + 3_600_000)))).status, 401)
    assert.deepEqual(dated, [timestamp, timestamp - 3_600_000, timestamp + 3_600_000])
  })

  test('is never served without a secret, and takes only POST', async () => {
    assert.throws(() => routesOf(handlers), /nothing guards the access to POST \/internal\/events/)
    assert.equal((await callRoute(handlers, 'GET', '/internal/events', {}, guards)).status, 405)
  })
})

describe('the head of a push', () => {
  const body = 'x'.repeat(PUSH_LIMIT_BYTES)

  test('decides whether its megabyte is taken in', async () => {
    assert.equal((await send(body)).status, 400)
    const stale = String(clock.now() - 300_001)
    for (const headers of [
      {},
      { 'x-gateway-timestamp': String(clock.now()) },
      { ...headersFor(body), 'x-gateway-signature': 'f'.repeat(63) },
      headersFor(body, stale),
    ]) {
      const head = { method: 'POST', path: '/internal/events', query: '', requestId: 'request' }
      const values: Record<string, string> = headers
      const target = createRouter(routesOf(handlers, guards), { onError: () => assert.fail() })({
        ...head,
        header: (name) => values[name],
        remoteAddress: () => '127.0.0.1',
      })
      assert.equal(target.bodyLimitBytes, DEFAULT_BODY_LIMIT_BYTES)
      const answer = await send(body, headers)
      assert.deepEqual([answer.status, answer.body], [401, { ...catalogued('invalid_gateway_signature') }])
    }
  })
})

function catalogued(code: FailureCode): { readonly error: string; readonly code: string } {
  return { error: failure(code).message, code }
}
