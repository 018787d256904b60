import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'

/** Which invoice a deposit notifies (decisions 6). */
export function describeMatching(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('the invoice that a deposit notifies', () => {
    const notified = async (t: Scenario, amount: string, txHash = amount, receivedAt = START_MS + 60_000) => {
      const { deliveries } = await t.deposit('pending', { txHash, amount, receivedAt })
      return deliveries.map((one) => JSON.parse(one.body).reference).join()
    }

    scenario('misses exactly the amount, though it is neither the oldest nor the newest', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (const amount of ['3', '1', '2']) await t.invoice({ amount, reference: amount, callbackUrl: HOOK })
      assert.equal(await notified(t, '1'), '1')
      assert.equal(await notified(t, '2.00'), '2')
      assert.equal(await notified(t, '7'), '3')
    })

    scenario('is judged by what it misses after earlier payments, not by its amount', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '10', reference: 'ten', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'part', amount: '4', receivedAt: START_MS + 1 })
      t.clock.set(START_MS + 2)
      await t.invoice({ amount: '8', reference: 'eight', callbackUrl: HOOK })
      assert.equal(await notified(t, '6'), 'ten')
      assert.equal(await notified(t, '8'), 'eight')
    })

    scenario('is the oldest unpaid one, not a paid one, when none misses exactly the amount', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1', reference: 'paid', callbackUrl: HOOK })
      t.clock.set(START_MS + 10)
      await t.deposit('confirmed', { txHash: 'pays', amount: '1', receivedAt: START_MS + 5 })
      await t.invoice({ amount: '20', reference: 'oldest', callbackUrl: HOOK })
      await t.invoice({ amount: '30', reference: 'newest', callbackUrl: HOOK })
      assert.equal(await notified(t, '7'), 'oldest')
    })

    scenario('is the newest when all are paid', async (t) => {
      await t.own('alice', 'wallet-1')
      for (const amount of ['1', '2', '3']) await t.invoice({ amount, reference: amount, callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'pays', amount: '50', receivedAt: START_MS + 5 })
      assert.equal(await notified(t, '1'), '3')
    })

    scenario('is chosen among all invoices of the wallet, whichever wallets they also name', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      await t.invoice({ amount: '5', reference: 'both', callbackUrl: HOOK, walletIds: ['wallet-2', 'wallet-1'] })
      await t.invoice({ amount: '6', reference: 'one', callbackUrl: HOOK })
      await t.invoice({ amount: '7', reference: 'other', callbackUrl: HOOK, walletIds: ['wallet-2'] })
      assert.equal(await notified(t, '5'), 'both')
      assert.equal(await notified(t, '7'), 'both')
      assert.equal(await notified(t, '6'), 'one')
    })

    scenario(
      'misses exactly the amount though it was created before payments that newer invoices did not get',
      async (t) => {
        await t.own('alice', 'wallet-1')
        await t.invoice({ amount: '9', reference: 'oldest', callbackUrl: HOOK })
        await t.invoice({ amount: '3', reference: 'misses 2', callbackUrl: HOOK })
        await t.invoice({ amount: '2', reference: 'misses 1', callbackUrl: HOOK })
        await t.deposit('confirmed', { txHash: 'part', amount: '1', receivedAt: START_MS + 1 })
        t.clock.set(START_MS + 2)
        await t.invoice({ amount: '7', reference: 'newest', callbackUrl: HOOK })
        assert.equal(await notified(t, '2'), 'misses 2')
      },
    )

    scenario(
      'misses exactly the amount though one on more wallets, that missed as much at first, got a part',
      async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await t.invoice({ amount: '9', reference: 'oldest', callbackUrl: HOOK })
        await t.invoice({ amount: '3', reference: 'misses 2', callbackUrl: HOOK })
        await t.deposit('confirmed', { txHash: 'part', amount: '1', receivedAt: START_MS + 1 })
        t.clock.set(START_MS + 2)
        await t.invoice({ amount: '2', reference: 'misses 1', callbackUrl: HOOK, walletIds: ['wallet-1', 'wallet-2'] })
        await t.deposit('confirmed', {
          txHash: 'other',
          amount: '1',
          receivedAt: START_MS + 3,
          toAddress: addressOf('wallet-2'),
        })
        t.clock.set(START_MS + 4)
        await t.invoice({ amount: '7', reference: 'newest', callbackUrl: HOOK })
        assert.equal(await notified(t, '2'), 'misses 2')
      },
    )

    scenario('is kept for confirmed, though another would be chosen by then', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '9', reference: 'first', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'tx'), 'first')
      await t.invoice({ amount: '5', reference: 'exact', callbackUrl: HOOK })
      const { deliveries } = await t.deposit('confirmed', { txHash: 'tx', amount: '5' })
      assert.deepEqual(
        deliveries.map((one) => JSON.parse(one.body).reference),
        ['first'],
      )
    })

    scenario('is an older one again after a reorganisation reopened it', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '4', reference: 'old', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'pays', amount: '4', receivedAt: START_MS + 1 })
      t.clock.set(START_MS + 2)
      await t.invoice({ amount: '9', reference: 'new', callbackUrl: HOOK })
      assert.equal(await notified(t, '1', 'before'), 'new')
      await t.deposit('dropped', { txHash: 'pays' })
      assert.equal(await notified(t, '1', 'after'), 'old')
    })

    scenario(
      'is found by its exact amount though a later equal one displaced it and a drop reopened both',
      async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await t.invoice({ amount: '90', reference: 'oldest', callbackUrl: HOOK })
        await t.invoice({ amount: '4', reference: 'mine', callbackUrl: HOOK })
        await t.deposit('confirmed', { txHash: 'pays', amount: '4', receivedAt: START_MS + 1 })
        t.clock.set(START_MS + 2)
        await t.invoice({ amount: '4' })
        await t.invoice({ amount: '80', reference: 'newest', callbackUrl: HOOK })
        await t.deposit('dropped', { txHash: 'pays' })
        assert.equal(await notified(t, '4'), 'mine')
      },
    )

    scenario('was created before the deposit by the clock that stepped back', async (t) => {
      await t.own('alice', 'wallet-1')
      t.clock.set(START_MS + 100_000)
      await t.invoice({ amount: '1', reference: 'ahead', callbackUrl: HOOK })
      t.clock.set(START_MS)
      await t.invoice({ amount: '2', reference: 'back', callbackUrl: HOOK })
      assert.equal(await notified(t, '7'), 'back')
      assert.equal(await notified(t, '1'), 'back')
    })
  })
}
