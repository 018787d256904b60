import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import type { OldestQueued } from '../../../src/store/outbox.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const ANSWERED: DeliveryResult = { kind: 'answered', httpStatus: 500, durationMs: 12 }
const ORIGINS = 5

/** What an operator is told of the outbox without its being read. */
export function describeOutboxDepth(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** One delivery to each origin, a second apart, the first at the store's start. */
  const owe = async (t: Scenario, origins: number) => {
    await t.own('alice', 'wallet-1')
    const owed = []
    for (let i = 0; i < origins; i += 1) {
      t.clock.set(START_MS)
      const amount = String(100 + i)
      await t.invoice({ amount, reference: `r${i}`, callbackUrl: `https://shop${i}.example/hook` })
      t.clock.set(START_MS + i * 1000)
      const recorded = await t.deposit('pending', { txHash: `0x${i}`, amount })
      owed.push(present(recorded.owed[0]))
    }
    return owed
  }

  describe('the depth of the outbox', () => {
    scenario('follows deliveries from state to state and forgets those that are settled', async (t) => {
      assert.deepEqual(await t.store.outbox.depth(), { queued: 0, attempted: 0, waiting: 0 })
      const [first, second, third] = await owe(t, ORIGINS)
      assert.deepEqual(await t.store.outbox.depth(), { queued: 5, attempted: 0, waiting: 0 })
      for (const one of [first, second, third]) await t.store.outbox.markAttempted(present(one).id)
      assert.deepEqual(await t.store.outbox.depth(), { queued: 2, attempted: 3, waiting: 0 })
      await t.store.outbox.recordResult(present(first).id, ANSWERED, () => null)
      await t.store.outbox.recordResult(present(second).id, ANSWERED, () => START_MS + 60_000)
      assert.deepEqual(await t.store.outbox.depth(), { queued: 2, attempted: 1, waiting: 1 })
      await t.harness.reopen()
      assert.deepEqual(await t.store.outbox.depth(), { queued: 2, attempted: 1, waiting: 1 })
    })

    scenario(
      'names the oldest queued delivery, whatever lane it is in and however few are looked at at once',
      async (t) => {
        assert.deepEqual(await t.store.outbox.oldestQueued(null, 10), { createdAt: null, next: null })
        const owed = await owe(t, ORIGINS)
        for (const [i, { id }] of owed.entries()) {
          for (const lanes of [1, 2, ORIGINS, ORIGINS + 1]) {
            const seen: OldestQueued[] = []
            let after: string | null = null
            do {
              const found: OldestQueued = await t.store.outbox.oldestQueued(after, lanes)
              seen.push(found)
              after = found.next
            } while (after !== null && seen.length <= ORIGINS + 1)
            const times = seen.flatMap(({ createdAt }) => createdAt ?? [])
            assert.equal(Math.min(...times), START_MS + i * 1000, `${lanes} lanes at once`)
            // Nothing but the last look, which may find nothing more, tells less than all lanes it was asked for.
            assert.equal(seen.length, Math.floor((ORIGINS - i) / lanes) + 1)
          }
          await t.store.outbox.markAttempted(id)
        }
        assert.deepEqual(await t.store.outbox.oldestQueued(null, 10), { createdAt: null, next: null })
      },
    )
  })
}
