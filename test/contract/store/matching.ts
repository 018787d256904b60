import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf, depositFact, walletAssigned } from '../../support/fixtures.js'
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
    const referencesOf = (deliveries: readonly { readonly body: string; readonly status: string | null }[]) =>
      deliveries.map(({ body, status }) => `${JSON.parse(body).reference} ${status}`)

    scenario('asks exactly the amount, though it is neither the oldest nor the newest', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (const amount of ['3', '1', '2']) await t.invoice({ amount, reference: amount, callbackUrl: HOOK })
      assert.equal(await notified(t, '1'), '1')
      assert.equal(await notified(t, '2.00'), '2')
      assert.equal(await notified(t, '7'), '3')
    })

    scenario('is judged by its amount, not by what it misses after earlier payments', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '10', reference: 'ten', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'part', amount: '4', receivedAt: START_MS + 1 })
      t.clock.set(START_MS + 2)
      await t.invoice({ amount: '6', reference: 'six', callbackUrl: HOOK })
      assert.equal(await notified(t, '6'), 'six')
      assert.equal(await notified(t, '10'), 'ten')
    })

    scenario('asks the amount though dust came before, and though others have paid it', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '20', reference: 'theirs', callbackUrl: HOOK })
      await t.invoice({ amount: '25', reference: 'mine', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'dust', amount: '0.000001', receivedAt: START_MS + 1 })
      await t.deposit('confirmed', { txHash: 'much', amount: '90', receivedAt: START_MS + 2 })
      assert.equal(await notified(t, '25'), 'mine')
    })

    scenario('is not one that another deposit has matched: each payment of equal amounts gets its own', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'first', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'pays first', amount: '5', receivedAt: START_MS + 1 })
      t.clock.set(START_MS + 2)
      await t.invoice({ amount: '5', reference: 'second', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'pays second'), 'second')
      // Neither is unmatched any more: the oldest unpaid one is the second, which nothing has confirmed yet.
      assert.equal(await notified(t, '5', 'once more'), 'second')
    })

    scenario('is the newest of those that ask the amount, also when both are paid by other means', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'old', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'much', amount: '7', receivedAt: START_MS + 9 })
      await t.deposit('dropped', { txHash: 'much' })
      await t.deposit('confirmed', { txHash: 'other', amount: '8', receivedAt: START_MS + 9 })
      t.clock.set(START_MS + 10)
      await t.invoice({ amount: '5', reference: 'new', callbackUrl: HOOK })
      await t.invoice({ amount: '100', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'more', amount: '50', receivedAt: START_MS + 20 })
      assert.equal(await notified(t, '5'), 'new')
    })

    scenario('was created before the deposit was first seen, whatever its confirmation says', async (t) => {
      await t.own('alice', 'wallet-1')
      t.clock.set(START_MS + 10)
      await t.invoice({ amount: '5', reference: 'too late', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'early', START_MS + 9), '')
      const { deliveries } = await t.deposit('confirmed', { txHash: 'early', amount: '5', receivedAt: START_MS + 99 })
      assert.deepEqual(referencesOf(deliveries), [])
    })

    scenario('is matched no more when its deposit was dropped, and is again when that comes back', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '9', reference: 'oldest', callbackUrl: HOOK })
      await t.invoice({ amount: '5', reference: 'exact', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'first'), 'exact')
      assert.equal(await notified(t, '5', 'second'), 'oldest')
      await t.deposit('dropped', { txHash: 'first' })
      assert.equal(await notified(t, '5', 'third'), 'exact')
      const back = await t.deposit('confirmed', { txHash: 'first', amount: '5' })
      assert.deepEqual(referencesOf(back.deliveries), ['exact confirmed'])
    })

    scenario('is matched no more when its deposit was dropped after others had paid it', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'exact', callbackUrl: HOOK })
      await t.invoice({ amount: '50', reference: 'other', callbackUrl: HOOK })
      await t.invoice({ amount: '900', reference: 'open', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'first'), 'exact')
      await t.deposit('confirmed', { txHash: 'much', amount: '50', receivedAt: START_MS + 2 })
      await t.deposit('confirmed', { txHash: 'first', amount: '5' })
      assert.equal(await notified(t, '5', 'second'), 'open')
      await t.deposit('dropped', { txHash: 'first' })
      assert.equal(await notified(t, '5', 'third'), 'exact')
      await t.deposit('confirmed', { txHash: 'first', amount: '5' })
      await t.deposit('dropped', { txHash: 'third' })
      assert.equal(await notified(t, '5', 'fourth'), 'open')
    })

    scenario('is the oldest unpaid one, not a paid one, when none asks exactly the amount', async (t) => {
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
      assert.equal(await notified(t, '7'), '3')
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

    scenario('is kept for confirmed, though another would be chosen by then', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '9', reference: 'first', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'tx'), 'first')
      await t.invoice({ amount: '5', reference: 'exact', callbackUrl: HOOK })
      const { deliveries } = await t.deposit('confirmed', { txHash: 'tx', amount: '5' })
      assert.deepEqual(referencesOf(deliveries), ['first confirmed'])
    })

    scenario('is chosen at confirmed when there was none before, which then notifies alone', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'late' })
      assert.equal(await notified(t, '5', 'tx'), '')
      await t.store.webhooks.put('alice', HOOK)
      const { deliveries } = await t.deposit('confirmed', { txHash: 'tx', amount: '5' })
      assert.deepEqual(referencesOf(deliveries), ['late confirmed'])
      assert.equal(await notified(t, '5', 'next'), 'late')
    })

    scenario('is chosen at confirmed by the time that was told first', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'late' })
      assert.equal(await notified(t, '5', 'tx'), '')
      await t.store.webhooks.put('alice', HOOK)
      const { deliveries } = await t.deposit('confirmed', { txHash: 'tx', amount: '5', receivedAt: START_MS - 1 })
      assert.deepEqual(referencesOf(deliveries), ['late confirmed'])
    })

    scenario('is chosen by what the first of two reports tells that contradict each other, in one batch', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'before', callbackUrl: HOOK })
      const reports = [
        { txHash: 'tx', amount: '5', receivedAt: START_MS + 1 },
        { txHash: 'tx', amount: '6', receivedAt: START_MS - 1 },
      ]
      const fates = await t.store.commands.perform(
        reports.map((fields) => ({ type: 'deposit', eventId: null, fact: depositFact('pending', fields) })),
      )
      const [first, second] = fates.map((fate) => (fate.status === 'fulfilled' ? fate.value : assert.fail()))
      assert.ok(first?.type === 'deposit' && second?.type === 'deposit')
      assert.deepEqual([first.outcome.status, second.outcome.status], ['applied', 'rejected'])
      assert.equal(first.owed.length, 1)
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

    scenario('is never one of a former owner, and is one of theirs again when the wallet comes back', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'of alice', callbackUrl: HOOK })
      await t.tell(walletAssigned('wallet-1', 'bob'))
      assert.equal(await notified(t, '5', 'a'), '')
      await t.invoice({ owner: 'bob', amount: '8', reference: 'of bob', callbackUrl: HOOK })
      assert.equal(await notified(t, '5', 'b'), 'of bob')
      await t.tell(walletAssigned('wallet-1', 'alice'))
      assert.equal(await notified(t, '5', 'c'), 'of alice')
    })

    scenario('was created before the deposit by the clock that stepped back', async (t) => {
      await t.own('alice', 'wallet-1')
      t.clock.set(START_MS + 100_000)
      await t.invoice({ amount: '1', reference: 'ahead', callbackUrl: HOOK })
      t.clock.set(START_MS)
      await t.invoice({ amount: '2', reference: 'back', callbackUrl: HOOK })
      assert.equal(await notified(t, '7'), 'back')
      assert.equal(await notified(t, '1'), 'back')
    })

    scenario('is found though one payment has covered more than a hundred invoices before it', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (let n = 1; n <= 120; n += 1) {
        await t.invoice({ amount: `${n}.5`, reference: `small ${n}`, callbackUrl: HOOK })
      }
      await t.invoice({ amount: '9999', reference: 'great', callbackUrl: HOOK })
      await t.deposit('confirmed', { txHash: 'covers', amount: '400', receivedAt: START_MS + 1 })
      assert.equal(await notified(t, '0.1', 'dust'), 'great')
      assert.equal(await notified(t, '17.5', 'exact'), 'small 17')
      assert.equal(await notified(t, '1', 'other', START_MS + 60_000), 'great')
      await t.deposit('dropped', { txHash: 'covers' })
      assert.equal(await notified(t, '1', 'reopened', START_MS + 60_000), 'small 1')
      assert.deepEqual((await t.deposit('pending', { toAddress: addressOf('wallet-2'), txHash: 'x' })).deliveries, [])
    })
  })
}
