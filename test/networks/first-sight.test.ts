import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf, depositFact, invoiceRequest, unwrap } from '../support/fixtures.js'
import { START_MS } from '../support/manual-clock.js'
import { POLL_MS, WatcherFixture } from './watcher-fixture.js'

/** A second after all blocks that the fixture mines by itself. */
const SECOND_MS = START_MS + 3_600_000

/** Mines a block of a second with a payment. */
function payIn(t: WatcherFixture, txHash: string, timeMs = SECOND_MS): void {
  t.chain.mine([{ txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '1' }], timeMs)
}

async function receivedAt(t: WatcherFixture, txHash: string): Promise<readonly [string | undefined, number]> {
  const deposit = await t.store.deposits.find('SEP', txHash, 0)
  return [deposit?.kind, (deposit?.receivedAt ?? 0) - SECOND_MS]
}

/** The next reading takes place at an offset within the second. */
async function readAt(t: WatcherFixture, offsetMs: number): Promise<void> {
  t.clock.set(SECOND_MS + offsetMs - POLL_MS)
  await t.next()
}

describe('the watcher of a network', () => {
  test(
    'keeps when it first saw a payment, also when another watcher confirms it',
    WatcherFixture.with(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      payIn(t, 'seen')
      await readAt(t, 250)
      assert.deepEqual(await receivedAt(t, 'seen'), ['pending', 250])
      payIn(t, 'seen too')
      await readAt(t, 700)
      payIn(t, 'late')
      await readAt(t, 1300)
      assert.deepEqual(await receivedAt(t, 'seen too'), ['pending', 700])
      assert.deepEqual(await receivedAt(t, 'late'), ['pending', 999])
      await t.watcher.stop()
      t.mine(3)
      t.watcher = t.newWatcher()
      await t.watcher.start()
      await t.rest()
      for (const [txHash, offsetMs] of [['seen', 250] as const, ['seen too', 700] as const, ['late', 999] as const]) {
        assert.deepEqual(await receivedAt(t, txHash), ['confirmed', offsetMs])
      }
      assert.equal(t.watcher.state().repaired, 0)
    }),
  )

  const HOUR_MS = 3_600_000
  /** Invoices with ids of the store, each created at an offset from the second. */
  const invoice = async (t: WatcherFixture, offsetMs: number, amount: string): Promise<string> => {
    t.clock.set(SECOND_MS + offsetMs)
    const [fate] = await t.store.commands.perform([{ type: 'invoice', request: invoiceRequest({ amount }) }])
    if (fate?.status !== 'fulfilled' || fate.value.type !== 'invoice') assert.fail()
    return unwrap(fate.value.outcome).id
  }
  const begin = async (t: WatcherFixture): Promise<void> => {
    t.mine(3)
    await t.watcher.start()
    await t.rest()
  }
  const warned = (t: WatcherFixture) =>
    t.log
      .filter(({ invoiceId }) => invoiceId !== undefined)
      .map(({ level, network, txHash, invoiceId, seconds }) => [level, network, txHash, invoiceId, seconds])

  test(
    'warns of a payment that is dated before its invoice, though it was seen after it, on a network behind the clock',
    WatcherFixture.with(async (t) => {
      await begin(t)
      const id = await invoice(t, HOUR_MS + 499, '5')
      payIn(t, 'x')
      payIn(t, 'y')
      t.reader.ageMs = 60_001
      await readAt(t, HOUR_MS + 500)
      const expected = ['x', 'y'].map((txHash) => ['warn', 'SEP', txHash, id, (HOUR_MS + 499 - 999) / 1000])
      assert.deepEqual(warned(t), expected)
      assert.equal(t.watcher.state().datedBeforeInvoice, 2)
      for (let n = 0; n < 3; n += 1) t.chain.mine([])
      await readAt(t, HOUR_MS + 1500)
      assert.deepEqual(await receivedAt(t, 'x'), ['confirmed', 999])
      assert.deepEqual(warned(t), expected, 'once')
      const { payment } = (await t.store.invoices.findWithPayment(id)) ?? assert.fail()
      assert.equal(payment.received, '0')
    }),
  )

  const silent: readonly (readonly [string, number, (t: WatcherFixture) => Promise<unknown>])[] = [
    ['whose newest block is a minute old', 60_000, (t) => invoice(t, 10_000, '5')],
    ['if the network is not behind the clock, only the watcher', 0, (t) => invoice(t, 10_000, '5')],
    ['if the invoice is older than the payment, and so counts it', HOUR_MS, (t) => invoice(t, 998, '5')],
    ['if there is no invoice', HOUR_MS, async () => undefined],
    [
      'if it was known before',
      HOUR_MS,
      async (t) => {
        await invoice(t, 10_000, '5')
        const sighting = { txHash: 'x', amount: '1', receivedAt: SECOND_MS }
        await t.intake.apply([{ eventId: null, fact: depositFact('pending', sighting) }])
      },
    ],
  ]
  for (const [what, ageMs, prepare] of silent) {
    test(
      `says nothing of a payment on a network ${what}`,
      WatcherFixture.with(async (t) => {
        await begin(t)
        await prepare(t)
        payIn(t, 'x')
        t.reader.ageMs = ageMs
        await readAt(t, HOUR_MS)
        assert.equal((await receivedAt(t, 'x'))[0], 'pending')
        assert.deepEqual([warned(t), t.watcher.state().datedBeforeInvoice], [[], 0])
      }),
    )
  }
})
