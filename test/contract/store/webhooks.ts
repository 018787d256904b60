import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unconfigured } from '../../../src/domain/webhook.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** Webhook configurations (specification, PUT webhook; decisions 7). */
export function describeWebhooks(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('a webhook configuration', () => {
    scenario('keeps its secret when the URL changes', async (t) => {
      const first = await t.store.putWebhook('alice', 'https://one.example/')
      assert.match(first.secret ?? '', /^[0-9a-f]{64}$/)
      assert.deepEqual(first, {
        owner: 'alice',
        callback_url: 'https://one.example/',
        secret: first.secret,
        created_at: START_MS,
        updated_at: START_MS,
      })
      t.clock.advance(5)
      const second = await t.store.putWebhook('alice', 'https://two.example/')
      assert.deepEqual(second, { ...first, callback_url: 'https://two.example/', updated_at: START_MS + 5 })
      await t.harness.reopen()
      assert.deepEqual(await t.store.webhook('alice'), second)
      assert.equal(await t.store.webhookSecret('alice'), first.secret)
    })

    scenario('of somebody unknown is of nulls', async (t) => {
      for (const owner of ['nobody', '', 'x'.repeat(5000)]) {
        assert.deepEqual(await t.store.webhook(owner), unconfigured(owner))
      }
      await t.own('alice', 'wallet-1')
      assert.deepEqual(await t.store.webhook('alice'), unconfigured('alice'))
    })

    scenario('has a secret on demand, one for all who ask at once, and keeps it', async (t) => {
      const secrets = await Promise.all(Array.from({ length: 10 }, () => t.store.webhookSecret('alice')))
      assert.equal(new Set(secrets).size, 1)
      assert.notEqual(await t.store.webhookSecret('bob'), secrets[0])
      assert.deepEqual(await t.store.webhook('alice'), {
        owner: 'alice',
        callback_url: null,
        secret: secrets[0] ?? '',
        created_at: START_MS,
        updated_at: START_MS,
      })
      assert.equal((await t.store.putWebhook('alice', 'https://example.com/')).secret, secrets[0])
    })

    scenario('is removed with its secret, once', async (t) => {
      const { secret } = await t.store.putWebhook('alice', 'https://example.com/')
      await t.store.putWebhook('bob', 'https://example.com/')
      assert.equal(await t.store.deleteWebhook('alice'), true)
      assert.equal(await t.store.deleteWebhook('alice'), false)
      assert.equal(await t.store.deleteWebhook('nobody'), false)
      assert.deepEqual(await t.store.webhook('alice'), unconfigured('alice'))
      assert.equal((await t.store.webhook('bob')).callback_url, 'https://example.com/')
      assert.notEqual((await t.store.putWebhook('alice', 'https://example.com/')).secret, secret)
    })
  })
}
