import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** What came to wallets in another currency than the one that is asked for there. */
export function describeStrayDeposits(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await run(t)
      }),
    )

  const coin = (txHash: string, receivedAt: number, fields: Readonly<Record<string, unknown>> = {}) =>
    ({ txHash, currency: '#native', amount: '90', receivedAt, ...fields }) as const

  async function strays(t: Scenario, limit = 3, since = START_MS) {
    const search = { walletIds: ['wallet-1', 'wallet-2'], currency: 'USDT', since } as const
    return await t.store.deposits.strays(search, limit)
  }

  async function hashes(t: Scenario, limit?: number): Promise<readonly string[]> {
    return (await strays(t, limit)).map(({ txHash }) => txHash)
  }

  describe('stray deposits', () => {
    scenario('are what came in another currency, newest first, with what it is', async (t) => {
      assert.deepEqual(await strays(t), [])
      await t.deposit('pending', coin('0xa', START_MS + 5))
      await t.deposit('confirmed', coin('0xb', START_MS + 6, { amount: '1.5', toAddress: addressOf('wallet-2') }))
      await t.deposit('confirmed', coin('0xc', START_MS + 7, { currency: 'Tether', amount: '1000000' }))
      await t.harness.reopen()
      const expected = (txHash: string, amount: string) => ({ network: 'SEP', txHash, currency: 'native', amount })
      assert.deepEqual(await strays(t), [expected('0xb', '1.5'), expected('0xa', '90')])
    })

    scenario('are not what came before, what was dropped, and what is elsewhere', async (t) => {
      await t.own('alice', 'wallet-3')
      await t.deposit('pending', coin('0xa', START_MS))
      await t.deposit('pending', coin('0xb', START_MS + 1))
      await t.deposit('dropped', coin('0xb', START_MS + 1))
      await t.deposit('pending', coin('0xc', START_MS + 2, { toAddress: addressOf('wallet-3') }))
      assert.deepEqual(await strays(t), [])
    })

    scenario('are not what another invoice has asked for', async (t) => {
      await t.invoice({ currency: 'native', amount: '90', reference: 'other', callbackUrl: 'https://shop.example/' })
      await t.deposit('pending', coin('0xa', START_MS + 5))
      await t.deposit('pending', coin('0xb', START_MS + 6, { amount: '7', toAddress: addressOf('wallet-2') }))
      assert.deepEqual(await hashes(t), ['0xb'])
    })

    scenario('are found behind any number that other invoices have asked for', async (t) => {
      await t.deposit('pending', coin('0xa', START_MS + 1, { amount: '7' }))
      for (const n of [1, 2, 3]) {
        const amount = `${90 + n}`
        await t.invoice({ currency: 'native', amount, reference: `r-${n}`, callbackUrl: 'https://shop.example/' })
        await t.deposit('pending', coin(`0x${n}`, START_MS + 5 + n, { amount }))
      }
      assert.deepEqual(await hashes(t, 2), ['0xa'])
    })

    scenario('are at most as many as are asked for, the newest ones', async (t) => {
      for (const n of [1, 2, 3]) await t.deposit('pending', coin(`0x${n}`, START_MS + n))
      assert.deepEqual(await hashes(t, 2), ['0x3', '0x2'])
      assert.deepEqual(await strays(t, 3, START_MS + 2).then((found) => found.map(({ txHash }) => txHash)), ['0x3'])
    })
  })
}
