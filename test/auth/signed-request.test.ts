import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRefused, type Reply, ServiceFixture, signedHeaders } from '../support/service-fixture.js'
import { encodeDer, ORDER, signDer, signRequest, type TestKey, testKey } from '../support/signing.js'

const OWNER = 'signer'
const KEY = testKey('signer')
const WALLET = { id: 'signed-wallet', address: '0xabcd000000000000000000000000000000000011', network: 'SEP' }
const TAG = 'POST /api/invoices'
const MINUTE_MS = 60_000
const SCALAR_BYTES = 32

const MISSING = [401, 'Missing API key auth headers.', 'missing_auth_headers'] as const
const TIMESTAMP = [401, 'Request timestamp is too old or invalid.', 'invalid_timestamp'] as const
const SIGNATURE = [401, 'Invalid signature.', 'invalid_signature'] as const

let fixture: ServiceFixture
let amounts = 0

before(async () => {
  fixture = await ServiceFixture.start()
  await fixture.assign(OWNER, WALLET)
  assert.equal((await fixture.register(OWNER, KEY)).status, 201)
})
after(() => fixture.stop())

function body(): string {
  amounts += 1
  return JSON.stringify({ walletIds: [WALLET.id], name: 'Order', amount: `${amounts}` })
}

function send(text: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  return fixture.post('/api/invoices', text, headers)
}

/** Sends, expects the refusal, and that the owner's invoices are as they were. */
async function refused(
  refusal: readonly [number, string, string],
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const was = (await fixture.get(`/api/users/${OWNER}/invoices`)).text
  assertRefused(await send(text, headers), ...refusal)
  assert.equal((await fixture.get(`/api/users/${OWNER}/invoices`)).text, was)
}

function headersWith(
  key: TestKey,
  text: string,
  change: Readonly<Record<string, string>>,
  timestamp = String(Date.now()),
) {
  return { ...signedHeaders(key, text, timestamp), ...change }
}

describe('a signed request is accepted', () => {
  test('with the key in either case, with and without 0x, whatever way it was registered', async () => {
    const hex = KEY.publicKeyHex
    for (const spelling of [hex, hex.toUpperCase(), `0x${hex}`, `0x${hex.toUpperCase()}`]) {
      const text = body()
      const reply = await send(text, headersWith(KEY, text, { 'X-Service-Api-Key': spelling }))
      assert.equal(reply.status, 201, `${spelling}: ${reply.text}`)
    }
  })

  test('with low s and with high s, padded and unpadded base64', async () => {
    for (const s of ['low', 'high'] as const) {
      for (const isPadded of [true, false]) {
        const [text, timestamp] = [body(), String(Date.now())]
        const der = signDer(Buffer.from(`${TAG}\n${timestamp}\n${text}`), KEY, s)
        const base64 = der.toString('base64')
        const signature = isPadded ? base64 : base64.replace(/=+$/, '')
        const reply = await send(text, headersWith(KEY, text, { 'X-Service-Signature': signature }, timestamp))
        assert.equal(reply.status, 201, reply.text)
      }
    }
  })

  test('within five minutes of the clock, either side', async () => {
    for (const offset of [-5 * MINUTE_MS + 5000, 5 * MINUTE_MS - 5000]) {
      const reply = await fixture.createSigned(KEY, body(), String(Date.now() + offset))
      assert.equal(reply.status, 201, reply.text)
    }
  })

  test('as the owner of the key', async () => {
    const text = JSON.stringify({ ...JSON.parse(body()), owner: 'somebody else' })
    const { json } = await fixture.createSigned(KEY, text)
    assert.equal((await fixture.get(`/api/invoices/${json.id}`)).json.owner, OWNER)
  })
})

