import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Network } from '../../../src/domain/network.js'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { validAddress } from '../../support/valid-address.js'

const OWNER = 'reader'
const URL_REFUSAL = [400, 'callbackUrl must be a valid http(s) URL.', 'invalid_callback_url'] as const

let fixture: ServiceFixture
before(async () => {
  fixture = await ServiceFixture.start()
})
after(() => fixture.stop())

describe('/api/users/:id/webhook', () => {
  const path = `/api/users/${OWNER}/webhook`
  const nothing = { owner: OWNER, callback_url: null, secret: null, created_at: null, updated_at: null }

  test('is null everywhere when nothing is configured', async () => {
    const reply = await fixture.get(path)
    assert.deepEqual([reply.status, reply.json], [200, nothing])
    assert.deepEqual((await fixture.call('DELETE', path)).json, { deleted: false })
  })

  test('PUT makes the secret the first time and keeps it; DELETE removes the record, secret included', async () => {
    const first = await fixture.call('PUT', path, { body: { callbackUrl: 'https://shop.example/a' } })
    assert.equal(first.status, 200)
    assert.match(first.json.secret, /^[0-9a-f]{64}$/)
    assert.equal(first.json.callback_url, 'https://shop.example/a')
    assert.equal(first.json.created_at, first.json.updated_at)
    assert.deepEqual((await fixture.get(path)).json, first.json)
    const second = await fixture.call('PUT', path, { body: { callbackUrl: 'http://shop.example/b' } })
    assert.equal(second.json.secret, first.json.secret)
    assert.equal(second.json.created_at, first.json.created_at)
    assert.equal(second.json.callback_url, 'http://shop.example/b')
    const deleted = await fixture.call('DELETE', path)
    assert.deepEqual([deleted.status, deleted.json], [200, { deleted: true }])
    assert.deepEqual((await fixture.get(path)).json, nothing)
    assert.deepEqual((await fixture.call('DELETE', path)).json, { deleted: false })
    const third = await fixture.call('PUT', path, { body: { callbackUrl: 'https://shop.example/c' } })
    assert.notEqual(third.json.secret, first.json.secret)
    await fixture.call('DELETE', path)
  })

  for (const callbackUrl of [undefined, null, '', 5, 'javascript:alert(1)', '/hook', 'ftp://x', 'http:x', {}, []]) {
    test(`PUT refuses ${JSON.stringify(callbackUrl)}`, async () => {
      assertRefused(await fixture.call('PUT', path, { body: { callbackUrl } }), ...URL_REFUSAL)
      assert.deepEqual((await fixture.get(path)).json, nothing)
    })
  }

  test('PUT refuses an identity that is none', async () => {
    const body = { callbackUrl: 'https://shop.example' }
    for (const id of ['%20', 'i'.repeat(129)]) {
      const reply = await fixture.call('PUT', `/api/users/${id}/webhook`, { body })
      assertRefused(
        reply,
        400,
        'The identity must be a non-empty string of at most 128 characters.',
        'invalid_identity',
      )
    }
  })
})

