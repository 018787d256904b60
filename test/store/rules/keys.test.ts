import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ACTIVE_KEYS_MAX, type ApiKey, isActive } from '../../../src/domain/api-key.js'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import { importKey, type KeyWork, registerKey, revokeKey } from '../../../src/store/rules/keys.js'
import { registration, unwrap } from '../../support/fixtures.js'

const NOW = 1_700_000_000_000

/** Keys in memory. It notes what changes them. */
class Keys implements KeyWork {
  readonly changes: string[] = []
  private ids = 0

  constructor(private readonly rows: { readonly publicKey: Uint8Array; key: ApiKey }[] = []) {}

  readClock(): number {
    return NOW
  }

  newId(): string {
    this.ids += 1
    return String(this.ids).padStart(16, '0')
  }

  withPublicKey(publicKey: Uint8Array): ApiKey | undefined {
    return this.rows.find((row) => Buffer.compare(row.publicKey, publicKey) === 0)?.key
  }

  withId(id: string): ApiKey | undefined {
    return this.rows.find(({ key }) => key.id === id)?.key
  }

  hold(owner: string): void {
    this.changes.push(`hold ${owner}`)
  }

  countActive(owner: string, nowMs: number): number {
    return this.rows.filter(({ key }) => key.owner === owner && isActive(key, nowMs)).length
  }

  add(publicKey: Uint8Array, key: ApiKey): void {
    this.changes.push(`add ${key.id}`)
    this.rows.push({ publicKey, key })
  }

  revoke(key: ApiKey): void {
    this.changes.push(`revoke ${key.id}`)
  }
}

const KEY: ApiKey = {
  id: 'a'.repeat(16),
  owner: 'alice',
  label: 'till',
  public_key: 'text 1',
  permissions: 'invoices:create',
  expires_at: null,
  revoked_at: null,
  created_at: NOW - 1,
}
const PUBLIC_KEY = registration(1).publicKey

function many(count: number, change: Partial<ApiKey> = {}) {
  return Array.from({ length: count }, (_, i) => ({
    publicKey: Buffer.alloc(33, 200 - i),
    key: { ...KEY, id: `b${String(i).padStart(15, '0')}`, ...change },
  }))
}

const register = (keys: KeyWork, change: Parameters<typeof registration>[1] = {}) =>
  registerKey(keys, registration(1, change), () => 'not asked')

describe('the registration of a key', () => {
  const taken = { publicKey: PUBLIC_KEY, key: KEY }
  const full = many(ACTIVE_KEYS_MAX)
  const rows = [
    { of: 'a key that is taken, also by another', there: [taken, ...full], ttlDays: 0, code: 'public_key_registered' },
    {
      of: 'a lifetime that is none, before the number of keys',
      there: full,
      ttlDays: 0,
      code: 'invalid_api_key_registration',
    },
    { of: 'one key more than an owner may have', there: full, ttlDays: 1, code: 'too_many_keys' },
  ]
  for (const { of, there, ttlDays, code } of rows) {
    test(`is refused for ${of}`, () => {
      const keys = new Keys([...there])
      const outcome = answeredNow(register(keys, { ttlDays }))
      assert.equal(outcome.ok ? null : outcome.failure.code, code)
      assert.deepEqual(keys.changes, ['hold alice'])
    })
  }

  test('counts neither revoked keys, nor expired ones, nor those of others', () => {
    const revoked = many(ACTIVE_KEYS_MAX, { revoked_at: NOW })
    const expired = many(ACTIVE_KEYS_MAX, { expires_at: NOW - 1 })
    const others = many(ACTIVE_KEYS_MAX, { owner: 'bob' })
    const keys = new Keys([...revoked, ...expired, ...others, ...many(ACTIVE_KEYS_MAX - 1)])
    assert.equal(answeredNow(register(keys)).ok, true)
  })

  test('holds the owner before anything is counted', () => {
    const keys = new Keys()
    assert.equal(unwrap(answeredNow(register(keys))).created_at, NOW)
    assert.deepEqual(keys.changes, ['hold alice', 'add 0000000000000001'])
  })

  test('hears of one failure when two questions fail', async () => {
    const fails = () => Promise.reject(new Error('no answer'))
    const silent = Object.assign(new Keys(), { withPublicKey: fails, countActive: fails })
    await assert.rejects(answeredLater(register(silent)), /no answer/)
  })
})

describe('the revocation of a key', () => {
  const rows = [
    { of: 'an unknown key', id: 'c'.repeat(16), owner: 'alice', answer: 'api_key_not_found', changes: [] },
    { of: 'a key of another', id: KEY.id, owner: 'bob', answer: 'not_key_owner', changes: [] },
    { of: 'a key', id: KEY.id, owner: 'alice', answer: NOW, changes: [`revoke ${KEY.id}`] },
  ]
  for (const { of, id, owner, answer, changes } of rows) {
    test(`of ${of}`, () => {
      const keys = new Keys([{ publicKey: PUBLIC_KEY, key: KEY }])
      const outcome = answeredNow(revokeKey(keys, id, owner))
      assert.equal(outcome.ok ? outcome.value.revoked_at : outcome.failure.code, answer)
      assert.deepEqual(keys.changes, changes)
    })
  }

  test('keeps the time of the first one', () => {
    const keys = new Keys([{ publicKey: PUBLIC_KEY, key: { ...KEY, revoked_at: NOW - 9 } }])
    assert.equal(unwrap(answeredNow(revokeKey(keys, KEY.id, 'alice'))).revoked_at, NOW - 9)
    assert.deepEqual(keys.changes, [])
  })
})

describe('an imported key', () => {
  const here = { publicKey: PUBLIC_KEY, key: KEY }
  const other = { publicKey: Buffer.alloc(33, 9), key: { ...KEY, id: 'd'.repeat(16), public_key: 'text 9' } }
  const rows = [
    { of: 'is added', there: [], status: 'added' },
    {
      of: 'is known, although it was revoked or renamed',
      there: [{ ...here, key: { ...KEY, label: 'x', revoked_at: NOW } }],
      status: 'known',
    },
    {
      of: 'is refused where another owner has it',
      there: [{ ...here, key: { ...KEY, owner: 'bob' } }],
      status: 'refused',
    },
    { of: 'is refused where its public key has another id', there: [{ ...here, key: other.key }], status: 'refused' },
    {
      of: 'is refused where its id has another public key',
      there: [{ ...other, key: { ...other.key, id: KEY.id } }],
      status: 'refused',
    },
    {
      of: 'is refused where two keys have what it has',
      there: [
        { ...here, key: { ...KEY, id: other.key.id } },
        { ...other, key: KEY },
      ],
      status: 'refused',
    },
    { of: 'is refused where its owner has as many as it may have', there: many(ACTIVE_KEYS_MAX), status: 'refused' },
  ]
  for (const { of, there, status } of rows) {
    test(of, () => {
      assert.equal(answeredNow(importKey(new Keys([...there]), PUBLIC_KEY, KEY)).status, status)
    })
  }

  test('is added however many its owner has, where it is not active', () => {
    const keys = new Keys(many(ACTIVE_KEYS_MAX))
    assert.equal(answeredNow(importKey(keys, PUBLIC_KEY, { ...KEY, revoked_at: NOW })).status, 'added')
  })
})
