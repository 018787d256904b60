import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeliveryResult } from '../../../src/domain/webhook.js'
import { LOGGED_SINCE_KEY } from '../../../src/store/lmdb/events/logged-since.js'
import { type LmdbStore, openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { openEnvironment, openTables, type Tables } from '../../../src/store/lmdb/tables/tables.js'
import { Scenario } from '../../contract/store/harness.js'
import { assertSound, checkData } from '../../support/check-data.js'
import { addressOf, unwrap } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { memoryDirectory } from '../../support/temporary-directory.js'

const HOOK = 'https://shop.example/hook'
const MINUTE_MS = 60_000
const MANY = 1000
const FAILED: DeliveryResult = { kind: 'answered', httpStatus: 500, durationMs: 1 }

const CREATED = 'owner-events does not have that it was created'
const CONFIRMED = 'owner-events does not have that it was confirmed'
const NOT_SENT = 'owner-events does not have that it failed'
const VOID = 'owner-events does not have that it became void'
const ACCEPTED = 'owner-events does not have that it was accepted'
const BEFORE = 'the event before it is missing'

/** What `trade` logs, and what a check finds when the event is missing. */
const LOG: readonly (readonly [type: string, ...found: readonly string[]])[] = [
  ['invoice.created', CREATED],
  ['invoice.created', CREATED],
  ['invoice.created', CREATED],
  ['deposit.pending'],
  // In one millisecond with the next.
  ['deposit.confirmed', CONFIRMED, BEFORE],
  ['invoice.paid'],
  ['delivery.failed', NOT_SENT],
  ['delivery.failed', NOT_SENT],
  ['invoice.expired', VOID],
  ['invoice.voided', VOID],
  ['invoice.created', CREATED],
  ['invoice.accepted', ACCEPTED],
]

/** A data directory with a store, which `use` may close and open again. */
class Place {
  readonly clock = new ManualClock()
  private readonly directory = memoryDirectory()
  private store: LmdbStore | null = null

  async open(): Promise<Scenario> {
    const store = await openLmdbStore(lmdbStoreOptions(this.directory.path, this.clock))
    this.store = store
    return new Scenario({
      store,
      clock: this.clock,
      failIds() {},
      expectFlaw() {},
      reopen: unexpected,
      discard: unexpected,
    })
  }

  async close(): Promise<void> {
    await this.store?.close()
    this.store = null
  }

  /** Changes the tables behind the store's back. */
  async damage(change: (tables: Tables) => void): Promise<void> {
    await this.close()
    const root = openEnvironment(this.directory.path)
    change(openTables(root))
    await root.close()
  }

  async found(): Promise<readonly string[]> {
    return (await checkData(this.directory.path)).found.map(({ what }) => what)
  }

  async assertSound(): Promise<void> {
    await assertSound(this.directory.path)
  }

  static async use(run: (place: Place) => Promise<void>): Promise<void> {
    const place = new Place()
    try {
      await run(place)
    } finally {
      await place.close()
      place.directory.remove()
    }
  }
}

async function trade(t: Scenario): Promise<void> {
  const later = () => t.clock.advance(1)
  await t.own('alice', 'wallet-1', 'wallet-2')
  const { id } = await t.invoice({ amount: '1', walletIds: ['wallet-2'] })
  later()
  await t.invoice({ amount: '2', walletIds: ['wallet-2'], expiresInSeconds: 60 })
  later()
  await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
  const deposit = { amount: '5', txHash: 'tx', receivedAt: t.clock.now() + 1 }
  later()
  const pending = await t.deposit('pending', deposit)
  later()
  const confirmed = await t.deposit('confirmed', deposit)
  for (const one of [...pending.owed, ...confirmed.owed]) {
    later()
    await t.store.outbox.markAttempted(one.id)
    await t.store.outbox.recordResult(one.id, FAILED, () => null)
  }
  t.clock.advance(MINUTE_MS)
  await t.store.commands.catchUp()
  later()
  unwrap(await t.void(id))
  later()
  const accepted = await t.invoice({ amount: '9' })
  later()
  unwrap(await t.accept(accepted.id))
}

async function logOf(t: Scenario) {
  return unwrap(await t.store.events.page('alice', { after: null, limit: MANY })).items
}

function idAt(timeMs: number, count: number): string {
  return timeMs.toString(16).padStart(12, '0') + count.toString(16).padStart(4, '0')
}

function removeEvent({ ownerEvents }: Tables, id = 'none'): void {
  const key = [...ownerEvents.getKeys()].find((one) => one.toString('hex').endsWith(id))
  assert.ok(key !== undefined)
  ownerEvents.removeSync(key)
}

describe('a check of the logs of events', () => {
  test('finds what records call for, and what a later event of the millisecond calls for', async () => {
    for (const [at, [type, ...expected]] of LOG.entries()) {
      await Place.use(async (place) => {
        const t = await place.open()
        await trade(t)
        const log = await logOf(t)
        assert.deepEqual(
          log.map((event) => event.type),
          LOG.map(([name]) => name),
        )
        await place.assertSound()
        await place.damage((tables) => removeEvent(tables, log[at]?.id))
        assert.deepEqual((await place.found()).toSorted(), expected.toSorted(), `${type} ${at}`)
      })
    }
  })

  test('calls for nothing that has been removed, and for the rest', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await trade(t)
      const log = await logOf(t)
      // The last of these is the first of a millisecond.
      assert.equal(await t.store.events.removeBefore(START_MS + MINUTE_MS, 5), 5)
      await place.assertSound()
      assert.equal(await t.store.events.removeBefore(START_MS + MINUTE_MS, MANY), LOG.length - 9)
      await place.assertSound()
      await place.damage((tables) => removeEvent(tables, log.at(-1)?.id))
      assert.deepEqual(await place.found(), [ACCEPTED])
    })
  })

  test('calls for what happened since the last import', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1' })
      const before = await t.invoice({ amount: '2', reference: 'r', callbackUrl: HOOK })
      t.clock.advance(MINUTE_MS)
      const now = t.clock.now()
      const invoice = { ...before, id: idAt(now, 0).padEnd(32, '0'), created_at: now, reference: null, amount: '3' }
      await t.store.imports.add([{ type: 'invoice', invoice, expiresAt: null, voidedAt: null, acceptedAt: null }])
      await place.assertSound()
      const deposit = { network: 'SEP', txHash: 'tx', index: 0, toAddress: addressOf('wallet-1') } as const
      const amount = { currency: '#native', amount: '2', receivedAt: now, confirmedAt: now + 5 }
      await t.store.imports.add([{ type: 'deposit', deposit: { ...deposit, ...amount, kind: 'confirmed' } }])
      await place.assertSound()
      t.clock.advance(MINUTE_MS)
      const event = { id: idAt(now + 10, 1), at: now + 10, invoiceId: before.id, deposit: null, delivery: null }
      await t.store.imports.add([{ type: 'event', owner: 'alice', event: { ...event, type: 'invoice.paid' } }])
      await place.assertSound()
      t.clock.advance(1)
      await t.invoice({ amount: '4' })
      const log = await logOf(t)
      assert.equal(log.length, 4)
      await place.damage((tables) => {
        for (const event of log.filter((_, i) => i !== 0)) removeEvent(tables, event.id)
      })
      assert.deepEqual(await place.found(), [CREATED])
    })
  })

  test('calls for nothing where an earlier version took a record of the far future', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      const record = await t.invoice({ amount: '1' })
      const last = { ...record, id: 'f'.repeat(32), created_at: 0xffff_ffff_ffff, amount: '2' }
      await t.store.imports.add([{ type: 'invoice', invoice: last, expiresAt: null, voidedAt: null, acceptedAt: null }])
      await place.assertSound()
    })
  })

  test('calls for nothing of before a program that notes since when it logs', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await trade(t)
      await place.damage(({ meta, ownerEvents }) => {
        meta.removeSync(LOGGED_SINCE_KEY)
        ownerEvents.clearSync()
      })
      await place.assertSound()
      place.clock.advance(1)
      const again = await place.open()
      await place.assertSound()
      place.clock.advance(1)
      await again.invoice({ amount: '7' })
      const log = await logOf(again)
      await place.damage((tables) => removeEvent(tables, log.at(-1)?.id))
      assert.deepEqual(await place.found(), [CREATED])
    })
  })

  test('calls for nothing of before it, where the clock has been set back', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '1' })
      await place.damage(({ meta, ownerEvents }) => {
        meta.removeSync(LOGGED_SINCE_KEY)
        ownerEvents.clearSync()
      })
      place.clock.set(START_MS - MINUTE_MS)
      await place.open()
      await place.assertSound()
    })
  })

  test('takes a clock for what it is that is set back before a webhook fails', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK })
      const { owed } = await t.deposit('pending', { amount: '5', receivedAt: t.clock.now() + 1 })
      const id = owed[0]?.id ?? ''
      t.clock.advance(MINUTE_MS)
      await t.store.outbox.markAttempted(id)
      t.clock.advance(-MINUTE_MS)
      await t.store.outbox.recordResult(id, FAILED, () => null)
      await place.assertSound()
      const log = await logOf(t)
      await place.damage((tables) => removeEvent(tables, log.at(-1)?.id))
      assert.deepEqual(await place.found(), [NOT_SENT])
    })
  })

  test('takes a clock for what it is that is set back before a webhook of an event fails', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', HOOK, 'events')
      await t.invoice({ amount: '5' })
      t.clock.advance(MINUTE_MS)
      const { owed } = await t.store.eventOutbox.queueNext('alice', MANY)
      const id = owed[0]?.id ?? ''
      t.clock.advance(-MINUTE_MS)
      await t.store.outbox.markAttempted(id)
      await t.store.outbox.recordResult(id, FAILED, () => null)
      await place.assertSound()
      const log = await logOf(t)
      assert.deepEqual(
        log.map(({ type }) => type),
        ['invoice.created', 'delivery.failed'],
      )
      await place.damage((tables) => removeEvent(tables, log.at(-1)?.id))
      assert.deepEqual(await place.found(), [NOT_SENT])
    })
  })

  test('says so when it looks for no more', async () => {
    await Place.use(async (place) => {
      const t = await place.open()
      await t.own('alice', 'wallet-1')
      for (let n = 1; n <= 25; n += 1) await t.invoice({ amount: `${n}` })
      await place.damage(({ ownerEvents }) => ownerEvents.clearSync())
      const found = await place.found()
      assert.deepEqual(found.slice(0, 20), Array(20).fill(CREATED))
      assert.deepEqual(found.slice(20), ['more may be missing: no more were looked for'])
    })
  })
})

function unexpected(): Promise<never> {
  return Promise.reject(new Error('a scenario opens no store'))
}
