import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ExportedEvent } from '../../../src/domain/event.js'
import { parseImportedRecord } from '../../../src/domain/imported-record.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import type { ImportableRecord, ImportOutcome } from '../../../src/store/imports.js'
import type { Awaitable, Page, PageOf } from '../../../src/store/reading.js'
import { refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'
const MINUTE_MS = 60_000
const MANY = 1000
const FAILED: DeliveryResult = { kind: 'failed', reason: 'dns', detail: 'no such host', durationMs: 1 }

/** The log of events, taken from one store to another. */
export function describeMovedEvents(open: OpenStore): void {
  /** Runs with two stores that have the same wallets. */
  const scenario = (name: string, run: (from: Scenario, to: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (from) => {
        await withStore(open, async (to) => {
          for (const one of [from, to]) {
            await one.own('alice', 'wallet-1')
            await one.own('bob', 'wallet-2')
          }
          await run(from, to)
        })()
      }),
    )

  const logOf = (t: Scenario, owner = 'alice', limit = MANY) => all((page) => t.store.events.log(owner, page), limit)
  const eventsOf = async (t: Scenario, after: string | null = null) =>
    unwrap(await t.store.events.page('alice', { after, limit: MANY })).items

  /** Imports records as their export shows them. */
  async function add(t: Scenario, records: readonly object[]): Promise<readonly ImportOutcome[]> {
    // The clock of a store may be behind the one that the records were checked by.
    const importing = { networks: t.store.networks, nowMs: Number.POSITIVE_INFINITY }
    const parsed = records.map((record) => parseImportedRecord(JSON.parse(JSON.stringify(record)), importing))
    const fates = await t.store.imports.add(parsed as readonly ImportableRecord[])
    return fates.map((fate) => (fate.status === 'fulfilled' ? fate.value : assert.fail(String(fate.reason))))
  }

  /** Adds everything that events name. */
  async function moveRecords(from: Scenario, to: Scenario): Promise<void> {
    const { overview } = from.store
    const invoices = (await all((page) => overview.invoices(page), MANY)).map((one) => {
      return { ...one.invoice, expires_at: one.expiresAt, voided_at: one.voidedAt, accepted_at: one.acceptedAt }
    })
    const outcomes = await add(to, [...invoices, ...(await all((page) => overview.deposits(page), MANY))])
    assert.ok(outcomes.every(({ status }) => status === 'added'))
  }

  /** A log with an event of each kind, the first of which have been removed. */
  async function trade(t: Scenario): Promise<void> {
    await t.invoice({ amount: '1' })
    await t.invoice({ amount: '2' })
    t.clock.advance(MINUTE_MS)
    const { id } = await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
    await t.invoice({ amount: '6', expiresInSeconds: 60 })
    const deposit = { amount: '5', txHash: 'tx', receivedAt: t.clock.now() + 1 }
    const { owed } = await t.deposit('confirmed', deposit)
    for (const one of owed) {
      await t.store.outbox.markAttempted(one.id)
      await t.store.outbox.recordResult(one.id, FAILED, () => null)
    }
    await t.deposit('dropped', deposit)
    await t.deposit('pending', { amount: '9', txHash: 'none', currency: 'Dust', receivedAt: t.clock.now() + 1 })
    await t.store.webhooks.put('alice', HOOK, 'events', ['deposit.pending'])
    await t.deposit('pending', { amount: '8', txHash: 'event', currency: 'Dust', receivedAt: t.clock.now() + 1 })
    const { owed: told } = await t.store.eventOutbox.queueNext('alice', MANY)
    for (const one of told) {
      await t.store.outbox.markAttempted(one.id)
      await t.store.outbox.recordResult(one.id, FAILED, () => null)
    }
    assert.equal(told.length, 1)
    t.clock.advance(MINUTE_MS)
    unwrap(await t.void(id))
    unwrap(await t.accept((await t.invoice({ amount: '7' })).id))
    assert.equal(await t.store.events.removeBefore(START_MS + 1, MANY), 2)
  }

  describe('the events of another store', () => {
    scenario('are the same behind every cursor, also after a repetition', async (from, to) => {
      await trade(from)
      to.clock.set(from.clock.now())
      await moveRecords(from, to)
      const log = await logOf(from)
      const [first] = log
      assert.deepEqual([first?.owner, first?.type, first?.at], ['alice', 'events.removed', START_MS])
      for (const limit of [1, 2, MANY]) assert.deepEqual(await logOf(from, 'alice', limit), log)
      for (const status of ['added', 'known']) {
        assert.deepEqual(
          await add(to, log),
          log.map(() => ({ status })),
        )
        await to.harness.reopen()
      }
      assert.deepEqual(await logOf(to), log)
      const events = await eventsOf(from)
      assert.equal(new Set(events.map(({ type }) => type)).size, 10)
      for (const { id } of log) assert.deepEqual(await eventsOf(to, id), await eventsOf(from, id))
      const early = { after: '0'.repeat(16), limit: MANY }
      for (const { store } of [from, to])
        assert.equal(refusalOf(await store.events.page('alice', early)), 'events_removed')
    })

    scenario('are followed by those that come here, even if the clock is behind theirs', async (from, to) => {
      await trade(from)
      await moveRecords(from, to)
      // The end of the log is known here, before it is not the end any more.
      await to.invoice({ amount: '77' })
      const log = await logOf(from)
      await add(to, log)
      await to.invoice({ amount: '78' })
      const behind = await eventsOf(to, log.at(-1)?.id)
      assert.deepEqual(
        behind.map(({ type }) => type),
        ['invoice.created'],
      )
      await add(to, [removal('bob', START_MS + 5)])
      await to.invoice({ owner: 'bob', walletIds: ['wallet-2'] })
      assert.deepEqual((await logOf(to, 'bob')).at(-1)?.id, idAt(START_MS + 5, 1))
    })

    scenario('need what they name, and contradict nothing', async (from, to) => {
      await trade(from)
      to.clock.set(from.clock.now())
      // The failure of a webhook about a deposit of no invoice names nothing that could be missing.
      const log = (await logOf(from)).filter(({ type, invoiceId }) => type !== 'delivery.failed' || invoiceId !== null)
      const refusals = async () =>
        (await add(to, log)).map((outcome) => (outcome.status === 'refused' ? outcome.error : outcome.status))
      const [before, ...others] = await refusals()
      assert.deepEqual(
        [before, new Set(others)],
        [
          'added',
          new Set([
            'its invoice is not known: import invoices first',
            'its deposit is not known: import deposits first',
          ]),
        ],
      )
      await moveRecords(from, to)
      assert.deepEqual(new Set(await refusals()), new Set(['known', 'added']))
      const created = log.find(({ type }) => type === 'invoice.created')
      assert.ok(created !== undefined)
      const wrong = [
        { ...created, type: 'invoice.paid' },
        { ...created, owner: 'bob' },
        removal('alice', created.at, 1),
        removal('alice', created.at + 1),
        { ...created, id: idAt(START_MS, 0), at: START_MS },
      ]
      assert.deepEqual(await add(to, wrong), [
        { status: 'refused', error: 'another event has its id' },
        { status: 'refused', error: 'its invoice is of another owner' },
        { status: 'known' },
        { status: 'refused', error: 'its owner has earlier events here' },
        { status: 'known' },
      ])
      assert.deepEqual(await logOf(to), log)
    })

    scenario('may come after the removal of all that were there', async (from, to) => {
      await from.invoice({ amount: '1' })
      await to.invoice({ amount: '2' })
      to.clock.advance(MINUTE_MS)
      assert.equal(await to.store.events.removeBefore(START_MS + 1, MANY), 1)
      const last = removal('alice', START_MS + MINUTE_MS + 5)
      assert.deepEqual(await add(to, [last, last]), [{ status: 'added' }, { status: 'known' }])
      await to.invoice({ amount: '3' })
      assert.deepEqual(
        (await logOf(to)).map(({ id }) => id),
        [last.id, idAt(START_MS + MINUTE_MS + 5, 1)],
      )
    })
  })
}

function idAt(timeMs: number, count: number): string {
  return timeMs.toString(16).padStart(12, '0') + count.toString(16).padStart(4, '0')
}

function removal(owner: string, at: number, count = 0): ExportedEvent {
  const nothing = { invoiceId: null, reference: null, deposit: null, delivery: null, ...NO_ORDER_FIELDS }
  return { owner, id: idAt(at, count), type: 'events.removed', at, ...nothing }
}

async function all<T>(read: (page: Page) => Awaitable<PageOf<T>>, limit: number): Promise<readonly T[]> {
  const items: T[] = []
  let after: string | null = null
  do {
    const page: PageOf<T> = await read({ after, limit })
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items
}
