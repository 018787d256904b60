import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Endpoint, endpoints } from '../../../src/http/endpoints.js'
import { always, MISSING as MISSING_STREAM, serveNode } from '../../ledger/node-server.js'
import { identityOf, onboarding } from '../../sandbox/sandbox-fixture.js'
import { assertRefused, type Reply, ServiceFixture } from '../../support/service-fixture.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'

/*
 * Strict mode through the whole service. An actor has an identity key, from which its identity follows, and API keys.
 */

const ONBOARDING_NAME = 'acme.onboarding'
const MINUTE_MS = 60_000

const MISSING = [401, 'Missing API key auth headers.', 'missing_auth_headers'] as const
const TIMESTAMP = [401, 'Request timestamp is too old or invalid.', 'invalid_timestamp'] as const
const SIGNATURE = [401, 'Invalid signature.', 'invalid_signature'] as const
const UNKNOWN = [401, 'Unknown API key.', 'unknown_api_key'] as const
const REVOKED = [401, 'This API key has been revoked.', 'api_key_revoked'] as const
const EXPIRED = [401, 'This API key has expired.', 'api_key_expired'] as const
const NOT_OWNER = [403, 'This API key acts for another identity.', 'not_owner'] as const
const UNKNOWN_IDENTITY = [403, 'This identity does not exist.', 'unknown_identity'] as const
const NOT_IDENTITY = [403, 'The request is not signed with the key of this identity.', 'not_identity_key'] as const
const INVALID_REGISTRATION =
  'An owner, a label, a compressed public key and at least one valid permission are required; ttlDays must be a positive number.'

const ALICE = actor('alice', (hex) => `0x${hex}`)
const BOB = actor('bob', (hex) => hex)
const WALLET = { id: 'strict-wallet', address: '0xabcd000000000000000000000000000000000031', network: 'SEP' }

interface Actor {
  readonly identity: string
  readonly identityKey: TestKey
  readonly apiKey: TestKey
}

function actor(name: string, spell: (hex: string) => string): Actor {
  const identityKey = testKey(`strict identity ${name}`)
  const onboarded = spell(identityKey.publicKeyHex)
  const identity = createHash('sha256')
    .update(onboarded + ONBOARDING_NAME)
    .digest('hex')
  return { identity, identityKey, apiKey: testKey(`strict api key ${name}`) }
}

function signed(key: TestKey, tag: string, text: string, timestamp = String(Date.now())): Record<string, string> {
  return {
    'X-Service-Api-Key': key.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(key, tag, timestamp, text),
  }
}

function registrationOf(owner: string, key: TestKey, more: Readonly<Record<string, unknown>> = {}): string {
  const fields = { owner, label: 'strict', publicKey: key.publicKeyHex, permissions: ['invoices:create'], ...more }
  return JSON.stringify(fields)
}

const REGISTER = 'POST /api/api-keys'
let fixture: ServiceFixture
/** Of an invoice of ALICE. */
let invoiceId = ''
/** Of an order of hers. */
let orderId = ''

function register(signer: TestKey, text: string, headers = signed(signer, REGISTER, text)): Promise<Reply> {
  return fixture.post('/api/api-keys', text, headers)
}

before(async () => {
  fixture = await ServiceFixture.start({
    BILLHOOK_STRICT: 'on',
    BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
    BILLHOOK_RATES: 'push',
  })
  await fixture.assign(ALICE.identity, WALLET)
  await fixture.push({ id: 'onboarded bob', type: 'identity.onboarded', identity: BOB.identity })
  for (const { identity, identityKey, apiKey } of [ALICE, BOB]) {
    const reply = await register(identityKey, registrationOf(identity, apiKey))
    assert.equal(reply.status, 201, reply.text)
  }
  const text = JSON.stringify({ walletIds: [WALLET.id], name: 'Order', amount: '31' })
  const created = await fixture.post('/api/invoices', text, signed(ALICE.apiKey, 'POST /api/invoices', text))
  assert.equal(created.status, 201, created.text)
  invoiceId = created.json.id
  const options = [{ walletIds: [WALLET.id], amount: '32' }]
  const order = JSON.stringify({ price: { amount: '9', currency: 'EUR' }, options, name: 'Order' })
  const ordered = await fixture.post('/api/orders', order, signed(ALICE.apiKey, 'POST /api/orders', order))
  assert.equal(ordered.status, 201, ordered.text)
  orderId = ordered.json.id
})
after(() => fixture.stop())

