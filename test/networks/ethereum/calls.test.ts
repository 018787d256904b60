import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Confirmation } from '../../../src/networks/ethereum/head-reader.js'
import { SlotClock } from '../../../src/networks/ethereum/slot-clock.js'
import { addressNumber } from '../../support/ethereum-chain.js'
import { ManualClock } from '../../support/manual-clock.js'
import { ethereumReader, watching } from './fixture.js'
import { hashNumber, ScriptedNode, STRANGER, TOKEN } from './scripted-node.js'

const START_SECONDS = 1_700_000_000
const POLL_MS = 4000
const [named] = watching([addressNumber(1)])
const foreign = { to: STRANGER, value: 1n, logs: [{ address: STRANGER, topics: [hashNumber(1)] }] }

interface Rhythm {
  readonly confirmation: Confirmation
  readonly blockSeconds: number
  readonly unfinalized: number
  /** From the time of a block until the node has it. */
  readonly delayMs: (height: number) => number
  readonly minutes: number
}

/** Polls as a watcher does, and returns the calls of the last half of the time for each block, and the delays of what it saw. */
async function watched({ confirmation, blockSeconds, unfinalized, delayMs, minutes }: Rhythm) {
  const node = await ScriptedNode.start(START_SECONDS, blockSeconds)
  node.unfinalized = unfinalized
  const clock = new ManualClock(START_SECONDS * 1000)
  const reader = ethereumReader([node.url], { token: TOKEN, clock, confirmation })
  const seenMs: number[] = []
  const confirmedMs: number[] = []
  let calls = 0
  let from = 0
  try {
    let [tip, confirmed] = [0, -1]
    const endMs = START_SECONDS * 1000 + minutes * 60_000
    const isThere = (height: number) =>
      START_SECONDS * 1000 + height * blockSeconds * 1000 + delayMs(height) <= clock.now()
    while (clock.now() < endMs) {
      while (isThere(node.height + 1)) node.add([foreign])
      if (from === 0 && endMs - clock.now() <= minutes * 30_000) {
        from = node.height
        node.calls.clear()
      }
      const head = await reader.head()
      while (confirmed < Math.min(head.confirmed, tip)) {
        confirmed += (await reader.blocks(confirmed + 1, Math.min(head.confirmed, tip), named)).length
        confirmedMs[confirmed] = clock.now()
      }
      while (tip < head.latest) {
        const blocks = await reader.fresh(tip + 1, head.latest, named)
        for (const { height } of blocks) seenMs[height] = clock.now()
        tip += blocks.length
      }
      // A poll takes a little time itself.
      clock.advance(POLL_MS + 60)
    }
    for (const count of node.calls.values()) calls += count
    return { perBlock: calls / (node.height - from), seenMs, confirmedMs, node }
  } finally {
    await reader.close()
    await node.close()
  }
}

describe('what a quiet network costs', () => {
  const late = (height: number) => 300 + ((height * 7919) % 11) * 100
  // Half of what it took when each poll asked for the head and its tag, and each block for itself.
  const rhythms: readonly [name: string, rhythm: Rhythm, before: number, perBlockMax: number][] = [
    [
      '12 s, 12 confirmations',
      { confirmation: 12, blockSeconds: 12, unfinalized: 2, delayMs: late, minutes: 20 },
      5,
      2.5,
    ],
    [
      '12 s, finalized',
      { confirmation: 'finalized', blockSeconds: 12, unfinalized: 64, delayMs: late, minutes: 30 },
      8,
      4,
    ],
    [
      '2 s, 12 confirmations',
      { confirmation: 12, blockSeconds: 2, unfinalized: 2, delayMs: late, minutes: 6 },
      2.5,
      2.1,
    ],
    [
      '2 s, finalized',
      { confirmation: 'finalized', blockSeconds: 2, unfinalized: 20, delayMs: late, minutes: 6 },
      3,
      2.6,
    ],
  ]
  for (const [name, rhythm, before, perBlockMax] of rhythms) {
    test(`with blocks every ${name}: at most ${perBlockMax} calls a block, where it was ${before}`, async () => {
      const { perBlock, seenMs, confirmedMs } = await watched(rhythm)
      assert.ok(perBlock <= perBlockMax, `${perBlock} calls a block`)
      const thereMs = (height: number) =>
        START_SECONDS * 1000 + height * rhythm.blockSeconds * 1000 + rhythm.delayMs(height)
      for (const [height, atMs] of seenMs.entries()) {
        if (atMs !== undefined) assert.ok(atMs - thereMs(height) <= 2 * (POLL_MS + 60), `block ${height} was seen late`)
      }
      const waits = typeof rhythm.confirmation === 'number' ? rhythm.confirmation - 1 : rhythm.unfinalized
      for (const [height, atMs] of confirmedMs.entries()) {
        if (atMs === undefined) continue
        assert.ok(atMs - thereMs(height + waits) <= 2 * (POLL_MS + 60) + 4000, `block ${height} was confirmed late`)
      }
    })
  }
})

describe('the slots of a chain', () => {
  const head = (height: number, timeMs: number) => ({ height, hash: '', parentHash: '', timeMs })
  const SLOT_MS = 12_000

  /** A chain with blocks at these slots, each seen so long after its time. */
  function clockOf(slots: readonly number[], delayMs = (_slot: number) => 1000): SlotClock {
    const clock = new SlotClock()
    for (const [height, slot] of slots.entries())
      clock.saw(head(height, slot * SLOT_MS), slot * SLOT_MS + delayMs(slot))
    return clock
  }

  const tenSlots = Array.from({ length: 10 }, (_, i) => i)
  test('are learnt, and no block is expected before the next one', () => {
    const clock = clockOf(tenSlots)
    assert.ok(clock.isTooEarly(9 * SLOT_MS + 4000))
    assert.ok(clock.isTooEarly(10 * SLOT_MS + 499))
    assert.ok(!clock.isTooEarly(10 * SLOT_MS + 500))
    assert.ok(!clock.isTooEarly(9 * SLOT_MS + 500), 'a clock that was set back')
  })

  test('may be left out', () => {
    assert.ok(clockOf([0, 1, 2, 4, 5, 6, 9, 10, 11, 12]).isTooEarly(12 * SLOT_MS + 4000))
  })

  const unclear: readonly [name: string, clock: SlotClock][] = [
    ['few blocks were seen', clockOf(tenSlots.slice(0, 8))],
    ['blocks come when somebody sends', clockOf([0, 1, 2.3, 4, 5, 6, 7, 8, 9, 9.5])],
    ['blocks come faster than polls', clockOf(tenSlots.map((slot) => slot / 12))],
    ['blocks are rare', clockOf(tenSlots.map((slot) => slot * 2))],
    ['blocks are seen all at once', clockOf(tenSlots, (slot) => -slot * SLOT_MS)],
    ['a block was not seen', clockOf(tenSlots)],
  ]
  unclear.at(-1)?.[1].saw(head(11, 11 * SLOT_MS), 11 * SLOT_MS + 1000)
  for (const [name, clock] of unclear) {
    test(`are not concluded where ${name}`, () => {
      const now = [9, 9.5, 9 / 12, 18, 11].map((slot) => slot * SLOT_MS + 1500)
      assert.ok(!now.some((nowMs) => clock.isTooEarly(nowMs)))
    })
  }
})
