import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { CREATIONS, type CreationName } from '../../bench/ordinary/creation.js'
import { type OrdinaryStack, startOrdinary } from '../../bench/ordinary/start.js'
import { signDer, signRequest, testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { type Answer, answerOf, create, ROUTE_TAG, send, show } from './ordinary-client.js'

const UNPAID_MESSAGE = (amount: string, currency: string) =>
  `An unpaid invoice for this exact amount (${amount} ${currency}) already exists on this wallet - use a different amount, or wait for it to be paid.`

const key = testKey('ordinary owner')
const revoked = testKey('ordinary revoked')
const expired = testKey('ordinary expired')
const powerless = testKey('ordinary powerless')
const OWNER = 'owner-1'
const wallets = ['a', 'b', 'c', 'd', 'paid'].map((id) => ({
  id,
  owner: OWNER,
  address: `0xAb${id}`,
  network: 'SEP' as const,
}))

for (const creation of Object.keys(CREATIONS) as CreationName[]) {
  describe(`the ordinary stack, ${creation}`, () => testStack(creation))
}

function testStack(creation: CreationName): void {
  const place = temporaryDirectory()
  let stack: OrdinaryStack | undefined
  let reason = ''

  before(async () => {
    try {
      stack = await startOrdinary(join(place.path, 'ordinary'), creation, {
        signers: [
          { owner: OWNER, publicKeyHex: key.publicKeyHex },
          { owner: OWNER, publicKeyHex: revoked.publicKeyHex, revokedAt: Date.now() - 1, expiresAt: Date.now() - 1 },
          { owner: OWNER, publicKeyHex: expired.publicKeyHex, expiresAt: Date.now() - 1, permissions: [] },
          { owner: OWNER, publicKeyHex: powerless.publicKeyHex, permissions: ['payments:send'] },
        ],
        wallets: [...wallets, { id: 'foreign', owner: 'owner-2', address: '0xff', network: 'SEP' }],
        deposits: [deposit('0xabPAID', '7500000', 'confirmed', 0), deposit('0xabPAID', '1000000', 'pending', 1)],
      })
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    }
  })
  after(async () => {
    await stack?.stop()
    place.remove()
  })

  /** Runs what needs the stack; without PostgreSQL it is skipped, and the reason printed. */
  function testWith(name: string, run: (url: string) => Promise<void>): void {
    test(name, async (context: TestContext) => {
      if (stack === undefined) context.skip(reason)
      else await run(stack.url)
    })
  }

  testWith('tells the versions of its parts', async () => {
    assert.match(stack?.version ?? '', /^Fastify 5\.\d+\.\d+, pg 8\.\d+\.\d+, PostgreSQL 18\.\d+$/)
  })

  testWith('creates an invoice and shows it with its payment', async (url) => {
    const startedAt = Date.now()
    const body = { owner: 'somebody', walletIds: ['b', 'a', 'b'], name: ' Order 1 ', amount: '1.50', reference: 'r 1' }
    const { status, json, location } = await create(url, key, body)
    assert.equal(status, 201)
    const id = String(json['id'])
    assert.match(id, /^[0-9a-f]{12}7[0-9a-f]{19}$/)
    assert.deepEqual(json, { id, url: `/pay/${id}` })
    assert.equal(location, `/api/invoices/${id}`)
    const shown = await show(url, id)
    assert.equal(shown.status, 200)
    const { created_at, ...rest } = shown.json
    assert.ok(Number(created_at) >= startedAt && Number(created_at) <= Date.now())
    assert.deepEqual(rest, {
      id,
      owner: OWNER,
      wallet_id: 'b',
      wallet_ids: 'b,a',
      name: 'Order 1',
      description: null,
      reference: 'r 1',
      amount: '1.50',
      currency: 'native',
      callback_url: null,
      payment: { status: 'unpaid', received: '0', pending: '0', remaining: '1.5', overpaid: '0', own: '0' },
    })
  })

  testWith('knows no other invoices and no other paths', async (url) => {
    assertRefused(await show(url, '0'.repeat(32)), 404, 'No such invoice.', 'invoice_not_found')
    assertRefused(await show(url, 'x'), 404, 'No such invoice.', 'invoice_not_found')
    assertRefused(await answerOf(fetch(`${url}/api`)), 404, 'Not found.', 'not_found')
  })

  testWith('accepts a signature with a high s', async (url) => {
    const body = JSON.stringify(order('a', '2'))
    const timestamp = String(Date.now())
    const signature = signDer(Buffer.from(`${ROUTE_TAG}\n${timestamp}\n${body}`), key, 'high').toString('base64')
    assert.equal((await send(url, body, key.publicKeyHex, timestamp, signature)).status, 201)
  })

  testWith('refuses what is not signed properly, the first failure first', async (url) => {
    const body = JSON.stringify(order('a', '3'))
    const now = String(Date.now())
    const old = String(Date.now() - 301_000)
    const signature = signRequest(key, ROUTE_TAG, now, body)
    const invalid = [401, 'Invalid signature.', 'invalid_signature'] as const
    assertRefused(await send(url, `${body} `, key.publicKeyHex, now, signature), ...invalid)
    assertRefused(await send(url, body, key.publicKeyHex, now, `${signature}!`), ...invalid)
    assertRefused(await send(url, body, `02${'f'.repeat(64)}`, now, signature), ...invalid)
    assertRefused(
      await send(url, body, key.publicKeyHex, old, signature),
      ...([401, 'Request timestamp is too old or invalid.', 'invalid_timestamp'] as const),
    )
    assertRefused(
      await send(url, body, key.publicKeyHex, now, ''),
      ...([401, 'Missing API key auth headers.', 'missing_auth_headers'] as const),
    )
  })

  testWith('refuses keys that may not create invoices before it looks at the body', async (url) => {
    for (const body of [order('a', '4'), { name: 'no amount' }]) {
      const stranger = testKey('ordinary stranger')
      assertRefused(await create(url, stranger, body), 401, 'Unknown API key.', 'unknown_api_key')
      assertRefused(await create(url, revoked, body), 401, 'This API key has been revoked.', 'api_key_revoked')
      assertRefused(await create(url, expired, body), 401, 'This API key has expired.', 'api_key_expired')
      const message = "This API key does not have the 'invoices:create' permission."
      assertRefused(await create(url, powerless, body), 401, message, 'permission_missing')
    }
  })

  testWith('refuses bodies and wallets that the specification refuses', async (url) => {
    const invalid = 'Missing owner, walletIds or name, or a non-positive amount.'
    assertRefused(await create(url, key, order('a', '0')), 400, invalid, 'invalid_invoice')
    assertRefused(
      await create(url, key, { ...order('a', '5'), currency: 'EUR' }),
      ...([400, 'Unsupported currency.', 'unsupported_currency'] as const),
    )
    for (const walletIds of [['unknown'], ['foreign'], ['a', 'foreign']]) {
      const refusal = await create(url, key, { ...order('a', '5'), walletIds, callbackUrl: 'ftp://x' })
      assertRefused(refusal, 400, 'Every wallet must belong to this identity.', 'wallet_not_owned')
    }
    assertRefused(
      await create(url, key, { ...order('a', '5'), callbackUrl: 'ftp://x' }),
      ...([400, 'callbackUrl must be a valid http(s) URL.', 'invalid_callback_url'] as const),
    )
  })

  testWith('refuses an equal amount on a shared wallet, and a reference that is taken before that', async (url) => {
    const first = { ...order('a', '10.0', 'USDT'), walletIds: ['a', 'c'], reference: 'taken' }
    assert.equal((await create(url, key, first)).status, 201)
    const equal = { ...order('a', '10.000', 'USDT'), walletIds: ['b', 'c'] }
    assertRefused(await create(url, key, equal), 409, UNPAID_MESSAGE('10.000', 'USDT'), 'amount_in_use')
    const taken = 'This reference id is already in use by another invoice.'
    assertRefused(await create(url, key, { ...equal, reference: 'taken' }), 409, taken, 'reference_in_use')
    assertRefused(await create(url, key, { ...first, amount: '11' }), 409, taken, 'reference_in_use')
    assert.equal((await create(url, key, { ...equal, currency: 'native' })).status, 201)
    assert.equal((await create(url, key, { ...equal, walletIds: ['b'] })).status, 201)
  })

  testWith('counts what was deposited, and frees an amount once it is paid', async (url) => {
    for (let n = 0; n < 2; n += 1) {
      const { status, json } = await create(url, key, order('paid', '7.5', 'USDT'))
      assert.equal(status, 201)
      const payment = { status: 'paid', received: '7.5', pending: '1', remaining: '0', overpaid: '0', own: '7.5' }
      assert.deepEqual((await show(url, String(json['id']))).json['payment'], payment)
    }
    assert.equal((await create(url, key, order('paid', '8', 'USDT'))).status, 201)
    const refusal = await create(url, key, order('paid', '8', 'USDT'))
    assertRefused(refusal, 409, UNPAID_MESSAGE('8', 'USDT'), 'amount_in_use')
  })

  testWith('creates exactly one of many that collide at the same time', async (url) => {
    const shared = [['d'], ['d', 'a'], ['b', 'd'], ['d', 'c', 'b']]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => create(url, key, { ...order('d', '20'), walletIds: shared[n % 4] ?? [] })),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [201, ...Array.from({ length: 49 }, () => 409)])
  })

  testWith('gives a reference once when many ask for it at the same time', async (url) => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        create(url, key, { ...order(['a', 'b', 'c', 'd'][n % 4] ?? '', `30.${n + 1}5`), reference: 'wanted' }),
      ),
    )
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1)
    for (const answer of answers) if (answer.status !== 201) assert.equal(answer.json['code'], 'reference_in_use')
  })
}

test('the ordinary stack says why it cannot start', async () => {
  const place = temporaryDirectory()
  const wallet = { id: 'twice', owner: OWNER, address: '0x1', network: 'SEP' as const }
  const started = startOrdinary(place.path, 'statements', { signers: [], wallets: [wallet, wallet] })
  await assert.rejects(started, /PostgreSQL cannot be started here|duplicate key/)
  place.remove()
})

function order(wallet: string, amount: string, currency = 'native') {
  return { walletIds: [wallet], name: 'Order', amount, currency }
}

/** Received so late that it counts for every invoice of the test. */
function deposit(toAddress: string, amount: string, kind: 'pending' | 'confirmed', index: number) {
  const receivedAt = Date.now() + 3_600_000
  return { network: 'SEP' as const, txHash: '0x1', index, toAddress, currency: 'Tether', amount, kind, receivedAt }
}

function assertRefused(answer: Answer, status: number, error: string, code: string): void {
  assert.deepEqual({ status: answer.status, json: answer.json }, { status, json: { error, code } })
}