/** A route that needs the signature of a key of the owner. */
interface Protected {
  readonly tag: string
  /** The path for an owner. */
  path(owner: string): string
  /** The body for an owner; none when absent. */
  body?(owner: string): string
  /** What the route answers to the owner. */
  readonly status: number
}

const NO_SUCH = '0'.repeat(32)
const ROUTES: readonly Protected[] = [
  { tag: 'GET /api/users/:id/api-keys', path: (owner) => `/api/users/${owner}/api-keys`, status: 200 },
  { tag: 'GET /api/users/:id/invoices', path: (owner) => `/api/users/${owner}/invoices`, status: 200 },
  { tag: 'GET /api/invoices/:id', path: () => `/api/invoices/${invoiceId}`, status: 200 },
  { tag: 'GET /api/users/:id/orders', path: (owner) => `/api/users/${owner}/orders`, status: 200 },
  { tag: 'GET /api/orders/:id', path: () => `/api/orders/${orderId}`, status: 200 },
  { tag: 'GET /api/users/:id/wallets', path: (owner) => `/api/users/${owner}/wallets`, status: 200 },
  {
    tag: 'PUT /api/users/:id/webhook',
    path: (owner) => `/api/users/${owner}/webhook`,
    body: () => '{"callbackUrl": "https://shop.example/strict"}',
    status: 200,
  },
  { tag: 'GET /api/users/:id/webhook', path: (owner) => `/api/users/${owner}/webhook`, status: 200 },
  {
    tag: 'POST /api/users/:id/webhook/rotate',
    path: (owner) => `/api/users/${owner}/webhook/rotate`,
    body: () => '{"overlapSeconds": 0}',
    status: 200,
  },
  {
    tag: 'POST /api/users/:id/webhook/test',
    path: (owner) => `/api/users/${owner}/webhook/test`,
    status: 200,
  },
  { tag: 'GET /api/users/:id/events', path: (owner) => `/api/users/${owner}/events`, status: 200 },
  {
    tag: 'GET /api/users/:id/webhook/deliveries',
    path: (owner) => `/api/users/${owner}/webhook/deliveries`,
    status: 200,
  },
  {
    tag: 'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver',
    path: (owner) => `/api/users/${owner}/webhook/deliveries/${NO_SUCH}/redeliver`,
    status: 404,
  },
  {
    tag: 'POST /api/api-keys/:id/revoke',
    path: () => '/api/api-keys/0123456789abcdef/revoke',
    body: (owner) => JSON.stringify({ owner }),
    status: 404,
  },
  { tag: 'DELETE /api/users/:id/webhook', path: (owner) => `/api/users/${owner}/webhook`, status: 200 },
]

function call(route: Protected, owner: string, headers: Record<string, string>, body = route.body?.(owner)) {
  const [method = ''] = route.tag.split(' ')
  return fixture.call(method, route.path(owner), { headers, ...(body === undefined ? {} : { body }) })
}

function callSigned(route: Protected, owner: string, key: TestKey, tag = route.tag, timestamp?: string) {
  return call(route, owner, signed(key, tag, route.body?.(owner) ?? '', timestamp))
}

/** Everything of an owner that a route could show or change. */
async function stateOf({ identity, apiKey }: Actor): Promise<string> {
  const replies: Reply[] = []
  for (const path of ['api-keys', 'invoices', 'wallets', 'webhook', 'webhook/deliveries', 'events']) {
    const headers = signed(apiKey, `GET /api/users/:id/${path}`, '')
    replies.push(await fixture.call('GET', `/api/users/${identity}/${path}`, { headers }))
  }
  for (const reply of replies) assert.equal(reply.status, 200, reply.text)
  return replies.map(({ text }) => text).join('\n')
}

