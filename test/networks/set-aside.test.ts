import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { BlocksAside } from '../../src/networks/blocks-aside.js'
import { RETRY_PAUSE_MAX_MS } from '../../src/networks/chain-watcher.js'
import { NoticedScheduler } from './noticed-scheduler.js'
import { POLL_MS, WatcherFixture } from './watcher-fixture.js'

const SKIP_AFTER_MS = 900_000
/** Attempts that are more than the time for which a block is waited for. */
const ATTEMPTS_MAX = 100

const fixture = (run: (t: WatcherFixture) => Promise<void>, skipAfterMs = SKIP_AFTER_MS) =>
  WatcherFixture.with(run, { skipAfterMs })

/** Lets attempts go on until the network stands at a height, and answers how long that took. */
async function until(t: WatcherFixture, height: number): Promise<number> {
  const begunAt = t.clock.now()
  for (let n = 0; n < ATTEMPTS_MAX; n += 1) {
    if (t.watcher.state().position?.confirmed === height) return t.clock.now() - begunAt
    await t.next()
  }
  assert.fail(`the network stands at ${t.watcher.state().position?.confirmed}`)
}

async function heights(t: WatcherFixture): Promise<readonly number[]> {
  return (await t.store.aside.blocks('SEP')).filter(({ hash }) => hash !== null).map(({ height }) => height)
}

/** The work in the background, whose rounds a test begins. */
function background(t: WatcherFixture) {
  const scheduler = new NoticedScheduler()
  const work = new BlocksAside({
    ...{ reader: t.reader, aside: t.store.aside, chain: t.store.chain, intake: t.intake, clock: t.clock, scheduler },
    random: () => 0.999_999,
    log: createLog('debug', { write: (line) => t.log.push(JSON.parse(line)) }),
  })
  return {
    work,
    async begin() {
      work.start()
      await scheduler.waited()
    },
    async next() {
      const delay = scheduler.delays.at(-1) ?? 0
      t.clock.advance(delay)
      scheduler.pass(delay)
      await scheduler.waited()
    },
  }
}

