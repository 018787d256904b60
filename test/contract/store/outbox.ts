import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const ANSWERED: DeliveryResult = { kind: 'answered', httpStatus: 204, durationMs: 12 }
/** The decision of a service without retries. */
const NEVER = () => null
const FAILED: DeliveryResult = { kind: 'failed', reason: 'dns', detail: 'no such host', durationMs: 3 }

/** The life of a delivery: queued, attempted, settled (decisions 7). */
export function describeOutbox(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** `count` deposits to an invoice each of whose deliveries goes to `url`. */
  const owe = async (
    t: Scenario,
    count: number,
    url = 'https://example.com/a',
    owner = 'alice',
    wallet = 'wallet-1',
  ) => {
    await t.own(owner, wallet)
    const reference = `${owner} ${url}`
    await t.invoice({
      owner,
      walletIds: [wallet],
      amount: `${url.length}.${owner.length}`,
      reference,
      callbackUrl: url,
    })
    const owed = []
    for (let i = 0; i < count; i += 1) {
      const toAddress = `0xAddress-of-${wallet}`
      owed.push(
        ...(
          await t.deposit('pending', { txHash: `${reference}${i}`, toAddress, amount: `${url.length}.${owner.length}` })
        ).owed,
      )
    }
    assert.equal(owed.length, count)
    return owed
  }

  describe('a delivery', () => {
    scenario('is queued, then attempted, then settled, and survives restarts in each state', async (t) => {
      const [owed] = await owe(t, 1)
      const { id, lane } = present(owed)
      await t.harness.reopen()
      assert.deepEqual(await t.store.outbox.queuedLanes(), [{ lane, owner: 'alice' }])
      assert.deepEqual(
        (await t.store.outbox.queued(lane, null, 10)).map((one) => [one.id, one.state]),
        [[id, 'queued']],
      )

      t.clock.set(START_MS + 500)
      assert.equal(await t.store.outbox.markAttempted(id), true)
      await t.harness.reopen()
      assert.deepEqual(await t.store.outbox.queuedLanes(), [])
      assert.deepEqual(await t.store.outbox.queued(lane, null, 10), [])
      const attempted = present(await t.store.outbox.find(id))
      assert.deepEqual([attempted.state, attempted.attempts, attempted.attemptedAt], ['attempted', 1, START_MS + 500])

      await t.store.outbox.recordResult(id, ANSWERED, NEVER)
      await t.harness.reopen()
      assert.deepEqual(await t.store.outbox.find(id), { ...attempted, state: 'settled', result: ANSWERED })
      assert.equal(await t.store.outbox.settleInterrupted(NEVER), 0)
    })

    scenario('keeps the reason of a failure', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await t.store.outbox.markAttempted(id)
      await t.store.outbox.recordResult(id, FAILED, NEVER)
      assert.deepEqual((await t.store.outbox.find(id))?.result, FAILED)
    })

    scenario('is attempted once, however many ask', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      const marks = await Promise.all(Array.from({ length: 20 }, () => t.store.outbox.markAttempted(id)))
      assert.equal(marks.filter(Boolean).length, 1)
      await t.store.outbox.recordResult(id, ANSWERED, NEVER)
      assert.equal(await t.store.outbox.markAttempted(id), false)
    })

    scenario('has a result only while it is under way', async (t) => {
      const [owed] = await owe(t, 1)
      const { id } = present(owed)
      await assert.rejects(t.store.outbox.recordResult(id, ANSWERED, NEVER))
      assert.equal((await t.store.outbox.find(id))?.state, 'queued')
      await t.store.outbox.markAttempted(id)
      await t.store.outbox.recordResult(id, ANSWERED, NEVER)
      await assert.rejects(t.store.outbox.recordResult(id, FAILED, NEVER))
      assert.deepEqual((await t.store.outbox.find(id))?.result, ANSWERED)
    })

    scenario('is marked although the mark of an unknown one beside it is rejected', async (t) => {
      const ids = (await owe(t, 3)).map((one) => one.id)
      const marks = await Promise.allSettled([...ids, '0'.repeat(32)].map((id) => t.store.outbox.markAttempted(id)))
      assert.deepEqual(
        marks.map((mark) => mark.status === 'fulfilled' && mark.value),
        [true, true, true, false],
      )
      assert.equal(marks.at(-1)?.status, 'rejected')
    })

    scenario('that was under way when the process died is interrupted and not sent again', async (t) => {
      const owed = await owe(t, 3)
      const [first, second, third] = owed.map((one) => one.id)
      for (const id of [first, second]) await t.store.outbox.markAttempted(id ?? '')
      await t.store.outbox.recordResult(first ?? '', ANSWERED, NEVER)
      await t.harness.reopen()
      assert.equal(await t.store.outbox.settleInterrupted(NEVER), 1)
      assert.equal(await t.store.outbox.settleInterrupted(NEVER), 0)
      const result = (await t.store.outbox.find(second ?? ''))?.result
      assert.equal(result?.kind === 'failed' && result.reason, 'interrupted')
      assert.equal(await t.store.outbox.markAttempted(second ?? ''), false)
      assert.deepEqual(
        (await t.store.outbox.queued(owed[0]?.lane ?? '', null, 9)).map(({ id }) => id),
        [third],
      )
    })

    scenario('stays behind those queued before it, also when the clock was set back in between', async (t) => {
      const [pending] = await owe(t, 1)
      const { lane } = present(pending)
      const { toAddress, txHash, amount } = JSON.parse(present(await t.store.outbox.find(present(pending).id)).body)
      t.clock.set(START_MS - 30_000)
      const { owed } = await t.deposit('confirmed', { txHash, toAddress, amount })
      const confirmed = present(owed[0])
      assert.equal(confirmed.lane, lane)
      assert.deepEqual(
        (await t.store.outbox.queued(lane, null, 9)).map(({ id, status }) => [id, status]),
        [
          [present(pending).id, 'pending'],
          [confirmed.id, 'confirmed'],
        ],
      )
      assert.equal((await t.store.outbox.find(confirmed.id))?.createdAt, START_MS - 30_000)
    })

    for (const [name, ofLane] of [
      ['of its own receiver', 'https://example.com/a'],
      ['of another receiver', 'https://example.com:8443/b'],
    ] as const) {
      // A dispatcher that has read up to one of them goes on behind it.
      scenario(`stays behind those before it ${name} that are not queued any more, also over a restart`, async (t) => {
        const ids = (await owe(t, 2, ofLane)).map((one) => one.id)
        for (const id of ids) await t.store.outbox.markAttempted(id)
        for (const lateMs of [30_000, 60_000]) {
          t.clock.set(START_MS - lateMs)
          ids.push(
            ...(await owe(t, 2, `https://example.com/${lateMs}`, 'alice', `wallet-${lateMs}`)).map((one) => one.id),
          )
          await t.harness.reopen()
        }
        assert.equal(ids.length, 6)
        assert.deepEqual(ids, [...new Set(ids)].sort())
      })
    }

    scenario('that does not exist is not found', async (t) => {
      for (const id of ['', 'zz', '0'.repeat(32)]) assert.equal(await t.store.outbox.find(id), undefined)
    })
  })

  describe('a lane', () => {
    scenario('is an owner and an origin', async (t) => {
      const lanes = [
        ...(await owe(t, 1, 'https://example.com/a')),
        ...(await owe(t, 1, 'https://EXAMPLE.com:443/other?x=1')),
        ...(await owe(t, 1, 'https://example.com:8443/a')),
        ...(await owe(t, 1, 'http://example.com/a')),
        ...(await owe(t, 1, 'https://example.com/a', 'bob', 'bobs')),
      ].map(({ lane, owner }) => ({ lane, owner }))
      assert.deepEqual(lanes[0], lanes[1])
      assert.equal(new Set(lanes.map(({ lane }) => lane)).size, 4)
      assert.deepEqual(new Set(await t.store.outbox.queuedLanes()), new Set(lanes.slice(1)))
      assert.ok(lanes.every(({ lane }) => /^[0-9a-f]+$/.test(lane)))
    })

    scenario('lists what is queued, oldest first, behind a delivery and up to a limit', async (t) => {
      const owed = await owe(t, 5)
      await owe(t, 2, 'https://example.com/b', 'bob', 'bobs')
      const ids = owed.map((one) => one.id)
      const lane = owed[0]?.lane ?? ''
      const queued = async (after: string | null, limit: number) =>
        (await t.store.outbox.queued(lane, after, limit)).map(({ id }) => id)
      assert.deepEqual(await queued(null, 10), ids)
      assert.deepEqual(await queued(null, 2), ids.slice(0, 2))
      assert.deepEqual(await queued(ids[1] ?? '', 2), ids.slice(2, 4))
      assert.deepEqual(await queued(ids[4] ?? '', 2), [])
      for (const id of [ids[0], ids[2]]) await t.store.outbox.markAttempted(id ?? '')
      assert.deepEqual(await queued(null, 10), [ids[1], ids[3], ids[4]])
      assert.deepEqual(await queued(ids[2] ?? '', 10), [ids[3], ids[4]])
    })
  })
}