for (const route of ROUTES) {
  describe(`strict mode: ${route.tag}`, () => {
    test('answers a key of the owner, whatever its permissions, again and again within the window', async () => {
      const headers = signed(ALICE.apiKey, route.tag, route.body?.(ALICE.identity) ?? '')
      for (let times = 0; times < 2; times += 1) {
        const reply = await call(route, ALICE.identity, headers)
        assert.equal(reply.status, route.status, reply.text)
      }
      const other = testKey(`without permission ${route.tag}`)
      const text = registrationOf(ALICE.identity, other, { permissions: ['payments:send'] })
      assert.equal((await register(ALICE.identityKey, text)).status, 201)
      assert.equal((await callSigned(route, ALICE.identity, other)).status, route.status)
    })

    test('refuses everybody else, and changes nothing', async () => {
      const was = await stateOf(ALICE)
      const owner = ALICE.identity
      const [method = '', pattern = ''] = route.tag.split(' ')
      assertRefused(await call(route, owner, {}), ...MISSING)
      const { 'X-Service-Timestamp': _left, ...two } = signed(ALICE.apiKey, route.tag, route.body?.(owner) ?? '')
      assertRefused(await call(route, owner, two), ...MISSING)
      for (const offset of [-6 * MINUTE_MS, 6 * MINUTE_MS]) {
        const timestamp = String(Date.now() + offset)
        assertRefused(await callSigned(route, owner, ALICE.apiKey, route.tag, timestamp), ...TIMESTAMP)
      }
      const otherMethod = method === 'GET' ? 'PUT' : 'GET'
      for (const tag of [`${method} ${route.path(owner)}`, `${otherMethod} ${pattern}`, 'POST /api/invoices', '']) {
        assertRefused(await callSigned(route, owner, ALICE.apiKey, tag), ...SIGNATURE)
      }
      const overAnother = signed(ALICE.apiKey, route.tag, '{"another": "body"}')
      assertRefused(await call(route, owner, overAnother), ...SIGNATURE)
      assertRefused(await callSigned(route, owner, BOB.apiKey), ...NOT_OWNER)
      assertRefused(await callSigned(route, owner, testKey('a stranger')), ...UNKNOWN)
      assertRefused(await callSigned(route, owner, ALICE.identityKey), ...UNKNOWN)
      assert.equal(await stateOf(ALICE), was)
    })

    test('refuses a revoked and an expired key of the owner', async () => {
      const [revoked, expired] = [testKey(`revoked ${route.tag}`), testKey(`expired ${route.tag}`)]
      const { json } = await register(ALICE.identityKey, registrationOf(ALICE.identity, revoked))
      const text = JSON.stringify({ owner: ALICE.identity })
      const headers = signed(ALICE.apiKey, 'POST /api/api-keys/:id/revoke', text)
      assert.equal((await fixture.post(`/api/api-keys/${json.id}/revoke`, text, headers)).status, 200)
      const short = await register(ALICE.identityKey, registrationOf(ALICE.identity, expired, { ttlDays: 1e-9 }))
      assert.equal(short.status, 201)
      while (Date.now() <= short.json.expires_at) await new Promise((resolve) => setImmediate(resolve))
      const was = await stateOf(ALICE)
      assertRefused(await callSigned(route, ALICE.identity, revoked), ...REVOKED)
      assertRefused(await callSigned(route, ALICE.identity, expired), ...EXPIRED)
      assert.equal(await stateOf(ALICE), was)
    })
  })
}

describe('strict mode: identities in paths', () => {
  test('are compared exactly, so that no other spelling reaches the owner', async () => {
    const spellings = [
      ALICE.identity.toUpperCase(),
      `%20${ALICE.identity}`,
      `${ALICE.identity}%20`,
      `${ALICE.identity}%00`,
      `${ALICE.identity}%2F`,
    ]
    const was = await stateOf(ALICE)
    for (const spelling of spellings) {
      for (const route of ROUTES.filter(({ tag }) => tag.includes('/users/'))) {
        assertRefused(await callSigned(route, spelling, ALICE.apiKey), ...NOT_OWNER)
      }
    }
    assert.equal(await stateOf(ALICE), was)
  })

  test('an invoice that is not there is told to any key, and to nobody without', async () => {
    for (const id of [NO_SUCH, 'x']) {
      const headers = signed(BOB.apiKey, 'GET /api/invoices/:id', '')
      const reply = await fixture.call('GET', `/api/invoices/${id}`, { headers })
      assertRefused(reply, 404, 'No such invoice.', 'invoice_not_found')
      assertRefused(await fixture.get(`/api/invoices/${id}`), ...MISSING)
    }
  })

  test('HEAD is signed as GET is', async () => {
    const path = `/api/users/${ALICE.identity}/webhook`
    const headers = signed(ALICE.apiKey, 'GET /api/users/:id/webhook', '')
    assert.equal((await fixture.call('HEAD', path, { headers })).status, 200)
    assert.equal((await fixture.call('HEAD', path)).status, 401)
  })
})

