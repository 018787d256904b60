import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf } from '../support/fixtures.js'
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
})
