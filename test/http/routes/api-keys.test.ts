import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'

const OWNER = 'key owner'
const PATH = `/api/users/${encodeURIComponent(OWNER)}/api-keys`
const GENERIC =
  'An owner, a label, a compressed public key and at least one valid permission are required; ttlDays must be a positive number.'
const DAY_MS = 86_400_000

let fixture: ServiceFixture
before(async () => {
  fixture = await ServiceFixture.start()
})
after(() => fixture.stop())

function rightBody(name: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    owner: OWNER,
    label: name,
    publicKey: testKey(name).publicKeyHex,
    permissions: ['invoices:create'],
    ...more,
  }
}

describe('POST /api/api-keys', () => {
  test('answers 201 with the record', async () => {
    const publicKey = `0x${testKey('first').publicKeyHex.toUpperCase()}`
    const reply = await fixture.post('/api/api-keys', rightBody('first', { publicKey, label: `  ${'🔑'.repeat(61)} ` }))
    assert.equal(reply.status, 201)
    const { id, created_at, ...rest } = reply.json
    assert.match(id, /^[0-9a-f]{16}$/)
    assert.ok(Math.abs(Date.now() - created_at) < 60_000)
    assert.deepEqual(rest, {
      owner: OWNER,
      label: '🔑'.repeat(60),
      public_key: publicKey,
      permissions: 'invoices:create',
      expires_at: null,
      revoked_at: null,
    })
    assert.deepEqual((await fixture.get(PATH)).json, [reply.json])
  })

  test('keeps the known permissions in the order of the request, once each', async () => {
    const permissions = ['treasury:approve', 'unknown', 'invoices:create', 'treasury:approve', 7, null, 'payments:send']
    const { json } = await fixture.post('/api/api-keys', rightBody('permissions', { permissions }))
    assert.equal(json.permissions, 'treasury:approve,invoices:create,payments:send')
  })

  test('takes fractions of days', async () => {
    const { json } = await fixture.post('/api/api-keys', rightBody('half a day', { ttlDays: 0.5 }))
    assert.equal(json.expires_at - json.created_at, DAY_MS / 2)
    const never = await fixture.post('/api/api-keys', rightBody('never', { ttlDays: null }))
    assert.equal(never.json.expires_at, null)
  })

  const key = testKey('refused').publicKeyHex
  for (const [what, change] of [
    ['no owner', { owner: undefined }],
    ['a blank owner', { owner: ' ' }],
    ['an owner of 129 characters', { owner: 'o'.repeat(129) }],
    ['an owner that is a number', { owner: 1 }],
    ['no label', { label: undefined }],
    ['a blank label', { label: ' \n' }],
    ['a label that is a number', { label: 1 }],
    ['no public key', { publicKey: undefined }],
    ['a public key that is a number', { publicKey: 2 }],
    ['an uncompressed public key', { publicKey: `04${'11'.repeat(64)}` }],
    ['a public key off the curve', { publicKey: `02${'00'.repeat(31)}05` }],
    ['a public key with a wrong prefix', { publicKey: `04${key.slice(2)}` }],
    ['a public key one digit short', { publicKey: key.slice(1) }],
    ['a public key that is not hex', { publicKey: `${key.slice(0, -1)}g` }],
    ['no permissions', { permissions: undefined }],
    ['permissions that are a string', { permissions: 'invoices:create' }],
    ['no valid permission', { permissions: ['invoices:delete', 'INVOICES:CREATE', ''] }],
    ['an empty list of permissions', { permissions: [] }],
    ['ttlDays that is a string', { ttlDays: '30' }],
    ['ttlDays that is zero', { ttlDays: 0 }],
    ['ttlDays that is negative', { ttlDays: -1 }],
    ['ttlDays so great that the time is no safe integer', { ttlDays: 1e12 }],
    ['ttlDays that is an object', { ttlDays: {} }],
  ] as [string, Record<string, unknown>][]) {
    test(`refuses ${what} with the one generic 400`, async () => {
      const was = (await fixture.get(PATH)).text
      const reply = await fixture.post('/api/api-keys', rightBody('refused', change))
      assertRefused(reply, 400, GENERIC, 'invalid_api_key_registration')
      assert.equal((await fixture.get(PATH)).text, was)
    })
  }

  test('refuses ttlDays beyond the range of numbers', async () => {
    const body = JSON.stringify(rightBody('refused')).replace(/}$/, ',"ttlDays":1e999}')
    assertRefused(await fixture.post('/api/api-keys', body), 400, GENERIC, 'invalid_api_key_registration')
  })

  test('refuses a public key that any record holds, however it is spelled, active or revoked', async () => {
    const { json } = await fixture.post('/api/api-keys', rightBody('taken'))
    const again = rightBody('taken', { owner: 'thief', publicKey: `0x${testKey('taken').publicKeyHex.toUpperCase()}` })
    const error = 'This public key is already registered.'
    assertRefused(await fixture.post('/api/api-keys', again), 409, error, 'public_key_registered')
    assert.equal((await fixture.post(`/api/api-keys/${json.id}/revoke`, { owner: OWNER })).status, 200)
    assertRefused(await fixture.post('/api/api-keys', again), 409, error, 'public_key_registered')
    assert.deepEqual((await fixture.get('/api/users/thief/api-keys')).json, [])
  })
})