describe('strict mode: registration', () => {
  /** Sends, expects the refusal, and that neither party got a key. */
  async function refused(refusal: readonly [number, string, string], reply: () => Promise<Reply>): Promise<void> {
    const was = [await stateOf(ALICE), await stateOf(BOB)]
    assertRefused(await reply(), ...refusal)
    assert.deepEqual([await stateOf(ALICE), await stateOf(BOB)], was)
  }

  const fresh = testKey('never registered')

  test('needs a signature', async () => {
    const text = registrationOf(ALICE.identity, fresh)
    await refused(MISSING, () => register(ALICE.identityKey, text, {}))
    const { 'X-Service-Signature': _left, ...two } = signed(ALICE.identityKey, REGISTER, text)
    await refused(MISSING, () => register(ALICE.identityKey, text, two))
  })

  test("needs the identity's own: no other identity's, no API key's, not the new key's", async () => {
    const text = registrationOf(ALICE.identity, fresh)
    for (const signer of [BOB.identityKey, ALICE.apiKey, BOB.apiKey, fresh]) {
      await refused(NOT_IDENTITY, () => register(signer, text))
    }
    const owners = [ALICE.identity.toUpperCase(), 'alice', BOB.identity]
    for (const owner of owners) {
      await refused(NOT_IDENTITY, () => register(ALICE.identityKey, registrationOf(owner, fresh)))
    }
  })

  test('needs the tag, the body and the time that were signed', async () => {
    const text = registrationOf(ALICE.identity, fresh)
    for (const tag of ['POST /api/invoices', 'POST /api/api-keys/', 'POST /api/api-keys/:id/revoke']) {
      await refused(SIGNATURE, () => register(ALICE.identityKey, text, signed(ALICE.identityKey, tag, text)))
    }
    const other = signed(ALICE.identityKey, REGISTER, registrationOf(ALICE.identity, testKey('another')))
    await refused(SIGNATURE, () => register(ALICE.identityKey, text, other))
    for (const offset of [-6 * MINUTE_MS, 6 * MINUTE_MS]) {
      const timestamp = String(Date.now() + offset)
      const headers = signed(ALICE.identityKey, REGISTER, text, timestamp)
      await refused(TIMESTAMP, () => register(ALICE.identityKey, text, headers))
    }
  })

  test('says what is wrong with a body only to who signed it', async () => {
    const invalid = [400, INVALID_REGISTRATION, 'invalid_api_key_registration'] as const
    for (const text of ['{}', '{"owner": 5}', registrationOf(ALICE.identity, fresh, { label: '' })]) {
      await refused(invalid, () => register(ALICE.identityKey, text))
      await refused(MISSING, () => register(ALICE.identityKey, text, {}))
    }
    const json = [400, 'The request body must be a JSON object in valid UTF-8.', 'invalid_json'] as const
    await refused(json, () => register(ALICE.identityKey, '['))
  })

  test('takes the identity key in any spelling, and a replay registers nothing', async () => {
    const { identity, identityKey } = ALICE
    const hex = identityKey.publicKeyHex
    for (const [i, spelling] of [hex, hex.toUpperCase(), `0x${hex}`, `0x${hex.toUpperCase()}`].entries()) {
      const text = registrationOf(identity, testKey(`spelling ${i}`))
      const headers = { ...signed(identityKey, REGISTER, text), 'X-Service-Api-Key': spelling }
      const reply = await register(identityKey, text, headers)
      assert.equal(reply.status, 201, reply.text)
      assert.equal(reply.json.owner, identity)
      const conflict = [409, 'This public key is already registered.', 'public_key_registered'] as const
      await refused(conflict, () => register(identityKey, text, headers))
    }
  })
})

