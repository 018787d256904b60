import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS, type Permission } from '../../../src/domain/api-key.js'
import type { WalletCommand } from '../../../src/store/commands.js'
import { invoiceRequest, refusalOf, registration, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** Registration, look-up and revocation of API keys (decisions 3). */
export function describeKeys(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('an API key', () => {
    scenario('is kept as registered and found by its 33 bytes', async (t) => {
      const asked = registration(1, {
        permissions: ['payments:send', 'invoices:create'],
        ttlDays: 1.5,
        label: 'x'.repeat(70),
      })
      const key = unwrap(await t.store.keys.register(asked))
      assert.deepEqual(key, {
        id: key.id,
        owner: 'alice',
        label: 'x'.repeat(60),
        public_key: asked.publicKeyText,
        permissions: 'payments:send,invoices:create',
        expires_at: START_MS + 1.5 * DAY_MS,
        revoked_at: null,
        created_at: START_MS,
      })
      assert.match(key.id, /^[0-9a-f]{16}$/)
      assert.deepEqual(await t.store.keys.find(asked.publicKey), key)
      await t.harness.reopen()
      assert.deepEqual(await t.store.keys.find(asked.publicKey), key)
      for (const bytes of [Buffer.alloc(0), Buffer.alloc(32, 1), Buffer.alloc(33), Buffer.alloc(65, 4)]) {
        assert.equal(await t.store.keys.find(bytes), undefined)
      }
    })

    scenario(
      'that was revoked or has expired by then creates nothing, whatever was decided when the request came',
      async (t) => {
        await t.own('alice', 'wallet-1')
        const lasting = unwrap(await t.store.keys.register(registration(1)))
        const brief = unwrap(await t.store.keys.register(registration(2, { ttlDays: 1 })))
        const other = unwrap(await t.store.keys.register(registration(3, { permissions: ['payments:send'] })))
        const ids: Readonly<Record<number, string>> = { 1: lasting.id, 2: brief.id, 3: other.id }
        const idempotency = { scope: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) }
        const create = (
          seed: number,
          amount: string,
          permission: Permission | null = 'invoices:create',
        ): WalletCommand => ({
          type: 'invoice',
          request: invoiceRequest({ amount }),
          terms: {
            authority: { keyId: ids[seed] ?? 'f'.repeat(16), permission },
            ...(amount === '1' ? { idempotency } : {}),
          },
        })
        const outcomes = async (...batch: readonly WalletCommand[]) => {
          const fates = await t.store.commands.perform(batch)
          return fates.map((fate) => {
            if (fate.status === 'rejected' || fate.value.type !== 'invoice') return assert.fail()
            return fate.value.outcome.ok ? 'created' : fate.value.outcome.failure.code
          })
        }
        assert.deepEqual(await outcomes(create(1, '1'), create(2, '2'), create(3, '3'), create(4, '4')), [
          'created',
          'created',
          'permission_missing',
          'unknown_api_key',
        ])
        assert.deepEqual(await outcomes(create(3, '3', null)), ['created'])
        t.clock.advance(DAY_MS)
        // All asked at once: an engine of one writer may put them into one commit, and one of several may change their order.
        const before = outcomes(create(1, '5'), create(2, '6'))
        const revoking = t.store.keys.revoke(lasting.id, 'alice')
        const meanwhile = outcomes(create(1, '7'))
        assert.equal((await before).at(-1), 'created')
        unwrap(await revoking)
        assert.deepEqual(await outcomes(create(1, '9'), create(1, '1')), ['api_key_revoked', 'api_key_revoked'])
        await meanwhile
        t.clock.advance(1)
        assert.deepEqual(await outcomes(create(2, '8')), ['api_key_expired'])
      },
    )

    scenario('is the last of 100 active ones of its owner; revoked and expired ones do not count', async (t) => {
      const fill = async (from: number, to: number, ttlDays: number | null) => {
        for (let seed = from; seed <= to; seed += 1) {
          unwrap(await t.store.keys.register(registration(seed, { ttlDays })))
        }
      }
      const refused = async () => {
        const before = await t.snapshot()
        assert.equal(refusalOf(await t.store.keys.register(registration(250))), 'too_many_keys')
        assert.deepEqual(await t.snapshot(), before)
      }
      await fill(1, 40, 1)
      await fill(41, 100, null)
      await refused()
      unwrap(await t.store.keys.register(registration(200, { owner: 'bob' })))
      // A key may be used in the very millisecond in which it expires.
      t.clock.advance(DAY_MS)
      await refused()
      t.clock.advance(1)
      await fill(101, 140, null)
      await refused()
      const { items } = await t.store.keys.page('alice', { after: null, limit: 9 })
      for (const { id } of items) for (let n = 0; n < 2; n += 1) unwrap(await t.store.keys.revoke(id, 'alice'))
      await t.harness.reopen()
      await fill(141, 149, null)
      await refused()
    })

    scenario('whose end is no safe integer is refused', async (t) => {
      const before = await t.snapshot()
      assert.equal(
        refusalOf(await t.store.keys.register(registration(1, { ttlDays: 1e300 }))),
        'invalid_api_key_registration',
      )
      assert.deepEqual(await t.snapshot(), before)
      assert.equal(await t.store.keys.find(registration(1).publicKey), undefined)
    })

    scenario('is registered once for ever, by whomever and however spelled, revoked or not', async (t) => {
      const key = unwrap(await t.store.keys.register(registration(1)))
      const before = await t.snapshot()
      const again = registration(1, {
        owner: 'bob',
        publicKeyText: registration(1).publicKeyText.slice(2).toUpperCase(),
      })
      assert.equal(refusalOf(await t.store.keys.register(again)), 'public_key_registered')
      assert.deepEqual(await t.snapshot(), before)
      await t.store.keys.revoke(key.id, 'alice')
      assert.equal(refusalOf(await t.store.keys.register(registration(1))), 'public_key_registered')
    })

    scenario('is registered by exactly one of many that try at once', async (t) => {
      const owners = Array.from({ length: 30 }, (_, i) => `owner-${i}`)
      const outcomes = await Promise.all(owners.map((owner) => t.store.keys.register(registration(1, { owner }))))
      assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
    })
  })

  describe('revocation', () => {
    scenario('stamps the key once and is visible at once, whoever reads meanwhile', async (t) => {
      const { publicKey } = registration(1)
      const key = unwrap(await t.store.keys.register(registration(1)))
      t.clock.advance(1000)
      let isAnswered = false
      // A reader that is always in the middle of reading keeps whatever snapshot an engine might hold on to.
      const reader = (async () => {
        while (!isAnswered) {
          await t.store.keys.find(publicKey)
          await new Promise(setImmediate)
        }
      })()
      const read = t.store.keys.revoke(key.id, 'alice').then(async (outcome) => {
        isAnswered = true
        return [unwrap(outcome).revoked_at, (await t.store.keys.find(publicKey))?.revoked_at]
      })
      await t.store.keys.find(publicKey)
      assert.deepEqual(await read, [START_MS + 1000, START_MS + 1000])
      await reader

      t.clock.advance(1000)
      assert.equal(unwrap(await t.store.keys.revoke(key.id, 'alice')).revoked_at, START_MS + 1000)
      await t.harness.reopen()
      assert.equal((await t.store.keys.find(publicKey))?.revoked_at, START_MS + 1000)
    })

    scenario('is refused for an unknown id and for another owner, and changes nothing', async (t) => {
      const key = unwrap(await t.store.keys.register(registration(1)))
      const before = await t.snapshot()
      assert.equal(refusalOf(await t.store.keys.revoke(key.id, 'bob')), 'not_key_owner')
      for (const id of ['', '0', 'zz', 'f'.repeat(16), `${key.id}00`, key.id.slice(2), key.id.replace(/.$/, 'g')]) {
        assert.equal(refusalOf(await t.store.keys.revoke(id, 'alice')), 'api_key_not_found')
      }
      assert.deepEqual(await t.snapshot(), before)
    })
  })

  describe('the API keys of an owner', () => {
    scenario('are listed newest first, in pages, with the revoked ones', async (t) => {
      const ids: string[] = []
      for (let seed = 1; seed <= 5; seed += 1) {
        ids.unshift(unwrap(await t.store.keys.register(registration(seed))).id)
        unwrap(await t.store.keys.register(registration(seed + 100, { owner: 'bob' })))
      }
      await t.store.keys.revoke(ids[2] ?? '', 'alice')
      for (const limit of [1, 2, 5, 9]) {
        const pages = await t.walk((after) => t.store.keys.page('alice', { after, limit }))
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          ids,
        )
        assert.deepEqual(
          pages.flat().map(({ revoked_at }) => revoked_at !== null),
          [false, false, true, false, false],
        )
      }
      assert.deepEqual(await t.store.keys.page('nobody', { after: null, limit: 5 }), { items: [], next: null })
    })
  })
}