describe('a block that no node can give', () => {
  test(
    'is a problem at once, and is passed by when the time is over, while later deposits come',
    fixture(async (t) => {
      const hashes = t.mine(3)
      await t.watcher.start()
      await t.rest()
      const [lost, ...later] = t.mine(12) as [string, ...string[]]
      t.reader.unreadable.add(4)
      // Of several blocks together it is not known yet which one it is.
      await t.next()
      assert.deepEqual([t.watcher.state().problem, t.watcher.state().lastError], [null, 'simulated: unreadable'])
      await t.next()
      assert.equal((await t.store.aside.blocks('SEP'))[0]?.failedForMs, 0)
      const { problem, blocksSetAside, position } = t.watcher.state()
      assert.equal(problem?.reason, 'unreadable')
      assert.match(problem?.message ?? '', /no node can give block 4: simulated: unreadable/)
      assert.deepEqual([blocksSetAside, position?.tip.height], [0, 3])
      const tookMs = await until(t, t.chain.confirmed)
      const latestMs = SKIP_AFTER_MS + RETRY_PAUSE_MAX_MS + POLL_MS
      assert.ok(tookMs >= SKIP_AFTER_MS - 10_000 && tookMs <= latestMs, `it took ${tookMs} ms`)
      assert.deepEqual([await heights(t), t.watcher.state().blocksSetAside], [[4], 1])
      assert.equal(t.watcher.state().problem, null)
      assert.deepEqual(await t.kinds(...hashes, lost), ['confirmed', 'confirmed', 'confirmed', undefined])
      assert.deepEqual(new Set(await t.kinds(...later.slice(0, 9))), new Set(['confirmed']))
      assert.ok(t.lines('error').some((line) => String(line).includes('SET ASIDE')))
      const { reason } = (await t.store.aside.blocks('SEP'))[0] ?? assert.fail()
      assert.match(reason, /simulated: unreadable/)
    }),
  )

  for (const pollMs of [POLL_MS, 20_000, 600_000]) {
    test(
      `is passed by one pause later than the time at the latest, at a poll of ${pollMs} ms`,
      WatcherFixture.with(
        async (t) => {
          t.mine(3)
          await t.watcher.start()
          await t.rest()
          t.mine(12)
          t.reader.unreadable.add(4)
          while ((await t.store.aside.blocks('SEP')).length === 0) await t.next()
          const sinceMs = t.clock.now()
          for (let n = 0; n < ATTEMPTS_MAX && (await heights(t)).length === 0; n += 1) await t.next()
          // Pauses are not shortened at random: then nodes that pause as long would be asked every second time only.
          const longest = t.scheduler.delays.filter((delayMs) => delayMs === RETRY_PAUSE_MAX_MS)
          assert.ok(longest.length >= 55, `${longest.length} pauses`)
          const tookMs = t.clock.now() - sinceMs
          assert.ok(tookMs >= SKIP_AFTER_MS && tookMs <= SKIP_AFTER_MS + RETRY_PAUSE_MAX_MS, `it took ${tookMs} ms`)
        },
        { skipAfterMs: SKIP_AFTER_MS, pollMs, random: () => 0 },
      ),
    )
  }

  test(
    'is found among those that are read together',
    fixture(async (t) => {
      t.mine(40)
      t.reader.unreadable.add(25)
      await t.watcher.start()
      await t.rest()
      await until(t, t.chain.confirmed)
      assert.deepEqual(await heights(t), [25])
    }),
  )

  test(
    'may be the first of all',
    WatcherFixture.with(
      async (t) => {
        const hashes = t.mine(9)
        t.reader.unreadable.add(3)
        await t.watcher.start()
        await t.rest()
        await until(t, t.chain.confirmed)
        assert.deepEqual(await heights(t), [3])
        assert.deepEqual(await t.kinds(hashes[2] ?? '', hashes[3] ?? ''), [undefined, 'confirmed'])
      },
      { start: 3 },
    ),
  )

  test(
    'when it is to be confirmed keeps its deposits pending, and those behind it are confirmed',
    fixture(async (t) => {
      const [first, second, third] = t.mine(3) as [string, string, string]
      await t.watcher.start()
      await t.rest()
      assert.deepEqual(await t.kinds(first, second, third), ['confirmed', 'pending', 'pending'])
      t.mine(3)
      t.reader.unreadable.add(2)
      await until(t, t.chain.confirmed)
      assert.deepEqual(await t.kinds(first, second, third), ['confirmed', 'pending', 'confirmed'])
      const { work, begin, next } = background(t)
      await begin()
      assert.deepEqual(await heights(t), [2])
      t.reader.unreadable.clear()
      for (let n = 0; n < 2; n += 1) await next()
      assert.deepEqual([await heights(t), await t.kinds(second)], [[], ['confirmed']])
      await work.stop()
    }),
  )

  test(
    'is waited for until it can be read, where it can be in time',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      const [lost] = t.mine(5) as [string]
      t.reader.unreadable.add(4)
      for (let n = 0; n < 10; n += 1) await t.next()
      assert.equal((await t.store.aside.blocks('SEP')).length, 1)
      t.reader.unreadable.clear()
      await until(t, t.chain.confirmed)
      assert.deepEqual([await t.store.aside.blocks('SEP'), await t.kinds(lost)], [[], ['confirmed']])
      assert.equal(t.watcher.state().problem, null)
    }),
  )

  test(
    'is waited for ever where the operator says so',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      t.mine(5)
      t.reader.unreadable.add(4)
      for (let n = 0; n < ATTEMPTS_MAX; n += 1) await t.next()
      assert.deepEqual([t.watcher.state().position?.tip.height, await heights(t)], [3, []])
    }, 0),
  )

  test(
    'is waited for while no node tells where it is in the chain',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      t.mine(5)
      t.reader.unreadable.add(4)
      t.reader.isLinkTold = false
      for (let n = 0; n < ATTEMPTS_MAX; n += 1) await t.next()
      assert.deepEqual([t.watcher.state().position?.tip.height, await heights(t)], [3, []])
      t.reader.isLinkTold = true
      await until(t, t.chain.confirmed)
      assert.deepEqual(await heights(t), [4])
    }),
  )

  test(
    'is waited for as long after another start as without it',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      t.mine(5)
      t.reader.unreadable.add(4)
      const begunAt = t.clock.now()
      for (let n = 0; n < 40; n += 1) await t.next()
      await t.watcher.stop()
      const [before] = await t.store.aside.blocks('SEP')
      t.watcher = t.newWatcher()
      await t.watcher.start()
      await t.rest()
      await until(t, t.chain.confirmed)
      const tookMs = t.clock.now() - begunAt
      assert.ok(tookMs <= SKIP_AFTER_MS + RETRY_PAUSE_MAX_MS + 2 * POLL_MS, `it took ${tookMs} ms`)
      assert.ok((before?.failedForMs ?? 0) > 300_000)
      assert.equal((await t.store.aside.blocks('SEP'))[0]?.since, before?.since)
    }),
  )

  test(
    'is not passed by because of an outage, however long',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      t.mine(5)
      t.reader.faults = { ...t.reader.faults, unavailable: 1 }
      for (let n = 0; n < ATTEMPTS_MAX; n += 1) await t.next()
      assert.deepEqual(await t.store.aside.blocks('SEP'), [])
    }),
  )

  test(
    'that turns out to be of another branch undoes what was replaced',
    fixture(async (t) => {
      const gone = t.mine(4)
      await t.watcher.start()
      await t.rest()
      t.chain.undo(1)
      t.mine(6)
      t.reader.unreadable.add(4)
      await until(t, t.chain.confirmed)
      assert.deepEqual(await heights(t), [4])
      assert.equal((await t.store.chain.blockAt('SEP', 4))?.hash, t.chain.present[4]?.hash)
      assert.deepEqual(await t.kinds(gone[3] ?? ''), ['dropped'])
    }),
  )
})

