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
const paying = { to: addressNumber(1), value: 1n }
const foreign = { to: STRANGER, value: 1n, logs: [{ address: STRANGER, topics: [hashNumber(1)] }] }

interface Rhythm {
  readonly confirmation: Confirmation
  readonly blockSeconds: number
  readonly unfinalized: number
  /** From the time of a block until the node has it. */
  readonly delayMs: (height: number) => number
  readonly minutes: number
  /** Which blocks pay us; none when absent. */
  readonly isPaying?: (height: number) => boolean
}

/** Polls as a watcher does, and returns the calls of the last half of the time for each block, and the delays of what it saw. */
async function watched({ confirmation, blockSeconds, unfinalized, delayMs, minutes, isPaying }: Rhythm) {
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
      while (isThere(node.height + 1)) node.add(isPaying?.(node.height + 1) ? [foreign, paying] : [foreign])
      if (from === 0 && endMs - clock.now() <= minutes * 30_000) {
        from = node.height
        node.calls.clear()
      }
      const head = await reader.head()
      while (confirmed < Math.min(head.confirmed, tip)) {
        const blocks = await reader.blocks(confirmed + 1, Math.min(head.confirmed, tip), named)
        for (const { height } of blocks) confirmedMs[height] = clock.now()
        confirmed += blocks.length
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
  const thereMs = ({ blockSeconds, delayMs }: Rhythm, height: number) =>
    START_SECONDS * 1000 + height * blockSeconds * 1000 + delayMs(height)
  const waitsOf = ({ confirmation, unfinalized }: Rhythm) =>
    typeof confirmation === 'number' ? confirmation - 1 : unfinalized
  const everySecond = { blockSeconds: 2, delayMs: late, minutes: 6 }
  // `before`: when each poll asked for the head and its tag, and each block was read twice.
  const rhythms: readonly [name: string, rhythm: Rhythm, before: number][] = [
    ['12 s, 12 confirmations', { confirmation: 12, blockSeconds: 12, unfinalized: 2, delayMs: late, minutes: 20 }, 5],
    [
      '12 s, finalized',
      { confirmation: 'finalized', blockSeconds: 12, unfinalized: 64, delayMs: late, minutes: 30 },
      8,
    ],
    ['2 s, 12 confirmations', { ...everySecond, confirmation: 12, unfinalized: 2 }, 2.5],
    ['2 s, finalized', { ...everySecond, confirmation: 'finalized', unfinalized: 20 }, 3],
  ]
  for (const [name, rhythm, before] of rhythms) {
    test(`with blocks every ${name}: at most ${before / 2} calls a block, half of what it was`, async () => {
      const { perBlock, seenMs, confirmedMs } = await watched(rhythm)
      assert.ok(perBlock <= before / 2, `${perBlock} calls a block`)
      for (const [height, atMs] of seenMs.entries()) {
        if (atMs === undefined) continue
        assert.ok(atMs - thereMs(rhythm, height) <= 2 * (POLL_MS + 60), `block ${height} was seen late`)
      }
      for (const [height, atMs] of confirmedMs.entries()) {
        if (atMs === undefined) continue
        const sinceMs = atMs - thereMs(rhythm, height + waitsOf(rhythm))
        assert.ok(sinceMs <= 2 * (POLL_MS + 60) + 4000, `block ${height} was confirmed late`)
      }
    })
  }

  test('a payment is confirmed with the first poll at which its block is final', async () => {
    const isPaying = (height: number) => height % 25 === 3
    const rhythm: Rhythm = { ...everySecond, confirmation: 'finalized', unfinalized: 20, isPaying }
    const { confirmedMs } = await watched(rhythm)
    const paid = [...confirmedMs.keys()].filter((height) => isPaying(height) && confirmedMs[height] !== undefined)
    assert.ok(paid.length > 3)
    for (const height of paid) {
      const sinceMs = (confirmedMs[height] ?? 0) - thereMs(rhythm, height + waitsOf(rhythm))
      assert.ok(sinceMs <= POLL_MS + 60, `block ${height} was confirmed after ${sinceMs} ms`)
    }
  })
})

test('the final block is asked for with each new one while it is not known that nothing waits for it', async () => {
  const node = await ScriptedNode.start(START_SECONDS, 2)
  const clock = new ManualClock(START_SECONDS * 1000)
  const reader = ethereumReader([node.url], { token: TOKEN, clock, confirmation: 'finalized' })
  for (let n = 0; n < 20; n += 1) node.add([foreign])
  node.unfinalized = 6
  let { height } = node
  const tags = async (polls: number, isRead: boolean, content = foreign): Promise<number> => {
    const isTag = { count: 0 }
    node.quirk = ({ params }, own) => {
      if (params[0] === 'finalized') isTag.count += 1
      return own
    }
    for (let n = 0; n < polls; n += 1) {
      node.add([content])
      clock.advance(POLL_MS)
      const { latest } = await reader.head()
      if (isRead) height += (await reader.fresh(height + 1, latest, named)).length
    }
    return isTag.count
  }
  try {
    assert.equal(await tags(7, true), 7, 'what was before the first look may pay')
    assert.equal(await tags(10, true), 5)
    const isWithoutFilter = { ...foreign, logs: [] }
    await tags(1, true, isWithoutFilter)
    assert.equal(await tags(10, true, isWithoutFilter), 10, 'what the header does not prove may pay')
    await tags(1, false)
    assert.equal(await tags(10, false), 10)
  } finally {
    await reader.close()
    await node.close()
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