describe('headers', () => {
  test('one or two of the three, or an empty one, are not enough', async () => {
    const text = body()
    const all = Object.entries(signedHeaders(KEY, text, String(Date.now())))
    for (let some = 1; some < 7; some += 1) {
      await refused(MISSING, text, Object.fromEntries(all.filter((_header, i) => (some >> i) % 2 === 1)))
    }
    for (const [name] of all) await refused(MISSING, text, { ...Object.fromEntries(all), [name]: '' })
  })

  test('a duplicate does not win over the original, nor the original over it', async () => {
    const text = body()
    const headers = Object.entries(signedHeaders(KEY, text, String(Date.now())))
    for (const [name, value] of headers) {
      const doubled: [string, string][] = [...headers, [name, value]]
      const was = (await fixture.get(`/api/users/${OWNER}/invoices`)).text
      const response = await fetch(`${fixture.url}/api/invoices`, {
        method: 'POST',
        body: text,
        headers: doubled,
      })
      const reply = { status: response.status, headers: response.headers, text: '', json: await response.json() }
      const [status, error, code] = name === 'X-Service-Timestamp' ? TIMESTAMP : SIGNATURE
      assertRefused(reply, status, error, code)
      assert.equal((await fixture.get(`/api/users/${OWNER}/invoices`)).text, was)
    }
  })
})

describe('the timestamp', () => {
  const now = Date.now()
  for (const [what, timestamp] of [
    ['too old', String(now - 6 * MINUTE_MS)],
    ['too new', String(now + 6 * MINUTE_MS)],
    ['in seconds', String(Math.floor(now / 1000))],
    ['in microseconds', `${now}000`],
    ['NaN', 'NaN'],
    ['an exponent', '1e12'],
    ['a decimal', `${now}.0`],
    ['a sign', `+${now}`],
    ['negative', `-${now}`],
    ['hexadecimal', `0x${now.toString(16)}`],
    ['an ISO date', new Date(now).toISOString()],
    ['a word', 'now'],
    ['very long', '9'.repeat(400)],
  ] as const) {
    test(`refused: ${what}`, async () => {
      const text = body()
      await refused(TIMESTAMP, text, signedHeaders(KEY, text, timestamp))
    })
  }
})

describe('the signature is invalid', () => {
  test('over another body, timestamp or route tag', async () => {
    const text = body()
    const timestamp = String(Date.now())
    const headers = signedHeaders(KEY, text, timestamp)
    await refused(SIGNATURE, text.replace('Order', 'order'), headers)
    await refused(SIGNATURE, `${text} `, headers)
    await refused(SIGNATURE, JSON.stringify(JSON.parse(text), null, 1), headers)
    await refused(SIGNATURE, text, { ...headers, 'X-Service-Timestamp': String(Number(timestamp) + 1) })
    await refused(SIGNATURE, text, { ...headers, 'X-Service-Timestamp': `0${timestamp}` })
    for (const tag of ['POST /api/invoices/', 'post /api/invoices', 'POST /api/api-keys', '']) {
      await refused(SIGNATURE, text, { ...headers, 'X-Service-Signature': signRequest(KEY, tag, timestamp, text) })
    }
  })

  test('by another key, registered or not', async () => {
    const text = body()
    const other = testKey('other')
    const timestamp = String(Date.now())
    const signature = signRequest(other, TAG, timestamp, text)
    await refused(SIGNATURE, text, headersWith(KEY, text, { 'X-Service-Signature': signature }, timestamp))
    const unknown = headersWith(KEY, text, { 'X-Service-Api-Key': testKey('third').publicKeyHex }, timestamp)
    await refused(SIGNATURE, text, unknown)
  })

  const malformed: readonly (readonly [string, (good: Buffer) => string])[] = [
    ['hex instead of base64', (good) => good.toString('hex')],
    ['base64url', () => '_-_-'],
    [
      'base64 with a line end inside',
      (good) => `${good.toString('base64').slice(0, 20)} ${good.toString('base64').slice(20)}`,
    ],
    ['truncated base64', (good) => good.toString('base64').slice(0, -5)],
    ['no base64 at all', () => '!!!'],
    ['truncated DER', (good) => good.subarray(0, -1).toString('base64')],
    ['DER with a byte behind it', (good) => Buffer.concat([good, Buffer.of(0)]).toString('base64')],
    ['DER whose r has a padding zero', (good) => padded(good).toString('base64')],
    ['r and s as 64 raw bytes', () => Buffer.alloc(64, 1).toString('base64')],
    ['r = 0', () => encodeDer(0n, 1n).toString('base64')],
    ['s = n', () => encodeDer(1n, ORDER).toString('base64')],
    ['an empty sequence', () => Buffer.of(0x30, 0).toString('base64')],
    ['4000 characters', () => 'A'.repeat(4000)],
  ]
  for (const [what, change] of malformed) {
    test(what, async () => {
      const text = body()
      let timestamp = Date.now()
      const sign = () => signDer(Buffer.from(`${TAG}\n${timestamp}\n${text}`), KEY)
      let good = sign()
      // One whose r begins with a zero is refused for its length when it is padded by another.
      for (; good[3] !== SCALAR_BYTES; good = sign()) timestamp += 1
      const changed = { 'X-Service-Signature': change(good) }
      await refused(SIGNATURE, text, headersWith(KEY, text, changed, String(timestamp)))
    })
  }

  for (const [what, key] of [
    ['too short', KEY.publicKeyHex.slice(2)],
    ['too long', `${KEY.publicKeyHex}00`],
    ['not hex', `zz${KEY.publicKeyHex.slice(2)}`],
    ['uncompressed', `04${'11'.repeat(64)}`],
    ['with a wrong prefix byte', `05${KEY.publicKeyHex.slice(2)}`],
    ['off the curve', `02${'00'.repeat(31)}05`],
    ['beyond the field', `02${'ff'.repeat(32)}`],
    ['4000 characters', 'a'.repeat(4000)],
  ] as const) {
    test(`a key that is ${what}`, async () => {
      const text = body()
      await refused(SIGNATURE, text, headersWith(KEY, text, { 'X-Service-Api-Key': key }))
    })
  }
})