describe('a block of which a transaction is untold', () => {
  test(
    'holds up nothing: all other deposits come at once, and the rest when a node tells it',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      const [bad, ...others] = t.mine(6) as [string, ...string[]]
      t.reader.untold.set(4, bad)
      await until(t, t.chain.confirmed)
      assert.deepEqual(await t.kinds(bad, ...others.slice(0, 3)), [undefined, ...Array(3).fill('confirmed')])
      await t.next()
      assert.deepEqual([await heights(t), t.watcher.state().blocksSetAside, t.watcher.state().problem], [[4], 1, null])
      assert.ok(t.lines('error').some((line) => String(line).includes('SET ASIDE')))
      const { work, begin, next } = background(t)
      await begin()
      assert.deepEqual(await heights(t), [4])
      const asked = t.reader.asked.again
      await next()
      assert.equal(t.reader.asked.again, asked, 'not before its pause is over')
      t.reader.untold.clear()
      for (let n = 0; n < 2; n += 1) await next()
      assert.deepEqual([await heights(t), await t.kinds(bad)], [[], ['confirmed']])
      await work.stop()
    }),
  )

  test(
    'is not set aside, nor told of in the log, while it is not confirmed',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      const [bad, other] = t.mine(2) as [string, string]
      t.reader.untold.set(4, bad)
      await t.next()
      assert.deepEqual(await t.kinds(bad, other), [undefined, 'pending'])
      assert.deepEqual([await heights(t), t.lines('error')], [[], []])
      t.reader.untold.clear()
      t.mine(6)
      await until(t, t.chain.confirmed)
      assert.deepEqual([await heights(t), await t.kinds(bad)], [[], ['confirmed']])
    }),
  )

  test(
    'does not hold up those that were set aside later, however many stay untold',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      for (const [i, hash] of t.mine(20).entries()) if (i < 12) t.reader.untold.set(4 + i, hash)
      await until(t, t.chain.confirmed)
      const { work, begin, next } = background(t)
      await begin()
      for (let n = 0; n < 10; n += 1) await next()
      const [late] = t.mine(1) as [string]
      const height = t.chain.latest
      t.reader.untold.set(height, late)
      t.mine(6)
      await until(t, t.chain.confirmed)
      assert.ok((await heights(t)).includes(height))
      t.clock.advance(300_000)
      t.reader.untold.delete(height)
      await next()
      assert.ok(!(await heights(t)).includes(height))
      await work.stop()
    }),
  )
})