describe('strict mode: the rest', () => {
  test('a revocation reaches keys of the owner only, and holds at once', async () => {
    const victim = testKey('to be revoked')
    const { json } = await register(ALICE.identityKey, registrationOf(ALICE.identity, victim))
    const revoke = (owner: string, signer: TestKey) => {
      const text = JSON.stringify({ owner })
      const headers = signed(signer, 'POST /api/api-keys/:id/revoke', text)
      return fixture.post(`/api/api-keys/${json.id}/revoke`, text, headers)
    }
    const was = await stateOf(ALICE)
    assertRefused(
      await revoke(BOB.identity, BOB.apiKey),
      403,
      'This API key belongs to another identity.',
      'not_key_owner',
    )
    assertRefused(await revoke(ALICE.identity, BOB.apiKey), ...NOT_OWNER)
    assertRefused(await revoke(' ', ALICE.apiKey), 400, 'An owner is required.', 'owner_required')
    assert.equal(await stateOf(ALICE), was)
    // A key may revoke itself.
    assert.equal((await revoke(ALICE.identity, victim)).status, 200)
    assertRefused(await revoke(ALICE.identity, victim), ...REVOKED)
  })

  test('invoices are created by signature only', async () => {
    const body = { walletIds: [WALLET.id], name: 'Order', amount: '1', owner: ALICE.identity }
    const was = await stateOf(ALICE)
    assertRefused(await fixture.post('/api/invoices', body), ...MISSING)
    const ownPage = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
    assertRefused(await fixture.post('/api/invoices', body, ownPage), ...MISSING)
    assert.equal(await stateOf(ALICE), was)
    const created = await fixture.createSigned(ALICE.apiKey, body)
    assert.equal(created.status, 201, created.text)
    // The payer has the link, and gets the page and nothing else.
    assertRefused(await fixture.get(`/api/invoices/${created.json.id}`), ...MISSING)
    assert.equal((await fixture.get(`/pay/${created.json.id}`)).status, 200)
  })

  test('strict mode wins over BILLHOOK_UNSIGNED', async (t) => {
    const both = await ServiceFixture.start({
      BILLHOOK_STRICT: 'on',
      BILLHOOK_UNSIGNED: 'on',
      BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
    })
    t.after(() => both.stop())
    assertRefused(await both.post('/api/invoices', { owner: 'shop' }), ...MISSING)
  })

  test("in the sandbox, the simulated ledger's onboarding name counts, and who is onboarded there", async (t) => {
    const sandbox = await ServiceFixture.start({ BILLHOOK_STRICT: 'on', BILLHOOK_SANDBOX: 'on' })
    t.after(() => sandbox.stop())
    const place = (await sandbox.get('/sandbox')).json
    const { identityKey } = ALICE
    const identity = identityOf(`0x${identityKey.publicKeyHex}`, place.onboardingName)
    const text = registrationOf(identity, testKey('in the sandbox'))
    const register = () => sandbox.post('/api/api-keys', text, signed(identityKey, REGISTER, text))
    assertRefused(await register(), ...UNKNOWN_IDENTITY)
    await sandbox.post('/sandbox/ledger/', onboarding(place, identityKey))
    // The ledger tells the service a little later.
    let reply = await register()
    for (let tries = 0; reply.status === 403 && tries < 100; tries += 1) {
      await setTimeout(50)
      reply = await register()
    }
    assert.equal(reply.status, 201, reply.text)
  })
})

/** Whether a question to a node is about an identity. At its start the service asks each node whether it is one. */
function isOfIdentity(path = ''): boolean {
  return path.startsWith('/api/stream/') && !path.includes('0'.repeat(64))
}

