import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type NetworkReader, NodeUnavailable } from '../../src/networks/network-reader.js'
import { depositFact } from '../support/fixtures.js'
import { START_MS } from '../support/manual-clock.js'
import { NO_FAULTS } from './simulated-reader.js'
import { WatcherFixture } from './watcher-fixture.js'

const HOUR_MS = 3_600_000
/** Far more than finding the first block takes. */
const ATTEMPTS_MAX = 100
const fixture = WatcherFixture.with

/** Times of blocks by the minute. */
const minute = (n: number) => START_MS + n * 60_000

/** Lets a reader of a chain do something else. */
function readerWith(t: WatcherFixture, methods: Partial<NetworkReader>): NetworkReader {
  return Object.assign(Object.create(t.reader) as NetworkReader, methods)
}

/** Begins with the times of blocks that `WatcherFixture.mine` does not choose. */
function mineAt(t: WatcherFixture, ...times: readonly number[]): void {
  for (const timeMs of times) t.chain.mine([], timeMs)
}

function firstLine(t: WatcherFixture, msg: string): Readonly<Record<string, unknown>> {
  return t.log.find((line) => line['msg'] === msg) ?? {}
}

describe('the first block that a watcher reads', () => {
  test(
    'is of when it was first started, however late its node answers, and the log says which one and why',
    fixture(
      async (t) => {
        mineAt(t, minute(-90), minute(-60), minute(-30), minute(-20))
        t.reader.faults = { ...NO_FAULTS, unavailable: 1 }
        await t.watcher.start()
        await t.rest()
        await t.watcher.stop()
        const missed = t.mine(3)
        t.clock.advance(HOUR_MS)
        mineAt(t, minute(50), minute(60), minute(61), minute(62))
        t.reader.faults = NO_FAULTS
        t.watcher = t.newWatcher({ start: 'latest' })
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(...missed), ['confirmed', 'confirmed', 'confirmed'])
        const { level, because, since } = firstLine(t, 'begins to watch a network')
        assert.deepEqual(
          [level, because, since],
          ['info', 'it was first watched then', new Date(START_MS).toISOString()],
        )
        assert.deepEqual(
          t.lines('warn').filter((line) => String(line).includes('no longer have')),
          [],
        )
      },
      { start: 'latest' },
    ),
  )

  test(
    'is found behind a balancer that never asks the machine which told the head for its block',
    fixture(
      async (t) => {
        t.mine(3)
        let newest = -1
        const balanced = readerWith(t, {
          head: async () => {
            t.mine(1)
            const head = await t.reader.head()
            newest = head.confirmed
            return head
          },
          timeOf: async (height) => (height === newest ? null : t.reader.timeOf(height)),
        })
        t.watcher = t.newWatcher({ reader: balanced, start: 'latest' })
        await t.watcher.start()
        await t.rest()
        await t.next()
        assert.notEqual(await t.store.chain.position('SEP'), undefined)
      },
      { start: 'latest' },
    ),
  )

  test(
    'is of when its first wallet was known, when the network is watched later',
    fixture(
      async (t) => {
        mineAt(t, minute(-90), minute(-60))
        const missed = t.mine(3)
        t.clock.advance(HOUR_MS)
        mineAt(t, minute(50), minute(60))
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(...missed), ['confirmed', 'confirmed', 'confirmed'])
        assert.equal(firstLine(t, 'begins to watch a network')['because'], 'its first wallet became known then')
      },
      { start: 'latest' },
    ),
  )

  for (const { what, afterMs, heightsAsked } of [
    {
      what: 'the newest confirmed one while there is no wallet: older blocks are not asked for',
      afterMs: 0,
      heightsAsked: 1,
    },
    {
      what: 'of when it was first watched, also without a wallet, when a node first answers later',
      afterMs: HOUR_MS,
      heightsAsked: 2,
    },
  ]) {
    test(
      `is ${what}`,
      fixture(
        async (t) => {
          const [before] = t.mine(9) as [string]
          const asked: number[] = []
          const reader = readerWith(t, {
            timeOf: (height) => {
              asked.push(height)
              return t.reader.timeOf(height)
            },
          })
          const { watchedAt, ...rest } = await t.store.chain.watch('SEP')
          const watch = async () => ({ ...rest, watchedAt, firstWalletAt: null })
          const chain = Object.assign(Object.create(t.store.chain) as typeof t.store.chain, { watch })
          t.clock.advance(afterMs)
          t.watcher = t.newWatcher({ reader, chain, start: 'latest' })
          await t.watcher.start()
          await t.rest()
          assert.deepEqual(
            [await t.kinds(before), Math.min(asked.length, 2)],
            [[afterMs === 0 ? undefined : 'confirmed'], heightsAsked],
          )
        },
        { start: 'latest' },
      ),
    )
  }

  test(
    'is of when it was first watched, when others have reported its deposits before: they might count twice',
    fixture(
      async (t) => {
        const [reported] = t.mine(3) as [string]
        const fact = depositFact('confirmed', { txHash: reported, index: 7 })
        await t.store.commands.perform([{ type: 'deposit', eventId: null, fact }])
        t.clock.advance(HOUR_MS)
        mineAt(t, minute(60))
        const [seen] = t.mine(4) as [string]
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(reported, seen), [undefined, 'confirmed'])
      },
      { start: 'latest' },
    ),
  )

  test(
    'is the first of a young chain, also when none was confirmed at first',
    fixture(
      async (t) => {
        const hashes = t.mine(1)
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().position, null)
        t.mine(40)
        t.clock.advance(HOUR_MS)
        await t.next()
        assert.deepEqual(await t.kinds(...hashes), ['confirmed'])
      },
      { start: 'latest' },
      3,
    ),
  )

  test(
    'is the one that the settings name',
    fixture(
      async (t) => {
        const [before, from] = t.mine(9) as [string, string]
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(before, from), [undefined, 'confirmed'])
        assert.equal(firstLine(t, 'begins to watch a network')['because'], 'the settings name it')
      },
      { start: 2 },
    ),
  )

  test(
    'is the oldest whose time is known, and a warning says how much before may hold payments',
    fixture(
      async (t) => {
        const [gone, kept] = t.mine(9) as [string, string]
        const reader = readerWith(t, {
          timeOf: (height) => (height < 2 ? Promise.resolve(null) : t.reader.timeOf(height)),
        })
        t.watcher = t.newWatcher({ reader, start: 'latest' })
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(gone, kept), [undefined, 'confirmed'])
        const { level, before, seconds } = t.log.find(({ msg }) => String(msg).includes('billhook reconcile')) ?? {}
        const wantedSeconds = Math.ceil(((t.chain.present[2]?.timeMs ?? 0) - START_MS) / 1000)
        assert.deepEqual([level, before, seconds], ['warn', 2, wantedSeconds])
      },
      { start: 'latest' },
    ),
  )

  test(
    'is the oldest that the nodes keep with all that is in it, once they have said so twice',
    fixture(
      async (t) => {
        const [gone, , kept] = t.mine(9) as [string, string, string]
        let refusals = 0
        const reader = readerWith(t, {
          blocks: (from, to, watched) => {
            if (from >= 3) return t.reader.blocks(from, to, watched)
            refusals += 1
            const problem = { reason: 'pruned', message: 'gone', historyFrom: 3 } as const
            return Promise.reject(new NodeUnavailable('gone', problem))
          },
        })
        t.watcher = t.newWatcher({ reader, start: 'latest' })
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().position, null)
        while (t.watcher.state().position === null) await t.next()
        assert.equal(refusals, 2)
        assert.deepEqual(await t.kinds(gone, kept), [undefined, 'confirmed'])
        const { before, blocks } = t.log.find(({ msg }) => String(msg).includes('billhook reconcile')) ?? {}
        assert.deepEqual([before, blocks], [3, 3])
      },
      { start: 'latest' },
    ),
  )

  test(
    'is asked for again while a node fails for a moment, and taken for gone when it is refused for a minute',
    fixture(
      async (t) => {
        const [gone, kept] = t.mine(30) as [string, string]
        let refusedAtMs = 0
        const reader = readerWith(t, {
          timeOf: (height) => {
            if (height >= 2) return t.reader.timeOf(height)
            // What has just failed is left alone.
            const isEarlier = refusedAtMs === t.clock.now()
            refusedAtMs = t.clock.now()
            const refusal = { question: null, answer: 'not in your plan', isEarlier }
            return Promise.reject(new NodeUnavailable('not in your plan', null, refusal))
          },
        })
        t.watcher = t.newWatcher({ reader, start: 'latest' })
        await t.watcher.start()
        await t.rest()
        const beganMs = t.clock.now()
        for (let n = 0; n < ATTEMPTS_MAX && t.watcher.state().position === null; n += 1) await t.next()
        assert.ok(t.clock.now() - beganMs >= 60_000)
        assert.deepEqual(await t.kinds(gone, kept), [undefined, 'confirmed'])
      },
      { start: 'latest' },
    ),
  )

  test(
    'is found although every third query fails, while the chain goes on: the search goes on where it was',
    fixture(
      async (t) => {
        const [first] = t.mine(300) as [string]
        let queries = 0
        const reader = readerWith(t, {
          timeOf: (height) => {
            queries += 1
            if (queries % 3 === 0) return Promise.reject(new NodeUnavailable('cut off', null))
            return t.reader.timeOf(height)
          },
        })
        t.watcher = t.newWatcher({ reader, start: 'latest' })
        await t.watcher.start()
        await t.rest()
        for (let attempts = 1; t.watcher.state().position === null && attempts < 20; attempts += 1) {
          t.mine(1)
          await t.next()
        }
        assert.deepEqual(await t.kinds(first), ['confirmed'])
      },
      { start: 'latest' },
    ),
  )
})
