import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readSettings } from '../../../src/config.js'
import { emulatedAccount, tokenTransfer, trxTransfer } from '../../support/tron-transactions.js'
import { ALICE, STRANGER, TOKEN, TronFixture, watched } from './fixture.js'

const CALLS_A_DAY_MAX = 45_000
const BLOCK_MS = 3000
const MINUTES = 10

/** Follows the chain as a watcher does, one poll after another. */
class Follower {
  tip = 0
  confirmed = 0
  /** Times of blocks with transfers to us, and of the polls in which they were seen and confirmed. */
  readonly seen: [paidMs: number, seenMs: number][] = []
  readonly settled: [paidMs: number, confirmedMs: number][] = []

  constructor(private readonly fixture: TronFixture) {}

  async poll(): Promise<void> {
    const { reader, clock } = this.fixture
    const head = await reader.head()
    while (this.tip < head.latest) {
      const blocks = await reader.fresh(this.tip + 1, head.latest, watched)
      for (const { transfers, timeMs } of blocks) if (transfers.length > 0) this.seen.push([timeMs, clock.now()])
      this.tip = blocks.at(-1)?.height ?? assert.fail('no block')
    }
    while (this.confirmed < Math.min(head.confirmed, this.tip)) {
      const blocks = await reader.blocks(this.confirmed + 1, Math.min(head.confirmed, this.tip), watched)
      for (const { transfers, timeMs } of blocks) if (transfers.length > 0) this.settled.push([timeMs, clock.now()])
      this.confirmed = blocks.at(-1)?.height ?? assert.fail('no block')
    }
  }
}

describe('a TRON network at the default poll', () => {
  const outcome = readSettings([], {})
  assert.ok('settings' in outcome)
  const { trxNilePollMs: pollMs } = outcome.settings

  async function withFollower(use: (fixture: TronFixture, follower: Follower) => Promise<void>): Promise<void> {
    const fixture = await TronFixture.open(1)
    try {
      fixture.chain.produceEmpty(60)
      fixture.now()
      const follower = new Follower(fixture)
      follower.tip = 42
      follower.confirmed = 42
      await follower.poll()
      await use(fixture, follower)
    } finally {
      await fixture.close()
    }
  }

  /** Lets time pass until the next poll, with a block in every slot. */
  function passPoll({ chain, clock }: TronFixture): void {
    clock.advance(pollMs)
    while (chain.newestMs + BLOCK_MS <= clock.now()) {
      chain.produce(trxTransfer(STRANGER, 1n), tokenTransfer(TOKEN, emulatedAccount(1000 + chain.latest), 1n))
    }
  }

  test('takes at most 45,000 calls a day while it is quiet', () =>
    withFollower(async (fixture, follower) => {
      const polls = Math.floor((MINUTES * 60_000) / pollMs)
      for (let i = 0; i < 12; i += 1) {
        passPoll(fixture)
        await follower.poll()
      }
      const before = fixture.node.requests.length
      for (let i = 0; i < polls; i += 1) {
        passPoll(fixture)
        await follower.poll()
      }
      const calls = fixture.node.requests.length - before
      const aDay = (calls * 24 * 60) / MINUTES
      assert.ok(aDay <= CALLS_A_DAY_MAX, `${aDay} calls a day`)
    }))

  test('sees a payment with the next poll, and confirms it with the first after it is solidified', () =>
    withFollower(async (fixture, follower) => {
      const { chain } = fixture
      for (let i = 0; i < 13; i += 1) {
        passPoll(fixture)
        await follower.poll()
      }
      for (const payment of [trxTransfer(ALICE, 1n), tokenTransfer(TOKEN, ALICE, 1n)]) {
        const { timeMs, height } = chain.produce(payment)
        fixture.now()
        let solidMs = 0
        for (let i = 0; i < 14; i += 1) {
          await follower.poll()
          passPoll(fixture)
          if (solidMs === 0 && chain.solidified >= height) solidMs = fixture.clock.now()
        }
        assert.deepEqual([follower.seen.at(-1)?.[0], follower.settled.at(-1)?.[0]], [timeMs, timeMs])
        assert.ok((follower.seen.at(-1)?.[1] ?? Number.NaN) - timeMs <= pollMs)
        assert.equal(follower.settled.at(-1)?.[1], solidMs)
      }
    }))
})
