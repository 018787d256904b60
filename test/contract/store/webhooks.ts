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
      const first = await t.store.webhooks.put('alice', 'https://one.example/')
      assert.match(first.secret ?? '', /^[0-9a-f]{64}$/)
      assert.deepEqual(first, {
        owner: 'alice',
        callback_url: 'https://one.example/',
        secret: first.secret,
        created_at: START_MS,
        updated_at: START_MS,
      })
      t.clock.advance(5)
      const second = await t.store.webhooks.put('alice', 'https://two.example/')
      assert.deepEqual(second, { ...first, callback_url: 'https://two.example/', updated_at: START_MS + 5 })
      await t.harness.reopen()
      assert.deepEqual(await t.store.webhooks.find('alice'), second)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: first.secret, previous: null })
    })

    scenario('of somebody unknown is of nulls', async (t) => {
      for (const owner of ['nobody', '', 'x'.repeat(5000)]) {
        assert.deepEqual(await t.store.webhooks.find(owner), unconfigured(owner))
      }
      await t.own('alice', 'wallet-1')
      assert.deepEqual(await t.store.webhooks.find('alice'), unconfigured('alice'))
    })

    scenario('has a secret on demand, one for all who ask at once, and keeps it', async (t) => {
      const asked = await Promise.all(Array.from({ length: 10 }, () => t.store.webhooks.secrets('alice')))
      const secrets = asked.map(({ current }) => current)
      assert.equal(new Set(secrets).size, 1)
      assert.notEqual((await t.store.webhooks.secrets('bob')).current, secrets[0])
      assert.deepEqual(await t.store.webhooks.find('alice'), {
        owner: 'alice',
        callback_url: null,
        secret: secrets[0] ?? '',
        created_at: START_MS,
        updated_at: START_MS,
      })
      assert.equal((await t.store.webhooks.put('alice', 'https://example.com/')).secret, secrets[0])
    })

    scenario('keeps its payload unless another one is set, and shows it unless it is the specified one', async (t) => {
      const url = 'https://one.example/'
      assert.equal('payload' in (await t.store.webhooks.put('alice', url)), false)
      assert.equal((await t.store.webhooks.put('alice', url, 'with-invoice')).payload, 'with-invoice')
      assert.equal((await t.store.webhooks.put('alice', 'https://two.example/')).payload, 'with-invoice')
      assert.equal((await t.store.webhooks.rotate('alice', 0)).payload, 'with-invoice')
      await t.harness.reopen()
      assert.equal((await t.store.webhooks.find('alice')).payload, 'with-invoice')
      assert.equal('payload' in (await t.store.webhooks.put('alice', url, 'specified')), false)
    })

    scenario('is removed with its secret, once', async (t) => {
      const { secret } = await t.store.webhooks.put('alice', 'https://example.com/')
      await t.store.webhooks.put('bob', 'https://example.com/')
      assert.equal(await t.store.webhooks.delete('alice'), true)
      assert.equal(await t.store.webhooks.delete('alice'), false)
      assert.equal(await t.store.webhooks.delete('nobody'), false)
      assert.deepEqual(await t.store.webhooks.find('alice'), unconfigured('alice'))
      assert.equal((await t.store.webhooks.find('bob')).callback_url, 'https://example.com/')
      assert.notEqual((await t.store.webhooks.put('alice', 'https://example.com/')).secret, secret)
    })
  })

  describe('a rotation', () => {
    const URL = 'https://example.com/'

    scenario('lets both secrets sign until the overlap ends, and is durable', async (t) => {
      const before = await t.store.webhooks.put('alice', URL)
      t.clock.advance(5)
      const after = await t.store.webhooks.rotate('alice', 1000)
      assert.match(after.secret ?? '', /^[0-9a-f]{64}$/)
      assert.notEqual(after.secret, before.secret)
      assert.deepEqual(after, { ...before, secret: after.secret, updated_at: START_MS + 5 })
      await t.harness.reopen()
      assert.deepEqual(await t.store.webhooks.find('alice'), after)
      t.clock.advance(999)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: after.secret, previous: before.secret })
      t.clock.advance(1)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: after.secret, previous: null })
    })

    scenario('without an overlap ends the secret before it at once', async (t) => {
      await t.store.webhooks.put('alice', URL)
      const { secret } = await t.store.webhooks.rotate('alice', 0)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: secret, previous: null })
    })

    scenario('during an overlap replaces the new secret, and receivers still use the one before it', async (t) => {
      const before = await t.store.webhooks.put('alice', URL)
      const lost = await t.store.webhooks.rotate('alice', 1000)
      t.clock.advance(500)
      const after = await t.store.webhooks.rotate('alice', 1000)
      assert.equal(new Set([before.secret, lost.secret, after.secret]).size, 3)
      t.clock.advance(999)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: after.secret, previous: before.secret })
      t.clock.advance(1)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: after.secret, previous: null })
    })

    scenario('stays under way when the URL is set again', async (t) => {
      const before = await t.store.webhooks.put('alice', URL)
      const after = await t.store.webhooks.rotate('alice', 1000)
      assert.equal((await t.store.webhooks.put('alice', 'https://other.example/')).secret, after.secret)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: after.secret, previous: before.secret })
    })

    scenario('is over when the configuration is removed', async (t) => {
      await t.store.webhooks.put('alice', URL)
      await t.store.webhooks.rotate('alice', 1000)
      await t.store.webhooks.delete('alice')
      const { secret } = await t.store.webhooks.put('alice', URL)
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: secret, previous: null })
    })

    scenario('of an owner who has configured nothing makes the first secret', async (t) => {
      const record = await t.store.webhooks.rotate('alice', 1000)
      assert.deepEqual(record, {
        owner: 'alice',
        callback_url: null,
        secret: record.secret,
        created_at: START_MS,
        updated_at: START_MS,
      })
      assert.deepEqual(await t.store.webhooks.secrets('alice'), { current: record.secret, previous: null })
    })
  })
}
