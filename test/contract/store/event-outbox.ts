import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES, type EventType } from '../../../src/domain/event.js'
import type { RetryDecision } from '../../../src/domain/retry.js'
import type { Delivery, DeliveryResult } from '../../../src/domain/webhook.js'
import type { UnsentEvents } from '../../../src/store/event-outbox.js'
import { unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const HOOK = 'https://shop.example/hook'
const OWN_HOOK = 'https://order.example/hook'
const FAILED: DeliveryResult = { kind: 'answered', httpStatus: 500, durationMs: 7 }
const NEVER: RetryDecision = () => null
const MANY = 1000
const MINUTE_MS = 60_000

/** Events as webhooks (decisions 7). */
export function describeEventOutbox(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const follow = (t: Scenario, types?: readonly EventType[], owner = 'alice') =>
    t.store.webhooks.put(owner, HOOK, 'events', types)
  const eventsOf = async (t: Scenario, owner = 'alice') =>
    unwrap(await t.store.events.page(owner, { after: null, limit: MANY })).items

  /** Queues all that is to be queued of an owner, `limit` events at a time, and answers the deliveries in their order. */
  async function pump(t: Scenario, { owner = 'alice', limit = 3 } = {}) {
    const deliveries: Delivery[] = []
    const lost: UnsentEvents[] = []
    for (let pieces = 0; ; pieces += 1) {
      assert.ok(pieces < MANY, 'it has no end')
      const queued = await t.store.eventOutbox.queueNext(owner, limit)
      for (const { id } of queued.owed) deliveries.push(present(await t.store.outbox.find(id)))
      if (queued.lost !== null) lost.push(queued.lost)
      if (!queued.isMore) return { deliveries, lost, types: deliveries.map(({ event }) => event?.type) }
    }
  }

  const behind = async (t: Scenario, limit = MANY) => {
    const owners: string[] = []
    let after: string | null = null
    do {
      const page = await t.store.eventOutbox.behind(after, limit)
      owners.push(...page.owners)
      after = page.next
    } while (after !== null)
    return owners
  }

  describe('an owner who has chosen events', () => {
    scenario('is sent each, in order and once, in place of deposits in the specified fields', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      await t.invoice({ amount: '5', reference: 'r' })
      const deposit = { amount: '5', txHash: 'tx', receivedAt: START_MS + 1 }
      assert.deepEqual((await t.deposit('pending', deposit)).owed, [])
      assert.deepEqual((await t.deposit('confirmed', deposit)).owed, [])
      const events = await eventsOf(t)
      assert.equal(events.length, 4)
      const { deliveries } = await pump(t)
      assert.deepEqual(
        deliveries.map(({ body }) => body),
        events.map(({ id, type, at, ...data }) => JSON.stringify({ id, type, at, data })),
      )
      for (const [i, one] of deliveries.entries()) {
        const { id, type, invoiceId } = present(events[i])
        assert.deepEqual([one.event, one.status, one.invoiceId, one.url], [{ id, type }, null, invoiceId, HOOK])
      }
      await t.harness.reopen()
      assert.deepEqual((await pump(t)).deliveries, [])
      const [lane, ...others] = await t.store.outbox.queuedLanes()
      assert.deepEqual(others, [])
      const queued = await t.store.outbox.queued(present(lane).lane, null, MANY)
      assert.deepEqual(
        queued.map(({ id }) => id),
        deliveries.map(({ id }) => id),
      )
    })

    scenario('is sent those of the chosen types', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t, ['invoice.paid', 'deposit.confirmed'])
      await t.invoice({ amount: '5', reference: 'r' })
      await t.deposit('confirmed', { amount: '5', receivedAt: START_MS + 1 })
      assert.deepEqual((await pump(t)).types, ['deposit.confirmed', 'invoice.paid'])
      // What was passed over does not come back.
      await follow(t, [...EVENT_TYPES])
      assert.deepEqual((await pump(t)).types, [])
    })

    scenario('is sent what waits by the types of now, and what is queued as it is', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t, ['invoice.created'])
      await t.invoice({ amount: '5', reference: 'r' })
      assert.deepEqual((await pump(t)).types, ['invoice.created'])
      await t.deposit('confirmed', { amount: '5', receivedAt: START_MS + 1 })
      await follow(t, ['invoice.paid'])
      assert.deepEqual((await pump(t)).types, ['invoice.paid'])
      const { items } = await t.store.outbox.page('alice', { after: null, limit: MANY })
      assert.deepEqual(
        items.map(({ event, state }) => [event?.type, state]),
        [
          ['invoice.paid', 'queued'],
          ['invoice.created', 'queued'],
        ],
      )
    })

    scenario('is sent them to the URL of their invoice, or else to the default', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t, ['invoice.created', 'deposit.pending'])
      await t.invoice({ amount: '5', callbackUrl: OWN_HOOK })
      await t.invoice({ amount: '6' })
      // It notifies no invoice.
      await t.deposit('pending', { amount: '100', txHash: 'early', receivedAt: START_MS - 1 })
      const { deliveries } = await pump(t)
      assert.deepEqual(
        deliveries.map(({ url }) => url),
        [OWN_HOOK, HOOK, HOOK],
      )
      assert.equal(deliveries[2]?.invoiceId, null)
    })

    scenario('is sent nothing from before, and what waits still when another payload is chosen', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1' })
      await follow(t)
      assert.deepEqual((await pump(t)).types, [])
      for (let amount = 2; amount <= 6; amount += 1) await t.invoice({ amount: `${amount}` })
      await t.store.webhooks.put('alice', HOOK, 'specified')
      const { id } = await t.invoice({ amount: '7', reference: 'r' })
      const told = await t.deposit('pending', { amount: '7', receivedAt: START_MS + 1 })
      assert.deepEqual([told.deliveries[0]?.invoiceId, told.deliveries[0]?.event], [id, null])
      assert.deepEqual(await behind(t), ['alice'])
      assert.deepEqual((await pump(t, { limit: 2 })).types, Array(5).fill('invoice.created'))
      await t.invoice({ amount: '8' })
      assert.deepEqual(await behind(t), [])
      assert.deepEqual((await pump(t)).types, [])
    })

    scenario('is sent nothing more when the configuration is removed, and later nothing from before', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      await t.invoice({ amount: '1', callbackUrl: OWN_HOOK })
      assert.equal(await t.store.webhooks.delete('alice'), true)
      assert.deepEqual(await behind(t), [])
      assert.deepEqual((await pump(t)).types, [])
      await follow(t)
      assert.deepEqual((await pump(t)).types, [])
      await t.invoice({ amount: '2' })
      assert.deepEqual((await pump(t)).types, ['invoice.created'])
    })

    scenario('is told of a failed delivery, and not of the failure of that', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      await t.invoice({ amount: '5', reference: 'r' })
      const fail = async ({ deliveries: [delivery] }: Awaited<ReturnType<typeof pump>>) => {
        const { id } = present(delivery)
        assert.equal(await t.store.outbox.markAttempted(id), true)
        await t.store.outbox.recordResult(id, FAILED, NEVER)
        return present(delivery)
      }
      const first = await fail(await pump(t))
      const second = await pump(t)
      assert.deepEqual(second.types, ['delivery.failed'])
      const { data } = JSON.parse(second.deliveries[0]?.body ?? '')
      const attempt = { status: null, attempt: 1, httpStatus: 500, failure: null }
      assert.deepEqual(data.delivery, { id: first.id, ...attempt, event: first.event })
      assert.equal(data.reference, 'r')
      await fail(second)
      assert.deepEqual(
        (await eventsOf(t)).map(({ type }) => type),
        ['invoice.created', 'delivery.failed', 'delivery.failed'],
      )
      assert.deepEqual((await pump(t)).types, [])
    })

    scenario('is told of a failed delivery that names no invoice', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      await t.deposit('pending', { amount: '5' })
      const { deliveries } = await pump(t)
      const { id } = present(deliveries[0])
      await t.store.outbox.markAttempted(id)
      await t.store.outbox.recordResult(id, FAILED, NEVER)
      const failed = present((await eventsOf(t))[1])
      assert.deepEqual([failed.invoiceId, failed.reference], [null, null])
      assert.deepEqual(failed.delivery?.event?.type, 'deposit.pending')
      assert.deepEqual((await pump(t)).types, ['delivery.failed'])
    })

    scenario('goes on behind what was removed, and it is told what was lost', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      for (let amount = 1; amount <= 3; amount += 1) await t.invoice({ amount: `${amount}` })
      const removed = await eventsOf(t)
      t.clock.advance(MINUTE_MS)
      await t.invoice({ amount: '4' })
      await t.store.eventOutbox.queueNext('alice', 1)
      assert.equal(await t.store.events.removeBefore(START_MS + 1, MANY), 3)
      const { types, lost } = await pump(t)
      assert.deepEqual(types, ['invoice.created'])
      assert.deepEqual(lost, [{ behind: removed[0]?.id, to: removed[2]?.id }])
      assert.deepEqual(await pump(t), { deliveries: [], types: [], lost: [] })
    })

    scenario('goes on although all of the log was removed', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      await t.invoice({ amount: '1' })
      t.clock.advance(MINUTE_MS)
      assert.equal(await t.store.events.removeBefore(t.clock.now(), MANY), 1)
      assert.equal((await pump(t)).lost.length, 1)
      assert.deepEqual(await behind(t), [])
      await t.invoice({ amount: '2' })
      assert.deepEqual((await pump(t)).types, ['invoice.created'])
    })

    scenario('is sent everything in order although the clock was set back', async (t) => {
      await t.own('alice', 'wallet-1')
      await follow(t)
      for (let amount = 1; amount <= 4; amount += 1) {
        await t.invoice({ amount: `${amount}` })
        t.clock.advance(-MINUTE_MS)
        if (amount === 2) await pump(t)
      }
      await pump(t)
      const { items } = await t.store.outbox.page('alice', { after: null, limit: MANY })
      const sent = items.map(({ event }) => event?.id)
      assert.deepEqual(
        sent.reverse(),
        (await eventsOf(t)).map(({ id }) => id),
      )
    })

    scenario('is sent no event that is imported, but those of here around it', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id: invoiceId } = await t.invoice({ amount: '1' })
      await follow(t)
      t.clock.advance(MINUTE_MS)
      const imported = (at: number, count: number) => {
        const id = `${at.toString(16).padStart(12, '0')}000${count}`
        const event = { id, type: 'invoice.voided', at, invoiceId, deposit: null, delivery: null } as const
        return { type: 'event', owner: 'alice', event } as const
      }
      const fates = await t.store.imports.add([imported(START_MS + 10, 1), imported(START_MS + 20, 2)])
      assert.ok(fates.every((fate) => fate.status === 'fulfilled' && fate.value.status === 'added'))
      assert.deepEqual(await behind(t), [])
      await t.invoice({ amount: '2' })
      await t.store.imports.add([imported(START_MS + 30, 3)])
      assert.deepEqual((await pump(t)).types, ['invoice.created'])
      await t.store.imports.add([imported(START_MS + 40, 4)])
      assert.deepEqual(await pump(t), { deliveries: [], types: [], lost: [] })
    })
  })

  describe('owners with events to be sent', () => {
    scenario('are found page by page, and nobody else', async (t) => {
      const owners = ['alice', 'bob', 'carol', 'dave']
      for (const owner of owners) await t.own(owner, `wallet of ${owner}`)
      for (const owner of ['alice', 'bob', 'dave']) await follow(t, undefined, owner)
      for (const owner of ['alice', 'carol', 'dave']) await t.invoice({ owner, walletIds: [`wallet of ${owner}`] })
      for (const limit of [1, 2, MANY]) assert.deepEqual((await behind(t, limit)).sort(), ['alice', 'dave'])
      await pump(t)
      assert.deepEqual(await behind(t), ['dave'])
    })

    scenario('are told when something is logged of them', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.own('bob', 'wallet-2')
      await follow(t)
      const heard: string[] = []
      const end = t.store.changes.onLogged((owners) => heard.push(...owners))
      await t.invoice({ owner: 'bob', walletIds: ['wallet-2'] })
      await t.invoice()
      assert.deepEqual(heard, ['alice'])
      await t.harness.reopen()
      end()
      const again = new Promise<readonly string[]>((resolve) => {
        t.store.changes.onLogged((owners) => resolve([...owners]))
      })
      await t.deposit('pending')
      assert.deepEqual(await again, ['alice'])
    })
  })
}
