import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/store/store.js'
import { walletCreated } from '../../support/fixtures.js'
import { type OpenStore, withStore } from './harness.js'

/** The wallets of the next change. An engine that is never heard fails by the time limit of the tests. */
function nextChange(store: Store): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const end = store.changes.onChange((walletIds) => {
      end()
      resolve([...walletIds])
    })
  })
}

export function describeChanges(open: OpenStore): void {
  test(
    'tells the wallet of each report about a deposit',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (const report of ['pending', 'confirmed', 'dropped'] as const) {
        const change = nextChange(t.store)
        await t.deposit(report)
        assert.deepEqual(await change, ['wallet-1'], report)
      }
    }),
  )

  test(
    'tells the wallets of an invoice that is voided, and a wallet whose address becomes known',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const { id } = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      const voided = nextChange(t.store)
      await t.void(id)
      assert.deepEqual([...(await voided)].sort(), ['wallet-1', 'wallet-2'])
      const known = nextChange(t.store)
      await t.tell(walletCreated('wallet-3'))
      assert.deepEqual(await known, ['wallet-3'])
    }),
  )

  test(
    'tells what can be read already, and nobody who has ended it',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      const pending = new Promise((resolve) => {
        const end = t.store.changes.onChange(() => {
          end()
          resolve(t.paymentOf(invoice).then((payment) => payment.pending))
        })
      })
      t.store.changes.onChange(() => assert.fail('it was ended'))()
      await t.deposit('pending')
      assert.notEqual(await pending, '0')
    }),
  )
}
