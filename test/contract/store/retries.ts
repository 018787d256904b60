import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RetryDecision } from '../../../src/domain/retry.js'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import type { OwedDelivery } from '../../../src/store/outbox.js'
import { refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const HOOK = 'https://shop.example/hook'
const FAILED: DeliveryResult = { kind: 'answered', httpStatus: 500, durationMs: 7 }
const DELIVERED: DeliveryResult = { kind: 'answered', httpStatus: 204, durationMs: 7 }
const PATIENT = 100

const never: RetryDecision = () => null
const at =
  (timeMs: number): RetryDecision =>
  () =>
    timeMs

/** Attempts after the first one: durable retries, redelivery, and the list that tells of them (decisions 7). */
export function describeRetries(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** `count` deliveries to `owner`, one for each of as many invoices. */
  const owe = async (t: Scenario, count: number, owner = 'alice'): Promise<readonly OwedDelivery[]> => {
    const wallet = `wallet of ${owner}`
    await t.own(owner, wallet)
    const owed: OwedDelivery[] = []
    for (let i = 1; i <= count; i += 1) {
      const amount = `${i}`
      await t.invoice({ owner, walletIds: [wallet], amount, reference: `${owner} ${i}`, callbackUrl: HOOK })
      const toAddress = `0xAddress-of-${wallet}`
      owed.push(...(await t.deposit('pending', { txHash: `${owner}${i}`, toAddress, amount })).owed)
    }
    assert.equal(owed.length, count)
    return owed
  }

  const attempt = async (t: Scenario, id: string, result: DeliveryResult, retry: RetryDecision) => {
    assert.equal(await t.store.outbox.markAttempted(id), true)
    return t.store.outbox.recordResult(id, result, retry)
  }

  const stateOf = async (t: Scenario, id: string) => {
    const { state, attempts, attemptsBefore, nextAttemptAt } = present(await t.store.outbox.find(id))
    return { state, attempts, attemptsBefore, nextAttemptAt }
  }

  describe('a delivery that is to be attempted again', () => {
    scenario('waits for its time, in no lane, across restarts, and is queued then', async (t) => {
      const [owed] = await owe(t, 1)
      const { id, lane } = present(owed)
      const dueAt = START_MS + 5000
      assert.equal(await attempt(t, id, FAILED, at(dueAt)), dueAt)
      await t.harness.reopen()
      assert.deepEqual(await stateOf(t, id), {
        state: 'waiting',
        attempts: 1,
        attemptsBefore: 0,
        nextAttemptAt: dueAt,
      })
      assert.deepEqual((await t.store.outbox.find(id))?.result, FAILED)
      assert.deepEqual(await t.store.outbox.queuedLanes(), [])
      assert.equal(await t.store.outbox.markAttempted(id), false)
      assert.equal(await t.store.outbox.nextRetryAt(), dueAt)
      t.clock.set(dueAt - 1)
      assert.deepEqual(await t.store.outbox.releaseRetries(PATIENT, 10), [])
      t.clock.set(dueAt)
      assert.deepEqual(await t.store.outbox.releaseRetries(PATIENT, 10), [{ id, lane, owner: 'alice' }])
      await t.harness.reopen()
      assert.equal(await t.store.outbox.nextRetryAt(), null)
      assert.deepEqual(await stateOf(t, id), { state: 'queued', attempts: 1, attemptsBefore: 0, nextAttemptAt: null })
      assert.equal(await attempt(t, id, DELIVERED, never), null)
      assert.deepEqual(await stateOf(t, id), { state: 'settled', attempts: 2, attemptsBefore: 0, nextAttemptAt: null })
    })

    scenario('is decided upon with the delivery as it is, its attempt counted', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      const seen: unknown[] = []
      await attempt(t, id, FAILED, (delivery, result) => {
        seen.push([delivery.id, delivery.state, delivery.attempts, result])
        return null
      })
      assert.deepEqual(seen, [[id, 'attempted', 1, FAILED]])
    })

    scenario('comes with others in the order of their times, up to a limit', async (t) => {
      const owed = await owe(t, 4)
      const times = [START_MS + 400, START_MS + 100, START_MS + 300, START_MS + 200]
      for (const [i, { id }] of owed.entries()) await attempt(t, id, FAILED, at(times[i] ?? 0))
      t.clock.set(START_MS + 300)
      const ids = owed.map(({ id }) => id)
      const released = async () => (await t.store.outbox.releaseRetries(PATIENT, 2)).map(({ id }) => ids.indexOf(id))
      assert.deepEqual(await released(), [1, 3])
      assert.deepEqual(await released(), [2])
      assert.deepEqual(await released(), [])
      assert.equal(await t.store.outbox.nextRetryAt(), START_MS + 400)
    })

    scenario('waits no longer than it was to wait when the clock is set back', async (t) => {
      const owed = await owe(t, 5)
      const ids = owed.map(({ id }) => id)
      const [early = '', ...late] = ids
      await attempt(t, early, FAILED, at(START_MS + 7_200_000))
      t.clock.set(START_MS + 3_600_000)
      for (const [i, id] of late.entries()) await attempt(t, id, FAILED, at(START_MS + 3_600_000 + (i + 1) * 1000))
      t.clock.set(START_MS + 60_000)
      const adjust = async () => {
        let last = await t.store.outbox.adjustRetries(null, 2)
        for (let pages = 1; last !== null; pages += 1) {
          assert.ok(pages <= 3)
          last = await t.store.outbox.adjustRetries(last, 2)
        }
      }
      const times = async () =>
        Promise.all(
          ids.map(async (id) => {
            const { nextAttemptAt, attemptedAt } = present(await t.store.outbox.find(id))
            return [(attemptedAt ?? 0) - START_MS, (nextAttemptAt ?? 0) - START_MS]
          }),
        )
      await adjust()
      const adjusted = [[0, 7_200_000], ...late.map((_, i) => [60_000, 60_000 + (i + 1) * 1000])]
      assert.deepEqual(await times(), adjusted)
      t.clock.set(START_MS + 61_000)
      await adjust()
      assert.deepEqual(await times(), adjusted, 'once')
      await t.harness.reopen()
      assert.equal(await t.store.outbox.nextRetryAt(), START_MS + 61_000)
      t.clock.set(START_MS + 64_000)
      const released = await t.store.outbox.releaseRetries(PATIENT, 10)
      assert.deepEqual(
        released.map(({ id }) => id),
        late,
      )
    })

    scenario('is settled instead when the attempts have been lowered meanwhile', async (t) => {
      const [first, second] = await owe(t, 2)
      const ids = [present(first).id, present(second).id] as const
      for (const id of ids) await attempt(t, id, FAILED, at(START_MS))
      await t.store.outbox.redeliver('alice', ids[1])
      await attempt(t, ids[1], FAILED, at(START_MS))
      assert.deepEqual(await t.store.outbox.releaseRetries(1, 10), [])
      assert.equal(await t.store.outbox.nextRetryAt(), null)
      for (const id of ids) assert.equal((await stateOf(t, id)).state, 'settled')
      assert.deepEqual((await t.store.outbox.find(ids[0]))?.result, FAILED)
    })

    scenario('leaves the lane to the confirmed one of its deposit', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: HOOK })
      const [pending] = (await t.deposit('pending')).owed
      const [confirmed] = (await t.deposit('confirmed')).owed
      await attempt(t, present(pending).id, FAILED, at(START_MS + 1))
      const queued = await t.store.outbox.queued(present(pending).lane, null, 10)
      assert.deepEqual(
        queued.map(({ id }) => id),
        [present(confirmed).id],
      )
    })

    scenario('may be one that was under way when the process died', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await t.store.outbox.markAttempted(id)
      await t.harness.reopen()
      assert.equal(await t.store.outbox.settleInterrupted(at(START_MS + 9)), 1)
      assert.equal(await t.store.outbox.settleInterrupted(at(START_MS + 9)), 0)
      assert.deepEqual(await stateOf(t, id), {
        state: 'waiting',
        attempts: 1,
        attemptsBefore: 0,
        nextAttemptAt: START_MS + 9,
      })
      const result = (await t.store.outbox.find(id))?.result
      assert.equal(result?.kind === 'failed' && result.reason, 'interrupted')
    })
  })

  describe('a redelivery', () => {
    scenario('queues the same delivery once more, durably, and counts its attempts anew', async (t) => {
      const [owed] = await owe(t, 1)
      const { id, lane } = present(owed)
      await attempt(t, id, DELIVERED, never)
      const before = present(await t.store.outbox.find(id))
      const redelivery = unwrap(await t.store.outbox.redeliver('alice', id))
      assert.deepEqual(redelivery, {
        delivery: { ...before, state: 'queued', attemptsBefore: 1 },
        owed: { id, lane, owner: 'alice' },
      })
      await t.harness.reopen()
      assert.deepEqual(await t.store.outbox.find(id), redelivery.delivery)
      assert.deepEqual(await t.store.outbox.queuedLanes(), [{ lane, owner: 'alice' }])
      await attempt(t, id, FAILED, never)
      assert.equal((await stateOf(t, id)).attempts, 2)
    })

    scenario('takes the place of the retry that a delivery waits for', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await attempt(t, id, FAILED, at(START_MS + 5))
      unwrap(await t.store.outbox.redeliver('alice', id))
      assert.equal(await t.store.outbox.nextRetryAt(), null)
      assert.deepEqual(await stateOf(t, id), { state: 'queued', attempts: 1, attemptsBefore: 1, nextAttemptAt: null })
    })

    scenario('is refused while the delivery is queued or under way, and changes nothing', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      const refused = async () => {
        const before = await t.store.outbox.find(id)
        assert.equal(refusalOf(await t.store.outbox.redeliver('alice', id)), 'delivery_in_progress')
        assert.deepEqual(await t.store.outbox.find(id), before)
      }
      await refused()
      await t.store.outbox.markAttempted(id)
      await refused()
    })

    scenario(
      'of a delivery that was redelivered is refused for a minute from that attempt, also after a restart',
      async (t) => {
        const [owed] = await owe(t, 1)
        const { id } = present(owed)
        await attempt(t, id, DELIVERED, never)
        unwrap(await t.store.outbox.redeliver('alice', id))
        t.clock.set(START_MS + 500)
        await attempt(t, id, DELIVERED, never)
        await t.harness.reopen()
        const settled = await stateOf(t, id)
        t.clock.set(START_MS + 500 + 59_999)
        assert.equal(refusalOf(await t.store.outbox.redeliver('alice', id)), 'too_many_redeliveries')
        assert.deepEqual(await stateOf(t, id), settled)
        t.clock.set(START_MS + 500 + 60_000)
        unwrap(await t.store.outbox.redeliver('alice', id))
      },
    )

    scenario('queues once, however many ask at the same time', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await attempt(t, id, FAILED, never)
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => t.store.outbox.redeliver('alice', id)))
      assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
    })

    scenario("is refused for what is not there and for another owner's", async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await attempt(t, id, FAILED, never)
      for (const [owner, other] of [
        ['bob', id],
        ['', id],
        ['alice', '0'.repeat(32)],
        ['alice', id.toUpperCase()],
        ['alice', 'zz'],
      ] as const) {
        assert.equal(refusalOf(await t.store.outbox.redeliver(owner, other)), 'delivery_not_found')
      }
      assert.equal((await stateOf(t, id)).state, 'settled')
    })
  })

  describe('the deliveries of an owner', () => {
    scenario('are listed newest first, in pages, whatever their state', async (t) => {
      const owed = await owe(t, 5)
      await owe(t, 2, 'bob')
      const ids = owed.map(({ id }) => id)
      await attempt(t, ids[0] ?? '', DELIVERED, never)
      await attempt(t, ids[1] ?? '', FAILED, at(START_MS + 1))
      await t.store.outbox.markAttempted(ids[2] ?? '')
      const pages = await t.walk((after) => t.store.outbox.page('alice', { after, limit: 2 }))
      assert.deepEqual(
        pages.flat().map(({ id, state }) => [ids.indexOf(id), state]),
        [
          [4, 'queued'],
          [3, 'queued'],
          [2, 'attempted'],
          [1, 'waiting'],
          [0, 'settled'],
        ],
      )
      assert.ok(pages.every((page) => page.length <= 2))
      assert.deepEqual(await t.store.outbox.page('nobody', { after: null, limit: 10 }), { items: [], next: null })
    })
  })
}
