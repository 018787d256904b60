import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseClock } from '../../../src/service/clock/database-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'

const START_MS = 1_700_000_000_000

/** A database whose clock is ahead of the machine's by so much, and that takes some time to answer. */
function setup() {
  const scheduler = new ManualScheduler()
  const world = { aheadMs: 0, tookMs: 2, elapsedMs: 0, isAway: false }
  const lines: string[] = []
  const note = (text: unknown) => lines.push(String(text))
  const clock = { now: () => START_MS + world.elapsedMs, elapsed: () => world.elapsedMs }
  const watch = new DatabaseClock({
    store: {
      readClock: async () => {
        if (world.isAway) throw new Error('away')
        const told = clock.now() + world.aheadMs
        world.elapsedMs += world.tookMs
        return told
      },
    },
    clock,
    scheduler,
    log: { warn: note, info: note },
  })
  watch.start()
  const look = async () => {
    scheduler.pass(10_000)
    for (let turns = 0; turns < 3; turns += 1) await nextTurn()
    return watch.complaints().map(({ reason, text }) => `${reason}: ${text}`)
  }
  return { world, watch, look, lines, scheduler }
}

describe('the clock of the database', () => {
  for (const [aheadMs, tookMs, text] of [
    [2100, 2, '2.1 s ahead of'],
    [-60_000, 2, '60 s behind'],
    [-4000, 1500, '5.5 s behind'],
  ] as const) {
    test(`that is ${text} that of the machine is told at the second look, until it agrees again`, async () => {
      const { world, look, lines } = setup()
      Object.assign(world, { aheadMs, tookMs })
      assert.deepEqual(await look(), [])
      const told = [`clock: The clock of the database is ${text} that of this machine.`]
      assert.deepEqual(await look(), told)
      world.isAway = true
      assert.deepEqual(await look(), told)
      Object.assign(world, { aheadMs: 0, isAway: false })
      assert.deepEqual((await look()).length, 1)
      assert.deepEqual(await look(), [])
      assert.deepEqual(lines, [
        `the clock of the database is ${text} that of this machine: see docs/operating/clock.md`,
        'the clocks of the database and of this machine agree again',
      ])
    })
  }

  for (const [aheadMs, tookMs] of [
    [1900, 2],
    [-1900, 2],
    [0, 5000],
    [-1000, 5000],
  ] as const) {
    test(`may be ${aheadMs} ms ahead where an answer takes ${tookMs} ms`, async () => {
      const { world, look, lines } = setup()
      Object.assign(world, { aheadMs, tookMs })
      for (let looks = 0; looks < 4; looks += 1) assert.deepEqual(await look(), [])
      assert.deepEqual(lines, [])
    })
  }

  test('is looked at no more after a stop', async () => {
    const { watch, scheduler, look } = setup()
    await look()
    await watch.stop()
    assert.equal(scheduler.pending, 0)
  })
})
