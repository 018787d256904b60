import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DepositReport, Sighting } from '../../../src/domain/deposit.js'
import type { Store } from '../../../src/store/store.js'
import { present, type Scenario, withStore } from '../../contract/store/harness.js'
import { addressOf, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { openLmdbHarness } from '../../support/lmdb-harness.js'
import { START_MS } from '../../support/manual-clock.js'

const scenario = (run: (t: Scenario) => Promise<void>) => withStore(openLmdbHarness, run)

async function answer(store: Store, id: string) {
  return present(await store.invoices.findWithPayment(id))
}

/** An answer is kept from the second read on. */
async function keptAnswer(store: Store, id: string) {
  await answer(store, id)
  const kept = await answer(store, id)
  assert.ok(store.invoices.isKept(id))
  return kept
}

describe('the answer for an invoice', () => {
  test(
    'is the same object while nothing was deposited to its wallets',
    scenario(async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const { id } = await t.invoice()
      const first = await keptAnswer(t.store, id)
      await t.invoice({ amount: '7' })
      await t.deposit('confirmed', { toAddress: addressOf('wallet-2') })
      await t.deposit('confirmed', { currency: 'Tether', amount: '100000000', txHash: '0xtoken' })
      assert.equal(await answer(t.store, id), first)
    }),
  )

  test(
    'is not kept when it is read once: a walk through many invoices makes none forgotten that is read again',
    scenario(async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      const kept = await keptAnswer(t.store, id)
      const amounts = Array.from({ length: 100 }, (_, n) => String(n + 1000))
      const walked = await Promise.all(amounts.map((amount) => t.invoice({ amount })))
      for (const one of walked) await answer(t.store, one.id)
      assert.deepEqual(
        walked.filter((one) => t.store.invoices.isKept(one.id)),
        [],
      )
      assert.equal(await answer(t.store, id), kept)
    }),
  )

  test(
    'is not kept of an invoice that expires, which changes it with the time',
    scenario(async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ expiresInSeconds: 60 })
      for (let n = 0; n < 3; n += 1) await answer(t.store, id)
      assert.equal(t.store.invoices.isKept(id), false)
    }),
  )

  const histories: readonly (readonly [string, readonly (readonly [DepositReport, Partial<Sighting>, string])[]])[] = [
    [
      'a deposit that is seen, confirmed, dropped and seen again',
      [
        ['pending', {}, 'pending 100'],
        ['confirmed', {}, 'received 100'],
        ['dropped', {}, 'nothing'],
        ['pending', {}, 'pending 100'],
      ],
    ],
    [
      'a deposit that takes the place of a dropped one, of the same amount but from before the invoice',
      [
        ['confirmed', { txHash: '0xlast', receivedAt: START_MS + 90_000, amount: '1' }, 'received 1'],
        ['confirmed', {}, 'received 101'],
        ['dropped', {}, 'received 1'],
        ['confirmed', { txHash: '0xearly', receivedAt: START_MS - 60_000 }, 'received 1'],
      ],
    ],
  ]
  for (const [what, reports] of histories) {
    test(
      `tells at once of ${what}`,
      scenario(async (t) => {
        await t.own('alice', 'wallet-1')
        const { id } = await t.invoice({ amount: '1000' })
        await keptAnswer(t.store, id)
        for (const [report, fields, expected] of reports) {
          await t.deposit(report, fields)
          const { received, pending } = (await answer(t.store, id)).payment
          const told = received !== '0' ? `received ${received}` : pending !== '0' ? `pending ${pending}` : 'nothing'
          assert.equal(told, expected)
        }
      }),
    )
  }

  test(
    'tells what came to an address before it was known',
    scenario(async (t) => {
      await t.own('alice', 'wallet-1')
      await t.tell(walletAssigned('wallet-2', 'alice'))
      await t.deposit('confirmed', { toAddress: addressOf('wallet-2') })
      await t.tell(walletCreated('wallet-2'))
      const { id } = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      assert.equal((await answer(t.store, id)).payment.received, '100')
    }),
  )

  test(
    'forgets a deposit whose commit failed',
    scenario(async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ reference: 'order', callbackUrl: 'https://example.com/' })
      const before = await keptAnswer(t.store, id)
      t.harness.failIds(new Error('no id'))
      await assert.rejects(t.deposit('confirmed'), /no id/)
      t.harness.failIds(null)
      assert.equal(await answer(t.store, id), before)
      await t.deposit('confirmed', { amount: '30' })
      assert.equal((await answer(t.store, id)).payment.received, '30')
    }),
  )
})
