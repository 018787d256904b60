import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OwnerEvent } from '../../../src/domain/event.js'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import { refusalOf, unwrap, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'
const MINUTE_MS = 60_000
const MANY = 1000
/** More open invoices on a wallet than are examined with a deposit. */
const CROWD = 300
const FAILED: DeliveryResult = { kind: 'failed', reason: 'timeout', detail: 'too late', durationMs: 8000 }

/** What happened to an owner, in order (decisions 14). */
export function describeEvents(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const eventsOf = async (t: Scenario, owner = 'alice', after: string | null = null, limit = MANY) =>
    unwrap(await t.store.events.page(owner, { after, limit })).items
  const typesOf = async (t: Scenario, owner = 'alice') => (await eventsOf(t, owner)).map(({ type }) => type)
  const caughtUp = async (t: Scenario) => {
    for (let pieces = 0; await t.store.commands.catchUp(); pieces += 1) assert.ok(pieces < MANY, 'it has no end')
  }

  describe('an event', () => {
    scenario(
      'of an expiry comes behind those of invoices that have expired before, whenever they were created',
      async (t) => {
        await t.own('alice', 'wallet-1')
        for (const seconds of [120, 60, 90]) await t.invoice({ amount: `${seconds}`, expiresInSeconds: seconds })
        const invoices = (await eventsOf(t)).map(({ invoiceId }) => invoiceId)
        t.clock.advance(5 * MINUTE_MS)
        await caughtUp(t)
        const expired = (await eventsOf(t)).filter(({ type }) => type === 'invoice.expired')
        assert.deepEqual(
          expired.map(({ invoiceId }) => invoices.indexOf(invoiceId)),
          [1, 2, 0],
        )
      },
    )

    scenario('tells of each change of an invoice and of its deposits', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
      t.clock.advance(10)
      const deposit = { amount: '5', txHash: 'tx', receivedAt: START_MS + 1 }
      await t.deposit('pending', deposit)
      await t.deposit('pending', deposit)
      await t.deposit('confirmed', deposit)
      await t.deposit('dropped', deposit)
      unwrap(await t.void(id))
      unwrap(await t.void(id))
      const events = await eventsOf(t)
      const types = ['deposit.pending', 'deposit.confirmed', 'invoice.paid', 'deposit.dropped', 'invoice.unpaid']
      assert.deepEqual(
        events.map(({ type }) => type),
        ['invoice.created', ...types, 'invoice.voided'],
      )
      assert.ok(events.every(({ invoiceId, reference }) => invoiceId === id && reference === 'r'))
      assert.deepEqual(
        events.map(({ at }) => at - START_MS),
        [0, 10, 10, 10, 10, 10, 10],
      )
      const [created, pending] = events
      assert.deepEqual([created?.deposit, created?.delivery], [null, null])
      const { deposit: seen } = present(pending)
      assert.deepEqual([seen?.network, seen?.txHash, seen?.amount], ['SEP', 'tx', '5'])
      assert.equal(seen?.receivedAt, START_MS + 1)
    })

    scenario('is the owner’s, whether or not anybody is notified', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.own('bob', 'wallet-2')
      const { id } = await t.invoice({ amount: '5' })
      await t.deposit('confirmed', { amount: '5' })
      assert.deepEqual(await typesOf(t), ['invoice.created', 'deposit.pending', 'deposit.confirmed', 'invoice.paid'])
      assert.equal((await eventsOf(t))[1]?.invoiceId, id)
      assert.deepEqual(await typesOf(t, 'bob'), [])
      assert.deepEqual(await typesOf(t, 'nobody'), [])
    })

    scenario('of a deposit is of the invoice that it matched, also for a former owner', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
      await t.deposit('pending', { amount: '5', txHash: 'one' })
      await t.tell(walletAssigned('wallet-1', 'bob'))
      await t.deposit('confirmed', { amount: '5', txHash: 'one' })
      await t.deposit('pending', { amount: '7', txHash: 'two' })
      assert.deepEqual(await typesOf(t), ['invoice.created', 'deposit.pending', 'deposit.confirmed', 'invoice.paid'])
      assert.deepEqual(await typesOf(t, 'bob'), ['deposit.pending'])
    })

    scenario(
      'tells a former owner that an invoice is paid, as its status says, and of no deposit that is not its',
      async (t) => {
        await t.own('alice', 'wallet-1')
        const invoice = await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
        await t.tell(walletAssigned('wallet-1', 'bob'))
        await t.deposit('confirmed', { amount: '9' })
        await caughtUp(t)
        assert.equal((await t.paymentOf(invoice)).status, 'paid')
        assert.deepEqual(await typesOf(t), ['invoice.created', 'invoice.paid'])
        assert.deepEqual(await typesOf(t, 'bob'), ['deposit.pending', 'deposit.confirmed'])
      },
    )

    scenario('of a deposit says that it is late, and says so in every one of it', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5', reference: 'r' })
      await t.void(id)
      for (const report of ['pending', 'confirmed', 'dropped'] as const) await t.deposit(report, { amount: '4' })
      await t.invoice({ amount: '6' })
      await t.deposit('pending', { amount: '6', txHash: 'in time' })
      const ofDeposits = (await eventsOf(t)).filter(({ deposit }) => deposit !== null)
      assert.deepEqual(
        ofDeposits.map(({ type, invoiceId, late }) => [type, invoiceId === id, late]),
        [
          ['deposit.pending', true, true],
          ['deposit.confirmed', true, true],
          ['deposit.dropped', true, true],
          ['deposit.pending', false, undefined],
        ],
      )
      assert.deepEqual(Object.keys(ofDeposits[0]?.deposit ?? {}).includes('late'), false)
    })

    scenario('tells of an expiry without a command', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ expiresInSeconds: 60 })
      await caughtUp(t)
      assert.deepEqual(await typesOf(t), ['invoice.created'])
      t.clock.advance(MINUTE_MS)
      await caughtUp(t)
      assert.deepEqual(await typesOf(t), ['invoice.created', 'invoice.expired'])
    })

    scenario('tells of every invoice that a deposit pays, however many there are', async (t) => {
      await t.own('alice', 'wallet-1')
      const bigger = await t.invoice({ amount: '500' })
      const ids = new Set<string>()
      for (let n = 1; n <= CROWD; n += 1) ids.add((await t.invoice({ amount: `0.${1000 + n}` })).id)
      await t.deposit('confirmed', { amount: '2', txHash: 'one', receivedAt: t.clock.now() + 1 })
      await t.harness.reopen()
      // The first piece has passed the bigger one when the rest of it comes.
      assert.ok(await t.store.commands.catchUp())
      await t.deposit('confirmed', { amount: '498', txHash: 'two', receivedAt: t.clock.now() + 1 })
      await caughtUp(t)
      const paid = (await eventsOf(t)).filter(({ type }) => type === 'invoice.paid').map(({ invoiceId }) => invoiceId)
      assert.equal(paid.length, CROWD + 1)
      assert.deepEqual(new Set(paid), new Set([...ids, bigger.id]))
    })

    scenario('tells at once that a new invoice is paid by a deposit of a later time', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.deposit('confirmed', { amount: '9', receivedAt: t.clock.now() + 5 })
      await t.invoice({ amount: '5' })
      const types = ['deposit.pending', 'deposit.confirmed', 'invoice.created', 'invoice.paid']
      assert.deepEqual(await typesOf(t), types)
    })

    scenario('tells of a delivery that is not attempted again', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
      const { owed } = await t.deposit('confirmed', { amount: '5' })
      const [first, second] = owed.map(({ id }) => id)
      const fail = async (id = '', retryAt: number | null = null) => {
        await t.store.outbox.markAttempted(id)
        await t.store.outbox.recordResult(id, FAILED, () => retryAt)
      }
      await fail(first, t.clock.now())
      const before = (await eventsOf(t)).length
      assert.equal((await t.store.outbox.releaseRetries(1, 10)).length, 0)
      await t.store.outbox.markAttempted(second ?? '')
      await t.store.outbox.recordResult(second ?? '', { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => null)
      const failed = (await eventsOf(t)).slice(before)
      const status = ['pending', 'confirmed']
      assert.deepEqual(
        failed.map(({ type, delivery, invoiceId }) => ({ type, invoiceId, ...delivery })),
        [
          { id: first, status: status[0], attempt: 1, httpStatus: null, failure: 'timeout', event: null },
          { id: second, status: status[1], attempt: 1, httpStatus: 500, failure: null, event: null },
        ].map((delivery) => ({ type: 'delivery.failed', invoiceId: invoice.id, ...delivery })),
      )
    })

    scenario('is none of what was refused or undone', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5' })
      await t.request({ amount: '5' })
      t.harness.failIds(new Error('no ids'))
      await assert.rejects(t.request({ amount: '6' }))
      t.harness.failIds(null)
      await t.invoice({ amount: '7' })
      assert.deepEqual(await typesOf(t), ['invoice.created', 'invoice.created'])
    })

    scenario('is none of an import, but the changes that follow it are', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5' })
      const deposit = { network: 'SEP', index: 0, currency: '#native', amount: '5', confirmedAt: START_MS } as const
      const { outcome } = await t.deposit('pending', { amount: '1', txHash: 'probe' })
      if (outcome.status !== 'applied') assert.fail()
      const receivedAt = START_MS + 1
      const { toAddress } = outcome.deposit
      await t.store.imports.add([
        { type: 'deposit', deposit: { ...deposit, toAddress, receivedAt, txHash: 'tx', kind: 'confirmed' } },
      ])
      await caughtUp(t)
      assert.equal((await t.paymentOf({ id })).status, 'paid')
      assert.deepEqual(await typesOf(t), ['invoice.created', 'deposit.pending'])
      await t.deposit('dropped', { txHash: 'tx' })
      assert.deepEqual((await typesOf(t)).slice(2), ['deposit.dropped', 'invoice.unpaid'])
    })
  })

  describe('a log', () => {
    scenario('is read in pages without a gap and without a repetition, while it grows', async (t) => {
      await t.own('alice', 'wallet-1')
      const read: OwnerEvent[] = []
      let after: string | null = null
      for (let n = 1; n <= 60; n += 1) {
        await t.invoice({ amount: `${n}` })
        if (n % 3 === 0) t.clock.advance(1)
        if (n % 7 === 0) await t.harness.reopen()
        if (n % 2 === 0) continue
        const page: readonly OwnerEvent[] = await eventsOf(t, 'alice', after, 2)
        read.push(...page)
        after = page.at(-1)?.id ?? after
      }
      read.push(...(await eventsOf(t, 'alice', after)))
      assert.equal(read.length, 60)
      assert.deepEqual(read, await eventsOf(t))
      const pages = await t.walk(async (cursor) =>
        unwrap(await t.store.events.page('alice', { after: cursor, limit: 7 })),
      )
      assert.deepEqual(pages.flat(), read)
      assert.deepEqual(
        [...read].sort((a, b) => (a.id < b.id ? -1 : 1)),
        read,
      )
    })

    scenario('goes on behind its last event when the clock is set back, or has stood still for long', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1' })
      t.clock.advance(-MINUTE_MS)
      await t.harness.reopen()
      await t.invoice({ amount: '2' })
      const [first, second] = await eventsOf(t)
      assert.ok(present(first).id < present(second).id)
      assert.equal(second?.at, START_MS)
    })

    scenario('is shortened in pieces, and says so to who has not read what is gone', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.own('bob', 'wallet-2')
      for (let n = 1; n <= 10; n += 1) await t.invoice({ amount: `${n}` })
      await t.invoice({ owner: 'bob', walletIds: ['wallet-2'] })
      t.clock.advance(MINUTE_MS)
      await t.invoice({ amount: '11' })
      const all = await eventsOf(t)
      const cut = START_MS + MINUTE_MS
      assert.equal(await t.store.events.removeBefore(START_MS, MANY), 0)
      assert.equal(await t.store.events.removeBefore(cut, 4), 4)
      assert.deepEqual(await eventsOf(t), all.slice(4))
      const page = (after: string | undefined) => t.store.events.page('alice', { after: after ?? '', limit: MANY })
      assert.equal(refusalOf(await page(all[2]?.id)), 'events_removed')
      assert.equal(refusalOf(await page('0'.repeat(16))), 'events_removed')
      assert.deepEqual(unwrap(await page(all[3]?.id)).items, all.slice(4))
      await t.harness.reopen()
      let removed = 0
      for (let pieces = 0; pieces < 10; pieces += 1) removed += await t.store.events.removeBefore(cut, 3)
      assert.equal(removed, 7)
      assert.deepEqual([await eventsOf(t), await typesOf(t, 'bob')], [all.slice(10), []])
      // Nothing is gone behind what was read.
      assert.deepEqual(unwrap(await page(all[9]?.id)).items, all.slice(10))
    })

    scenario('passes many owners without anything to remove in a few pieces', async (t) => {
      const owners = Array.from({ length: 40 }, (_, i) => `owner-${i}`)
      for (const owner of owners) {
        await t.own(owner, `wallet of ${owner}`)
        await t.invoice({ owner, walletIds: [`wallet of ${owner}`] })
        if (owner === 'owner-0') continue
        // Those between the first and the last are idle: what they have is young.
        t.clock.advance(owner === 'owner-38' ? -MINUTE_MS : owner === 'owner-1' ? MINUTE_MS : 0)
      }
      let pieces = 0
      for (let removed = 0; removed < 3; pieces += 1) {
        assert.ok(pieces < 4, `${removed} removed`)
        removed += await t.store.events.removeBefore(START_MS + 1, 5)
      }
      assert.deepEqual(await typesOf(t, 'owner-39'), [])
    })

    scenario('never gives an id again, not even when everything was removed', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1' })
      const [last] = await eventsOf(t)
      assert.equal(await t.store.events.removeBefore(START_MS + 1, MANY), 1)
      await t.harness.reopen()
      t.clock.advance(-MINUTE_MS)
      await t.invoice({ amount: '2' })
      const after = await eventsOf(t, 'alice', present(last).id)
      assert.equal(after.length, 1)
    })
  })
}