describe('the key', () => {
  test('is unknown', async () => {
    const text = body()
    await refused([401, 'Unknown API key.', 'unknown_api_key'], text, headersWith(testKey('stranger'), text, {}))
  })

  test('was revoked: at once and for ever, also when it expired since or lacks the permission', async () => {
    const key = testKey('revoked')
    const { json } = await fixture.register(OWNER, key, { permissions: ['payments:send'] })
    assert.equal((await fixture.post(`/api/api-keys/${json.id}/revoke`, { owner: OWNER })).status, 200)
    const text = body()
    const refusal = [401, 'This API key has been revoked.', 'api_key_revoked'] as const
    await refused(refusal, text, headersWith(key, text, {}))
  })

  test('has expired', async () => {
    const key = testKey('expired')
    assert.equal((await fixture.register(OWNER, key, { ttlDays: 1e-9 })).status, 201)
    const text = body()
    const refusal = [401, 'This API key has expired.', 'api_key_expired'] as const
    const { expires_at } = (await fixture.get(`/api/users/${OWNER}/api-keys`)).json[0]
    while (Date.now() <= expires_at) await new Promise((resolve) => setImmediate(resolve))
    await refused(refusal, text, headersWith(key, text, {}))
  })

  test('lacks the permission', async () => {
    const key = testKey('without permission')
    const permissions = ['payments:send', 'treasury:approve']
    assert.equal((await fixture.register(OWNER, key, { permissions })).status, 201)
    const text = body()
    const error = "This API key does not have the 'invoices:create' permission."
    await refused([401, error, 'permission_missing'], text, headersWith(key, text, {}))
  })
})

test('the checks come in the order headers, timestamp, signature, known key', async () => {
  const text = body()
  const stranger = testKey('stranger')
  const old = String(Date.now() - 10 * MINUTE_MS)
  const all = signedHeaders(stranger, 'another body', old)
  await refused(MISSING, text, { ...all, 'X-Service-Api-Key': '' })
  await refused(TIMESTAMP, text, all)
  const timely = signedHeaders(stranger, 'another body', String(Date.now()))
  await refused(SIGNATURE, text, timely)
  await refused([401, 'Unknown API key.', 'unknown_api_key'], text, signedHeaders(stranger, text, String(Date.now())))
})

/** The same signature with a superfluous zero byte before r. */
function padded(der: Buffer): Buffer {
  const length = der[3] ?? 0
  const r = der.subarray(4, 4 + length)
  const rest = der.subarray(4 + length)
  return Buffer.concat([Buffer.of(0x30, (der[1] ?? 0) + 1, 0x02, length + 1, 0), r, rest])
}
