import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answeredNow } from '../../../src/store/rules/asking.js'
import {
  type KeptConfiguration,
  rotateSecret,
  secretsOf,
  setCallback,
  type WebhookWork,
} from '../../../src/store/rules/webhook-configurations.js'

const NOW = 1_700_000_000_000
const URL_1 = 'https://one.example/'
const URL_2 = 'https://two.example/'

/** What one owner has, in memory, and secrets with numbers. */
function kept(before?: Partial<KeptConfiguration>) {
  let row: KeptConfiguration | undefined =
    before === undefined
      ? undefined
      : {
          owner: 'alice',
          callbackUrl: URL_1,
          secret: 'old',
          createdAt: 1,
          updatedAt: 2,
          payload: 'specified',
          previousSecret: null,
          overlapEndsAt: null,
          ...before,
        }
  let secrets = 0
  const work: WebhookWork = {
    readClock: () => NOW,
    kept: () => row,
    put: (next) => {
      row = next
    },
  }
  return {
    work,
    random: () => {
      secrets += 1
      return `new ${secrets}`
    },
    get row() {
      return row
    },
  }
}

describe('the default URL of an owner', () => {
  test('comes with the first secret', () => {
    const t = kept()
    const shown = answeredNow(setCallback(t.work, 'alice', URL_1, undefined, t.random))
    const times = { created_at: NOW, updated_at: NOW }
    assert.deepEqual(shown, { owner: 'alice', callback_url: URL_1, secret: 'new 1', ...times })
  })

  test('changes without a new secret, and its payload stays', () => {
    const t = kept({ payload: 'with-invoice', previousSecret: 'older', overlapEndsAt: NOW + 1 })
    const before = t.row
    const shown = answeredNow(setCallback(t.work, 'alice', URL_2, undefined, t.random))
    const times = { created_at: 1, updated_at: NOW }
    const record = { owner: 'alice', callback_url: URL_2, secret: 'old', ...times, payload: 'with-invoice' }
    assert.deepEqual(shown, record)
    assert.deepEqual(t.row, { ...before, callbackUrl: URL_2, updatedAt: NOW })
  })

  test('is shown with the specified fields only, where the payload is set back', () => {
    const t = kept({ payload: 'with-invoice' })
    const shown = answeredNow(setCallback(t.work, 'alice', URL_1, 'specified', t.random))
    assert.equal('payload' in shown, false)
    assert.equal(t.row?.payload, 'specified')
  })
})

describe('a rotation', () => {
  const rows = [
    { of: 'makes the first secret', before: undefined, overlapMs: 10, secrets: ['new 1', null, null] },
    { of: 'lets the previous secret sign for a while', before: {}, overlapMs: 10, secrets: ['new 1', 'old', NOW + 10] },
    {
      of: 'forgets the previous secret',
      before: { previousSecret: 'older', overlapEndsAt: NOW + 1 },
      overlapMs: 0,
      secrets: ['new 1', null, null],
    },
    {
      of: 'keeps the secret that receivers use',
      before: { previousSecret: 'older', overlapEndsAt: NOW + 1 },
      overlapMs: 10,
      secrets: ['new 1', 'older', NOW + 10],
    },
  ]
  for (const { of, before, overlapMs, secrets } of rows) {
    test(of, () => {
      const t = kept(before)
      answeredNow(rotateSecret(t.work, 'alice', overlapMs, t.random))
      assert.deepEqual([t.row?.secret, t.row?.previousSecret, t.row?.overlapEndsAt], secrets)
      assert.equal(t.row?.updatedAt, NOW)
      assert.equal(t.row?.callbackUrl, before === undefined ? null : URL_1)
    })
  }
})

describe('the secrets of an owner', () => {
  test('are made when they are asked for first', () => {
    const t = kept()
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'new 1', previous: null })
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'new 1', previous: null })
    assert.equal(t.row?.callbackUrl, null)
  })

  test('are two until the overlap ends', () => {
    const t = kept({ previousSecret: 'older', overlapEndsAt: NOW + 1 })
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'old', previous: 'older' })
    const over = kept({ previousSecret: 'older', overlapEndsAt: NOW })
    assert.deepEqual(answeredNow(secretsOf(over.work, 'alice', over.random)), { current: 'old', previous: null })
  })
})