describe('a block that is set aside', () => {
  const withBlock = (run: (t: WatcherFixture, lost: string) => Promise<void>) =>
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      const [lost] = t.mine(5) as [string]
      t.reader.unreadable.add(4)
      await until(t, t.chain.confirmed)
      await run(t, lost)
    })

  test(
    'is asked for in the background, more and more seldom, and its deposits come late, but come',
    withBlock(async (t, lost) => {
      const { work, begin, next } = background(t)
      await begin()
      const askedBefore = t.reader.asked.again
      for (let n = 0; n < 300; n += 1) await next()
      const asked = t.reader.asked.again - askedBefore
      // 25 minutes: five pauses that double, and then one of five minutes after the other.
      assert.ok(asked >= 7 && asked <= 10, `${asked} questions`)
      assert.deepEqual(await t.kinds(lost), [undefined])
      t.reader.unreadable.clear()
      for (let n = 0; n < 61; n += 1) await next()
      assert.deepEqual([await t.kinds(lost), await heights(t)], [['confirmed'], []])
      const deposit = await t.store.deposits.find('SEP', lost, 0)
      assert.equal(deposit?.receivedAt, t.chain.present[4]?.timeEndMs)
      assert.ok(t.lines('warn').includes('a block that was set aside has been read'))
      await t.next()
      assert.equal(t.watcher.state().blocksSetAside, 0)
      await work.stop()
    }),
  )

  test(
    'stays so while it is read as another one than the chain has',
    withBlock(async (t, lost) => {
      t.reader.unreadable.clear()
      const present = t.chain.present[4] ?? assert.fail()
      const reader = Object.assign(Object.create(t.reader) as typeof t.reader, {
        again: async () => ({ ...present, hash: 'another' }),
      })
      const scheduler = new NoticedScheduler()
      const parts = { aside: t.store.aside, chain: t.store.chain, intake: t.intake, clock: t.clock, scheduler }
      const lines: string[] = []
      const log = createLog('debug', { write: (line) => lines.push(JSON.parse(line).reason) })
      const work = new BlocksAside({ ...parts, reader, random: () => 0, log })
      work.start()
      await scheduler.waited()
      assert.deepEqual(lines, [`block 4 is another now, and was ${present.hash}`])
      assert.deepEqual([await t.kinds(lost), await heights(t)], [[undefined], [4]])
      await work.stop()
    }),
  )

  test(
    'and many others are asked for a few at a time',
    fixture(async (t) => {
      t.mine(3)
      await t.watcher.start()
      await t.rest()
      t.mine(12)
      for (const height of [4, 5, 6, 7, 8]) t.reader.unreadable.add(height)
      for (let n = 0; n < 5; n += 1) {
        await until(t, 4 + n).catch(() => {})
        for (let i = 0; i < ATTEMPTS_MAX && (await heights(t)).length <= n; i += 1) await t.next()
      }
      assert.deepEqual(await heights(t), [4, 5, 6, 7, 8])
      const { work, begin, next } = background(t)
      const before = t.reader.asked.again
      await begin()
      assert.equal(t.reader.asked.again - before, 3)
      await next()
      assert.equal(t.reader.asked.again - before, 5)
      await work.stop()
    }),
  )
})