describe('wallets', () => {
  const none = [503, 'No unassigned wallet is available. Try again later.', 'no_wallet_available'] as const
  const wallet = (id: string, network: Network) => ({ id, address: validAddress(network, id), network })

  test('are handed out once until their lease ends, by network; none left is 503 with Retry-After', async () => {
    for (const [path, network] of [
      ['niles/trx', 'TRX-NILE'],
      ['sep/eth', 'SEP'],
    ] as const) {
      assertRefused(await fixture.get(`/api/wallets/claim/${path}`), ...none)
      await fixture.push(
        ...['1', '2'].map((n) => ({
          id: `${network} ${n}`,
          type: 'wallet.created',
          wallet: wallet(`${network}-${n}`, network),
        })),
      )
      const head = await fixture.call('HEAD', `/api/wallets/claim/${path}`)
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const n of ['1', '2']) {
        const reply = await fixture.get(`/api/wallets/claim/${path}`)
        const { id, address } = wallet(`${network}-${n}`, network)
        assert.deepEqual([reply.status, reply.json], [200, { id, address }])
      }
      const empty = await fixture.get(`/api/wallets/claim/${path}`)
      assertRefused(empty, ...none)
      assert.ok(Number(empty.headers.get('retry-after')) > 0)
    }
  })

  test('of other pairs are 404', async () => {
    for (const path of ['niles/eth', 'sep/trx', 'sep', 'SEP/ETH', 'sep/eth/']) {
      assertRefused(await fixture.get(`/api/wallets/claim/${path}`), 404, 'Not found.', 'not_found')
    }
  })

  test('appear in the list of their owner, newest first, and move when they are reassigned', async () => {
    const wallets = ['a', 'b', 'c'].map((id) => ({ id: `listed-${id}`, address: `0x${id.repeat(40)}`, network: 'SEP' }))
    await fixture.assign(OWNER, ...wallets)
    const list = async (owner: string) => (await fixture.get(`/api/users/${owner}/wallets`)).json
    const listed = await list(OWNER)
    assert.deepEqual(
      listed.map(({ assigned_at, ...rest }: { assigned_at: number }) => {
        assert.ok(Math.abs(Date.now() - assigned_at) < 60_000)
        return rest
      }),
      wallets.toReversed(),
    )
    await fixture.push({ id: 'moved', type: 'wallet.assigned', wallet: { id: 'listed-b' }, owner: 'new owner' })
    const ids = (found: { id: string }[]) => found.map((one) => one.id)
    assert.deepEqual(ids(await list(OWNER)), ['listed-c', 'listed-a'])
    assert.deepEqual(ids(await list('new%20owner')), ['listed-b'])
    assert.deepEqual(await list('nobody'), [])
  })
})

describe('GET /api/identity/:id/exists', () => {
  const exists = async (id: string) => (await fixture.get(`/api/identity/${id}/exists`)).json
  test('knows whom the gateway onboarded or assigned a wallet, and nobody whom only a client named', async () => {
    assert.deepEqual(await exists('onboarded'), { exists: false })
    await fixture.push({ id: 'onboarding', type: 'identity.onboarded', identity: 'onboarded' })
    assert.deepEqual(await exists('onboarded'), { exists: true })
    await fixture.assign('assigned', {
      id: 'exists-wallet',
      address: '0x000000000000000000000000000000000000eeee',
      network: 'SEP',
    })
    assert.deepEqual(await exists('assigned'), { exists: true })
    await fixture.call('PUT', '/api/users/claimed/webhook', { body: { callbackUrl: 'https://shop.example' } })
    assert.deepEqual(await exists('claimed'), { exists: false })
    assert.deepEqual(await exists('i'.repeat(3000)), { exists: false })
  })
})

describe('a service without the sandbox', () => {
  test('has no sandbox routes', async () => {
    for (const [method, path] of [
      ['GET', '/sandbox'],
      ['POST', '/sandbox/ledger/'],
      ['POST', '/sandbox/deposits'],
      ['POST', '/sandbox/deposits/x/confirm'],
    ] as const) {
      assertRefused(await fixture.call(method, path), 404, 'Not found.', 'not_found')
    }
  })
})

describe('HTTP in general', () => {
  test('health and readiness', async () => {
    assert.deepEqual((await fixture.get('/healthz')).json, { status: 'ok' })
    assert.deepEqual((await fixture.get('/readyz')).json, { status: 'ready' })
  })

  test('unknown path 404, other method 405 with Allow, OPTIONS 204', async () => {
    assertRefused(await fixture.get('/api'), 404, 'Not found.', 'not_found')
    const reply = await fixture.call('PATCH', '/api/invoices')
    assertRefused(reply, 405, 'Method not allowed.', 'method_not_allowed')
    assert.equal(reply.headers.get('allow'), 'OPTIONS, POST')
    const options = await fixture.call('OPTIONS', `/api/users/${OWNER}/webhook`)
    assert.equal(options.status, 204)
    assert.equal(options.headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS, PUT')
  })

  test('CORS is off', async () => {
    const reply = await fixture.call('GET', '/healthz', { headers: { Origin: 'https://shop.example' } })
    assert.equal(reply.headers.get('access-control-allow-origin'), null)
  })
})
