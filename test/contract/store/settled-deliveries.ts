import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import { unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const DAY_MS = 24 * 60 * 60 * 1000
const ANSWERED: DeliveryResult = { kind: 'answered', httpStatus: 200, durationMs: 1 }
const NEVER = () => null

/** What becomes of deliveries that were settled long ago. */
export function describeSettledDeliveries(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** Deliveries made a day apart, from the oldest. */
  const owe = async (t: Scenario, count: number): Promise<readonly string[]> => {
    await t.own('alice', 'wallet-1')
    await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/hook' })
    const ids: string[] = []
    for (let day = 0; day < count; day += 1) {
      t.clock.set(START_MS + day * DAY_MS)
      const { owed } = await t.deposit('pending', { txHash: `0x${day}`, receivedAt: START_MS + 1 })
      ids.push(present(owed[0]).id)
    }
    return ids
  }

  const settle = async (t: Scenario, ids: readonly string[]) => {
    for (const id of ids) {
      await t.store.outbox.markAttempted(id)
      await t.store.outbox.recordResult(id, ANSWERED, NEVER)
    }
  }

  const listed = async (t: Scenario) => {
    const { items } = await t.store.outbox.page('alice', { after: null, limit: 100 })
    return items.map(({ id }) => id).reverse()
  }

  describe('deliveries that were settled before a time', () => {
    scenario('are removed, later ones and others stay', async (t) => {
      const ids = await owe(t, 6)
      t.clock.set(START_MS)
      await settle(t, [ids[0] ?? '', ids[2] ?? '', ids[5] ?? ''])
      await t.store.outbox.markAttempted(ids[3] ?? '')
      assert.equal(await t.store.outbox.removeSettledBefore(START_MS + 5 * DAY_MS, 100), 2)
      const left = [ids[1], ids[3], ids[4], ids[5]]
      assert.deepEqual(await listed(t), left)
      assert.equal(await t.store.outbox.find(ids[0] ?? ''), undefined)
      await t.harness.reopen()
      assert.deepEqual(await listed(t), left)
      const refused = await t.store.outbox.redeliver('alice', ids[0] ?? '')
      assert.equal(refused.ok ? null : refused.failure.code, 'delivery_not_found')
    })

    scenario('stay when they were sent again since', async (t) => {
      const [id = ''] = await owe(t, 1)
      await settle(t, [id])
      t.clock.advance(10 * DAY_MS)
      unwrap(await t.store.outbox.redeliver('alice', id))
      await settle(t, [id])
      assert.equal(await t.store.outbox.removeSettledBefore(START_MS + 5 * DAY_MS, 100), 0)
      assert.equal(await t.store.outbox.removeSettledBefore(START_MS + 11 * DAY_MS, 100), 1)
    })

    scenario('are removed piece by piece, also behind more that stay than a piece holds', async (t) => {
      const ids = await owe(t, 7)
      t.clock.set(START_MS)
      await settle(t, ids.slice(5))
      const pieces: number[] = []
      for (let piece = 0; piece < 4; piece += 1) {
        pieces.push(await t.store.outbox.removeSettledBefore(START_MS + 100 * DAY_MS, 2))
      }
      assert.deepEqual(pieces, [0, 0, 1, 1])
      assert.deepEqual(await listed(t), ids.slice(0, 5))
      await settle(t, ids.slice(0, 2))
      assert.equal(await t.store.outbox.removeSettledBefore(START_MS + 100 * DAY_MS, 2), 2)
    })

    scenario('are none before the first', async (t) => {
      const ids = await owe(t, 1)
      await settle(t, ids)
      for (const timeMs of [-1, 0, START_MS]) assert.equal(await t.store.outbox.removeSettledBefore(timeMs, 100), 0)
    })
  })
}
