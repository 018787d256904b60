import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf, invoiceRequest, refusalOf, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { orderCommand } from '../../support/orders.js'
import { type OpenStore, type Scenario, settledValue, withStore } from './harness.js'

/** When an amount or a reference is free (specification, Invoice paid status; decisions 4). */
export function describeCollisions(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('an amount', () => {
    scenario('is free in the other currency, on another wallet and by another value', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      await t.invoice({ amount: '100' })
      await t.invoice({ amount: '100', currency: 'USDT' })
      await t.invoice({ amount: '100', walletIds: ['wallet-2'] })
      await t.invoice({ amount: '100.000000000000000001' })
    })

    scenario('is free again once paid, and blocked again by the next invoice', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice()
      await t.deposit('pending')
      assert.equal(refusalOf(await t.request()), 'amount_in_use')
      await t.deposit('confirmed')
      t.clock.advance(120_000)
      await t.invoice()
      assert.equal(refusalOf(await t.request()), 'amount_in_use')
    })

    scenario('is blocked again when a reorganisation takes the payment away', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      await t.deposit('confirmed')
      await t.deposit('dropped')
      assert.equal((await t.paymentOf(invoice)).status, 'unpaid')
      assert.equal(refusalOf(await t.request()), 'amount_in_use')
      await t.deposit('confirmed')
      t.clock.advance(120_000)
      await t.invoice()
    })

    scenario('is blocked by a newer invoice when the older one on the same wallet is paid', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      await t.deposit('confirmed')
      t.clock.advance(120_000)
      await t.invoice({ walletIds: ['wallet-2'] })
      assert.equal(refusalOf(await t.request({ walletIds: ['wallet-1', 'wallet-2'] })), 'amount_in_use')
      await t.invoice({ walletIds: ['wallet-1'] })
    })

    scenario('is not blocked by an invoice of a former owner, and is again when the wallet comes back', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      await t.tell(walletAssigned('wallet-1', 'bob'))
      await t.invoice({ owner: 'bob' })
      assert.equal(refusalOf(await t.request({ owner: 'bob' })), 'amount_in_use')
      assert.equal(refusalOf(await t.request({ walletIds: ['wallet-2'] })), 'amount_in_use')
      await t.tell(walletAssigned('wallet-1', 'alice'))
      assert.equal(refusalOf(await t.request()), 'amount_in_use')
    })

    scenario('is blocked by an invoice made before the clock stepped back, though a later one is paid', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.deposit('confirmed', { amount: '1', txHash: 'first', receivedAt: START_MS - 1 })
      const early = await t.invoice({ amount: '100' })
      await t.deposit('confirmed', { txHash: 'pays', receivedAt: START_MS + 1 })
      t.clock.set(START_MS - 60_000)
      // The deposit came after the clock's new time as well, so the later invoice is paid from the start.
      const back = await t.invoice({ amount: '100' })
      assert.equal(back.created_at, START_MS - 60_000)
      assert.equal((await t.paymentOf(back)).status, 'paid')
      await t.deposit('dropped', { txHash: 'pays' })
      await t.deposit('confirmed', { txHash: 'between', receivedAt: START_MS - 30_000 })
      assert.equal((await t.paymentOf(back)).status, 'paid')
      assert.equal((await t.paymentOf(early)).status, 'unpaid')
      assert.equal(refusalOf(await t.request({ amount: '100' })), 'amount_in_use')
    })

    scenario('is not blocked by one of its batch that a deposit dated after it pays at once', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.deposit('confirmed', { amount: '5', receivedAt: START_MS + 60_000 })
      const commands = ['5', '5', '6', '6'].map((amount) => {
        return { type: 'invoice', request: invoiceRequest({ amount }) } as const
      })
      const fates = await t.store.commands.perform(commands)
      const codes = fates.map((fate) => {
        const result = settledValue(fate)
        if (result.type !== 'invoice') return assert.fail()
        return result.outcome.ok ? 'created' : result.outcome.failure.code
      })
      assert.deepEqual(codes, ['created', 'created', 'created', 'amount_in_use'])
    })

    scenario('is given to exactly one of 200 that ask at once', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const batch = Array.from({ length: 100 }, () => ({ type: 'invoice' as const, request: invoiceRequest() }))
      const both = invoiceRequest({ walletIds: ['wallet-2', 'wallet-1'] })
      const fates = await Promise.all([
        t.store.commands.perform(batch),
        ...Array.from({ length: 100 }, () => t.store.commands.perform([{ type: 'invoice', request: both }])),
      ])
      const created = fates.flat().filter((fate) => {
        const result = settledValue(fate)
        return result.type === 'invoice' && result.outcome.ok
      })
      assert.equal(created.length, 1)
      assert.equal((await t.store.invoices.page('alice', { after: null, limit: 10 })).items.length, 1)
    })
  })

  describe('a wallet', () => {
    const others = Array.from({ length: 12 }, (_, n) => `other-${n}`)
    /** Another set of wallets for each number, all with `wallet-1`. */
    const setOf = (n: number) => ['wallet-1', ...others.filter((_, bit) => (n & (1 << bit)) !== 0)]

    scenario('is part of at most 64 sets of wallets that have unpaid invoices', async (t) => {
      await t.own('alice', 'wallet-1', ...others)
      for (let n = 1; n <= 63; n += 1) await t.invoice({ amount: `${n}`, walletIds: setOf(n) })
      const last = await t.invoice({ amount: '64', walletIds: setOf(64) })
      const full = await t.request({ amount: '65', walletIds: [...setOf(65)].reverse() })
      assert.equal(refusalOf(full), 'too_many_wallet_sets')
      assert.deepEqual(full.ok ? null : full.failure.details, { wallet: 'wallet-1' })
      await t.invoice({ amount: '65', walletIds: setOf(64) })
      await t.invoice({ amount: '66', walletIds: [...setOf(1)].reverse() })
      await t.invoice({ amount: '67', walletIds: ['other-0'] })
      await t.void(last.id)
      assert.equal(refusalOf(await t.request({ amount: '68', walletIds: setOf(65) })), 'too_many_wallet_sets')
      // What pays every invoice on `wallet-1` makes room for all of them again.
      await t.deposit('confirmed', { amount: '67' })
      t.clock.advance(120_000)
      for (let n = 70; n < 134; n += 1) await t.invoice({ amount: `${n}`, walletIds: setOf(n) })
      assert.equal(refusalOf(await t.request({ amount: '7', walletIds: setOf(1) })), 'too_many_wallet_sets')
    })

    scenario('is found full at once, and has room as soon as anything pays or voids one of its sets', async (t) => {
      await t.own('alice', 'wallet-1', ...others)
      const ids: string[] = []
      for (let n = 1; n <= 64; n += 1) ids.push((await t.invoice({ amount: `${n}`, walletIds: setOf(n) })).id)
      const full = async () => refusalOf(await t.request({ amount: '900', walletIds: setOf(65) }))
      const pay = (txHash: string, amount: string, wallet: string) =>
        t.deposit('confirmed', { txHash, amount, toAddress: addressOf(wallet), receivedAt: t.clock.now() + 1 })
      assert.equal(await full(), 'too_many_wallet_sets')
      // To a wallet of every second set, but less than any of them asks.
      await pay('dust', '0.5', 'other-0')
      assert.equal(await full(), 'too_many_wallet_sets')
      assert.equal(await full(), 'too_many_wallet_sets')
      // Pays the invoice of 1, which is on `other-0` too.
      await pay('one', '0.5', 'other-0')
      t.clock.advance(5)
      const first = await t.invoice({ amount: '900', walletIds: setOf(65) })
      assert.equal(await full(), 'amount_in_use')
      assert.equal(refusalOf(await t.request({ amount: '901', walletIds: setOf(66) })), 'too_many_wallet_sets')
      await t.void(first.id)
      await t.invoice({ amount: '901', walletIds: setOf(66) })
      assert.equal(refusalOf(await t.request({ amount: '902', walletIds: setOf(67) })), 'too_many_wallet_sets')
      await t.deposit('dropped', { txHash: 'one' })
      await t.void(ids[0] ?? '')
      assert.equal(refusalOf(await t.request({ amount: '902', walletIds: setOf(67) })), 'too_many_wallet_sets')
      await t.void(ids[1] ?? '')
      await t.invoice({ amount: '902', walletIds: setOf(67) })
    })

    scenario('counts a set once that an order brings and that is there', async (t) => {
      await t.own('alice', 'wallet-1', ...others)
      for (let n = 1; n <= 63; n += 1) await t.invoice({ amount: `${n}`, walletIds: setOf(n) })
      const order = async (...sets: readonly [number, number]) => {
        const currencies = ['USDT', 'native']
        const options = sets.map((n, i) => ({
          walletIds: setOf(n),
          currency: currencies[i] ?? '',
          amount: `${900 + n}`,
        }))
        const result = await t.perform(orderCommand({ options }))
        return result.type === 'order' ? result.outcome : assert.fail()
      }
      const full = await order(64, 65)
      assert.equal(refusalOf(full), 'too_many_wallet_sets')
      assert.deepEqual(full.ok ? null : full.failure.details, { wallet: 'wallet-1' })
      assert.ok((await order(1, 64)).ok)
      assert.equal(refusalOf(await order(2, 65)), 'too_many_wallet_sets')
    })

    scenario('makes room for another set when the last unpaid invoice of one is voided', async (t) => {
      await t.own('alice', 'wallet-1', ...others)
      const ids: string[] = []
      for (let n = 1; n <= 64; n += 1) ids.push((await t.invoice({ amount: `${n}`, walletIds: setOf(n) })).id)
      assert.equal(refusalOf(await t.request({ amount: '65', walletIds: setOf(65) })), 'too_many_wallet_sets')
      await t.void(ids[5] ?? '')
      await t.invoice({ amount: '65', walletIds: setOf(65) })
      assert.equal(refusalOf(await t.request({ amount: '66', walletIds: setOf(6) })), 'too_many_wallet_sets')
    })
  })

  describe('a reference', () => {
    scenario('is given to exactly one of many that ask at once, on different wallets', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const batch = Array.from({ length: 40 }, (_, i) => ({
        type: 'invoice' as const,
        request: invoiceRequest({
          reference: 'one',
          amount: `${i + 1}`,
          walletIds: [i % 2 === 0 ? 'wallet-1' : 'wallet-2'],
        }),
      }))
      const results = (await t.store.commands.perform(batch)).map(settledValue)
      assert.equal(results.filter((result) => result.type === 'invoice' && result.outcome.ok).length, 1)
    })

    scenario('is compared exactly', async (t) => {
      await t.own('alice', 'wallet-1')
      for (const [i, reference] of ['a', 'A', 'a ', ' a', 'ä', 'a\u0308'].entries()) {
        await t.invoice({ reference, amount: `${i + 1}` })
      }
    })

    scenario('stays in use when its invoice is paid', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r' })
      await t.deposit('confirmed')
      t.clock.advance(120_000)
      assert.equal(refusalOf(await t.request({ reference: 'r', amount: '7' })), 'reference_in_use')
    })
  })
}
