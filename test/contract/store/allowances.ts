import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenStore, withStore } from './harness.js'

/** What several processes owe each other is shown where an engine has several. */
export function describeAllowances(open: OpenStore): void {
  test(
    'debts of clients add up, are paid by time, and are those of a limit; a store of one process keeps none',
    withStore(open, async ({ store: { allowances }, clock }) => {
      const debt = { limit: 'requests', client: 'a', micros: 5_000_000 }
      const others = [
        { ...debt, client: 'b', micros: 1_000_000 },
        { ...debt, limit: 'claims' },
      ]
      const first = await allowances.exchange([debt, ...others])
      if (!allowances.isShared) {
        assert.deepEqual(first, [])
        return
      }
      const owed = (debts: typeof first) =>
        debts.map(({ limit, client, micros }) => `${limit} ${client} ${micros}`).sort()
      assert.deepEqual(owed(first), ['claims a 5000000', 'requests a 5000000', 'requests b 1000000'])
      clock.advance(2000)
      assert.deepEqual(owed(await allowances.exchange([debt])), ['claims a 3000000', 'requests a 8000000'])
      clock.advance(60_000)
      assert.deepEqual(owed(await allowances.exchange([others[0] ?? debt])), ['requests b 1000000'])
    }),
  )
}
