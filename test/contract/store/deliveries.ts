import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sighting, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'

/** Which deliveries a deposit owes, and where they go (specification, Webhook delivery; decisions 5). */
export function describeDeliveries(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('a deposit owes', () => {
    scenario('a delivery when first seen and another when confirmed', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ reference: 'r', callbackUrl: HOOK })
      t.clock.set(START_MS + 61_000)
      const [pending, ...none] = (await t.deposit('pending')).deliveries
      assert.deepEqual(none, [])
      assert.deepEqual(pending, {
        id: pending?.id,
        owner: 'alice',
        invoiceId: invoice.id,
        status: 'pending',
        event: null,
        url: HOOK,
        body: JSON.stringify({
          reference: 'r',
          status: 'pending',
          invoiceId: invoice.id,
          network: 'SEP',
          txHash: '0xfeed',
          toAddress: sighting().toAddress,
          amount: '100',
          currency: '#native',
          receivedAt: START_MS + 60_000,
        }),
        state: 'queued',
        createdAt: START_MS + 61_000,
        attemptedAt: null,
        attempts: 0,
        attemptsBefore: 0,
        nextAttemptAt: null,
        result: null,
      })
      const [confirmed, ...others] = (await t.deposit('confirmed')).deliveries
      assert.deepEqual(others, [])
      assert.equal(confirmed?.status, 'confirmed')
      assert.equal(JSON.parse(confirmed?.body ?? '').status, 'confirmed')
    })

    scenario('both, pending first, when confirmed without having been pending', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK })
      const { deliveries, owed } = await t.deposit('confirmed')
      assert.deepEqual(
        deliveries.map(({ status }) => status),
        ['pending', 'confirmed'],
      )
      const [lane, ...otherLanes] = new Set(owed.map((one) => one.lane))
      assert.deepEqual(otherLanes, [])
      const queued = await t.store.outbox.queued(lane ?? '', null, 10)
      assert.deepEqual(
        queued.map(({ status }) => status),
        ['pending', 'confirmed'],
      )
    })

    scenario('nothing without a reference, without a callback, or for an invoice that is not earlier', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1', callbackUrl: HOOK })
      await t.invoice({ amount: '2', reference: 'no-callback' })
      t.clock.set(START_MS + 60_000)
      await t.invoice({ amount: '3', reference: 'same-moment', callbackUrl: HOOK })
      assert.deepEqual((await t.deposit('confirmed')).owed, [])
    })

    scenario('nothing in another currency or with a label that matches nothing', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK, currency: 'USDT' })
      assert.deepEqual((await t.deposit('confirmed', { currency: '#native' })).owed, [])
      assert.deepEqual((await t.deposit('confirmed', { txHash: 'b', currency: 'DAI' })).owed, [])
      assert.equal((await t.deposit('confirmed', { txHash: 'c', currency: 'Tether', amount: '1' })).owed.length, 2)
    })

    scenario('no repetition when a reorganisation takes it away and brings it back', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK })
      assert.equal((await t.deposit('pending')).owed.length, 1)
      await t.deposit('dropped')
      assert.deepEqual((await t.deposit('pending')).owed, [])
      assert.equal((await t.deposit('confirmed')).owed.length, 1)
      await t.deposit('dropped')
      await t.harness.reopen()
      assert.deepEqual((await t.deposit('confirmed')).owed, [])
      await t.deposit('dropped')
      assert.deepEqual((await t.deposit('pending')).owed, [])
      assert.deepEqual((await t.deposit('confirmed')).owed, [])
    })

    scenario('only what is new when a deposit dropped while pending comes back confirmed', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK })
      await t.deposit('pending')
      await t.deposit('dropped')
      assert.deepEqual(
        (await t.deposit('confirmed')).deliveries.map(({ status }) => status),
        ['confirmed'],
      )
    })

    scenario(
      'nothing to a former owner: what comes to a wallet that changed hands is told to the new one',
      async (t) => {
        await t.own('alice', 'wallet-1')
        await t.invoice({ amount: '5', reference: 'old', callbackUrl: HOOK })
        await t.tell(walletAssigned('wallet-1', 'bob'))
        await t.invoice({ owner: 'bob', amount: '6', reference: 'new', callbackUrl: HOOK })
        const [forOld] = (await t.deposit('pending', { txHash: '5', amount: '5' })).deliveries
        const [forNew] = (await t.deposit('pending', { txHash: '6', amount: '6' })).deliveries
        assert.deepEqual([forOld?.owner, forNew?.owner], ['bob', 'bob'])
      },
    )
  })

  describe('the payload with-invoice', () => {
    const last = async (t: Scenario, report: 'pending' | 'confirmed', txHash: string, amount: string) => {
      const { deliveries } = await t.deposit(report, { txHash, amount })
      return JSON.parse(deliveries.at(-1)?.body ?? '')
    }

    scenario('tells as its last field how it stands with the invoice, the deposit included', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', HOOK, 'with-invoice')
      await t.invoice({ reference: 'r', amount: '0100.0' })
      const of = { amount: '0100.0', currency: 'native', returnUrl: null, orderNumber: null, metadata: null }
      const first = await last(t, 'pending', 'a', '40')
      assert.equal(Object.keys(first).at(-1), 'invoice')
      const nothing = { status: 'unpaid', received: '0', pending: '40', remaining: '100', overpaid: '0' }
      assert.deepEqual(first.invoice, { ...of, ...nothing })
      assert.deepEqual(Object.keys(first.invoice), [
        'amount',
        'currency',
        'status',
        'received',
        'pending',
        'remaining',
        'overpaid',
        'returnUrl',
        'orderNumber',
        'metadata',
      ])
      const part = { status: 'unpaid', received: '40', pending: '0', remaining: '60', overpaid: '0' }
      assert.deepEqual((await last(t, 'confirmed', 'a', '40')).invoice, { ...of, ...part })
      const all = { status: 'paid', received: '105', pending: '0', remaining: '0', overpaid: '5' }
      assert.deepEqual((await last(t, 'confirmed', 'b', '65')).invoice, { ...of, ...all })
    })

    scenario('is that of the moment, also for an invoice with a callback of its own', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK })
      assert.equal('invoice' in (await last(t, 'pending', 'a', '1')), false)
      await t.store.webhooks.put('alice', 'https://default.example/', 'with-invoice')
      assert.equal('invoice' in (await last(t, 'confirmed', 'a', '1')), true)
      await t.store.webhooks.put('alice', 'https://default.example/', 'specified')
      assert.equal('invoice' in (await last(t, 'pending', 'b', '1')), false)
    })
  })

  describe('the callback of a delivery', () => {
    scenario("is the invoice's own, else the owner's default", async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', 'https://default.example/')
      await t.invoice({ amount: '1', reference: 'own', callbackUrl: HOOK })
      await t.invoice({ amount: '2', reference: 'default' })
      const [own] = (await t.deposit('pending', { txHash: '1', amount: '1' })).deliveries
      const [byDefault] = (await t.deposit('pending', { txHash: '2', amount: '2' })).deliveries
      assert.deepEqual([own?.url, byDefault?.url], [HOOK, 'https://default.example/'])
    })

    scenario('is the default of the moment, and none once the configuration is removed', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r' })
      await t.store.webhooks.put('alice', 'https://first.example/')
      assert.equal((await t.deposit('pending')).deliveries[0]?.url, 'https://first.example/')
      await t.store.webhooks.put('alice', 'https://second.example/')
      assert.equal((await t.deposit('confirmed')).deliveries[0]?.url, 'https://second.example/')
      await t.store.webhooks.delete('alice')
      assert.deepEqual((await t.deposit('confirmed', { txHash: '2' })).owed, [])
    })

    scenario('missing at the first sight may be there at confirmed, which then notifies alone', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r' })
      assert.deepEqual((await t.deposit('pending')).owed, [])
      await t.store.webhooks.put('alice', HOOK)
      const { deliveries } = await t.deposit('confirmed')
      assert.deepEqual(
        deliveries.map(({ status }) => status),
        ['confirmed'],
      )
    })

    scenario("does not come from another owner's configuration", async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('bob', HOOK)
      await t.invoice({ reference: 'r' })
      assert.deepEqual((await t.deposit('pending')).owed, [])
    })
  })
}