describe('GET /api/users/:id/api-keys', () => {
  test('lists newest first, and nothing private', async () => {
    const owner = 'many keys'
    for (let n = 0; n < 5; n += 1) await fixture.post('/api/api-keys', rightBody(`many ${n}`, { owner }))
    const { json } = await fixture.get('/api/users/many%20keys/api-keys')
    assert.deepEqual(
      json.map((key: { label: string }) => key.label),
      ['many 4', 'many 3', 'many 2', 'many 1', 'many 0'],
    )
    assert.deepEqual(Object.keys(json[0]), [
      'id',
      'owner',
      'label',
      'public_key',
      'permissions',
      'expires_at',
      'revoked_at',
      'created_at',
    ])
  })

  test('is empty for an unknown identity', async () => {
    assert.deepEqual((await fixture.get('/api/users/nobody/api-keys')).json, [])
  })
})

describe('POST /api/api-keys/:id/revoke', () => {
  test('answers with the record, and again with the same revoked_at', async () => {
    const { json } = await fixture.post('/api/api-keys', rightBody('to revoke'))
    const path = `/api/api-keys/${json.id}/revoke`
    const first = await fixture.post(path, { owner: OWNER })
    assert.equal(first.status, 200)
    assert.ok(first.json.revoked_at >= json.created_at)
    assert.deepEqual(first.json, { ...json, revoked_at: first.json.revoked_at })
    assert.deepEqual((await fixture.post(path, { owner: OWNER })).json, first.json)
  })

  test('refuses a missing owner, a foreign owner and an unknown id', async () => {
    const { json } = await fixture.post('/api/api-keys', rightBody('kept'))
    const path = `/api/api-keys/${json.id}/revoke`
    for (const owner of [undefined, '', ' ', 5, null, {}]) {
      assertRefused(await fixture.post(path, { owner }), 400, 'An owner is required.', 'owner_required')
    }
    const foreign = await fixture.post(path, { owner: 'somebody else' })
    assertRefused(foreign, 403, 'This API key belongs to another identity.', 'not_key_owner')
    for (const id of ['0'.repeat(16), `0x${json.id}`, 'short', `${json.id}0`]) {
      const reply = await fixture.post(`/api/api-keys/${id}/revoke`, { owner: OWNER })
      assertRefused(reply, 404, 'No such API key.', 'api_key_not_found')
    }
    const [key] = (await fixture.get(PATH)).json
    assert.deepEqual([key.id, key.revoked_at], [json.id, null])
  })
})