describe('registration in strict mode, of an identity that is not known here', () => {
  const CAROL = actor('carol', (hex) => `0x${hex}`)
  const text = registrationOf(CAROL.identity, CAROL.apiKey)

  /** What a service answers whose ledger answers so; none without an answer. */
  async function registered(t: TestContext, answer?: RequestListener) {
    const asked: (string | undefined)[] = []
    const url =
      answer === undefined
        ? undefined
        : await serveNode(t, (request, response) => {
            if (isOfIdentity(request.url)) asked.push(request.url)
            answer(request, response)
          })
    const strict = await ServiceFixture.start({
      BILLHOOK_STRICT: 'on',
      BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
      ...(url === undefined ? {} : { BILLHOOK_LEDGER_URL: url }),
    })
    t.after(() => strict.stop())
    const reply = await strict.post('/api/api-keys', text, signed(CAROL.identityKey, REGISTER, text))
    return { reply, asked }
  }

  test('is refused without a ledger', async (t) => {
    assertRefused((await registered(t)).reply, ...UNKNOWN_IDENTITY)
  })

  test('is refused when the ledger does not have it', async (t) => {
    const { reply, asked } = await registered(t, always(500, MISSING_STREAM))
    assertRefused(reply, ...UNKNOWN_IDENTITY)
    assert.deepEqual(asked, [`/api/stream/${CAROL.identity}:stream`])
  })

  test('works when the ledger has it', async (t) => {
    const stream = { authorities: [{ public: `0x${CAROL.identityKey.publicKeyHex}` }], txs: ['0'.repeat(64)] }
    const { reply } = await registered(t, always(200, JSON.stringify({ stream })))
    assert.equal(reply.status, 201, reply.text)
  })

  test('is undecided when the ledger does not answer', async (t) => {
    const { reply } = await registered(t, always(500, '{}'))
    assertRefused(reply, 503, 'The ledger could not be reached. Try again later.', 'ledger_unreachable')
  })

  test('is undecided when the ledger tells no keys of it', async (t) => {
    const { reply } = await registered(t, always(200, '{"stream":{}}'))
    assertRefused(reply, 503, 'The ledger could not be reached. Try again later.', 'ledger_unreachable')
  })

  test('is refused for a bad signature first, without a question to the ledger', async (t) => {
    const asked: (string | undefined)[] = []
    const url = await serveNode(t, ({ url: path }) => {
      if (isOfIdentity(path)) asked.push(path)
    })
    const strict = await ServiceFixture.start({
      BILLHOOK_STRICT: 'on',
      BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
      BILLHOOK_LEDGER_URL: url,
    })
    t.after(() => strict.stop())
    const headers = {
      ...signed(ALICE.identityKey, REGISTER, text),
      'X-Service-Api-Key': CAROL.identityKey.publicKeyHex,
    }
    assertRefused(await strict.post('/api/api-keys', text, headers), ...SIGNATURE)
    assert.deepEqual(asked, [])
  })
})

test('every endpoint that is not open on purpose asks for a signature', async () => {
  const open = [
    'GET /api/info',
    'GET /api/identity/:id/exists',
    'GET /api/rates',
    'GET /api/wallets/claim/:chain/:coin',
    'GET /api/wallets/claim/niles/trx',
    'GET /api/wallets/claim/sep/eth',
    'GET /app',
    'GET /app/:file',
    'GET /docs',
    'GET /docs/:file',
    'GET /healthz',
    'GET /openapi.json',
    'GET /order/:id',
    'GET /order/:id/events',
    'GET /order/:id/qr/:file',
    'GET /pay/:id',
    'GET /pay/:id/events',
    'GET /pay/:id/qr/:file',
    'GET /pay/shop/logo/:file',
    'GET /pay/shop/wallet/:file',
    'GET /readyz',
    // On a listener of its own.
    'GET /metrics',
    // In a sandbox only.
    'GET /sandbox',
    'GET /sandbox/ledger/activeledgerevents/umids',
    'GET /sandbox/ledger/api/stream/:id',
    'GET /sandbox/ledger/api/tx/:umid',
    'POST /sandbox/deposits',
    'POST /sandbox/deposits/:txHash/confirm',
    'POST /sandbox/deposits/:txHash/drop',
    'POST /sandbox/ledger',
    'POST /sandbox/ledger/',
    'POST /sandbox/rates',
  ]
  // The gateway's HMAC.
  const pushed = ['POST /internal/events', 'POST /internal/rates']
  const signed = [
    'POST /api/invoices',
    'POST /api/invoices/:id/void',
    'POST /api/invoices/:id/accept',
    'POST /api/orders',
    'POST /api/orders/:id/void',
    'POST /api/orders/:id/accept',
    REGISTER,
    ...ROUTES.map(({ tag }) => tag),
  ]
  // Those of `admin.sock` and of the console do not exist on the port.
  const isOnPort = ([, { access }]: readonly [string, Endpoint]) => access !== 'admin' && access !== 'console'
  const declared = Object.entries(endpoints)
    .filter(isOnPort)
    .map(([tag]) => tag)
  assert.deepEqual(declared.toSorted(), [...open, ...pushed, ...signed].sort())
  for (const tag of declared.filter((one) => !open.includes(one))) {
    const [method = '', pattern = ''] = tag.split(' ')
    const path = pattern.replace(/:\w+/g, 'x')
    const reply = await fixture.call(method, path, method === 'GET' ? {} : { body: { owner: 'x' } })
    if (pushed.includes(tag)) assertRefused(reply, 401, 'Invalid gateway signature.', 'invalid_gateway_signature')
    else assertRefused(reply, ...MISSING)
  }
})
