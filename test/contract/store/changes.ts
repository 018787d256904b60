import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/store/store.js'
import { walletCreated } from '../../support/fixtures.js'
import { type OpenStore, withStore } from './harness.js'

/** The next change. An engine that is never heard fails by the time limit of the tests. */
function nextChange(
  store: Store,
): Promise<{ readonly wallets: readonly string[]; readonly invoices: readonly string[] }> {
  return new Promise((resolve) => {
    const end = store.changes.onChange(({ walletIds, invoiceIds }) => {
      end()
      resolve({ wallets: [...walletIds].sort(), invoices: [...invoiceIds] })
    })
  })
}

export function describeChanges(open: OpenStore): void {
  test(
    'tells the invoice that a deposit is matched to, and no wallet, until the deposit is dropped',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const { id } = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      await t.invoice({ walletIds: ['wallet-1', 'wallet-2'], amount: '26' })
      for (const report of ['pending', 'confirmed'] as const) {
        const change = nextChange(t.store)
        await t.deposit(report)
        assert.deepEqual(await change, { wallets: [], invoices: [id] }, report)
      }
      const dropped = nextChange(t.store)
      await t.deposit('dropped')
      assert.deepEqual(await dropped, { wallets: ['wallet-1'], invoices: [] })
      const again = nextChange(t.store)
      await t.deposit('confirmed')
      assert.deepEqual(await again, { wallets: [], invoices: [id] })
    }),
  )

  test(
    'tells the wallet of a deposit that is matched once it is confirmed: others have shown it',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1')
      const seen = nextChange(t.store)
      await t.deposit('pending')
      assert.deepEqual(await seen, { wallets: ['wallet-1'], invoices: [] })
      await t.invoice()
      const confirmed = nextChange(t.store)
      await t.deposit('confirmed')
      assert.deepEqual(await confirmed, { wallets: ['wallet-1'], invoices: [] })
    }),
  )

  test(
    'tells the wallet of each report about a deposit that is matched to no invoice',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (const report of ['pending', 'confirmed', 'dropped'] as const) {
        const change = nextChange(t.store)
        await t.deposit(report)
        assert.deepEqual(await change, { wallets: ['wallet-1'], invoices: [] }, report)
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
      assert.deepEqual((await voided).wallets, ['wallet-1', 'wallet-2'])
      const known = nextChange(t.store)
      await t.tell(walletCreated('wallet-3'))
      assert.deepEqual((await known).wallets, ['wallet-3'])
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
