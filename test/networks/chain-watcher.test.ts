import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Intake } from '../../src/actors/intake.js'
import { MailboxFull } from '../../src/actors/wallet-directory.js'
import type { ObservedBlock, WatchedAddresses } from '../../src/domain/block.js'
import { RETRY_PAUSE_MAX_MS } from '../../src/networks/chain-watcher.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../../src/networks/network-reader.js'
import { STANDING_MS } from '../../src/networks/watcher-state.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { deferred } from '../support/deferred.js'
import { NO_FAULTS, type SimulatedReader } from './simulated-reader.js'
import { POLL_MS, WatcherFixture } from './watcher-fixture.js'

const fixture = WatcherFixture.with

/** An object of which some methods are others. */
function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const own: unknown = Reflect.get(methods, name)
      const member: unknown = own ?? Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

describe('a watcher that begins', () => {
  test(
    'at a height records what is confirmed as confirmed, and the rest as pending',
    fixture(
      async (t) => {
        const [below, first, second, third, fourth] = t.mine(5) as [string, string, string, string, string]
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(below, first, second, third, fourth), [
          undefined,
          'confirmed',
          'confirmed',
          'pending',
          'pending',
        ])
        const { position, lagBlocks, head } = t.watcher.state()
        assert.deepEqual(head, { latest: 5, confirmed: 3, ageMs: 0 })
        assert.deepEqual([position?.tip.height, position?.confirmed, position?.oldest, lagBlocks], [5, 3, 2, 0])
      },
      { start: 2 },
    ),
  )

  test(
    'at the latest block begins where the network stood when it had its first wallet, and goes on after another start',
    fixture(
      async (t) => {
        const hashes = t.mine(5)
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(await t.kinds(...hashes), ['confirmed', 'confirmed', 'confirmed', 'pending', 'pending'])
        await t.watcher.stop()
        const missed = t.mine(9)
        t.watcher = t.newWatcher({ start: 'latest' })
        await t.watcher.start()
        await t.rest()
        assert.deepEqual(new Set(await t.kinds(...missed.slice(0, 7))), new Set(['confirmed']))
        assert.deepEqual(await t.kinds(...missed.slice(7)), ['pending', 'pending'])
      },
      { start: 'latest' },
    ),
  )

  test(
    'waits until the first block is confirmed, since that can never be undone',
    fixture(
      async (t) => {
        const hashes = t.mine(4)
        await t.watcher.start()
        await t.rest()
        const { position, lagBlocks, lastError } = t.watcher.state()
        assert.deepEqual([position, lagBlocks, lastError], [null, null, null])
        t.mine(2)
        await t.next()
        assert.equal((await t.kinds(hashes[3] ?? ''))[0], 'confirmed')
      },
      { start: 4 },
    ),
  )

  test(
    'says at once that the node is of another network, and asks it again',
    fixture(async (t) => {
      let isWrong = true
      const reader = withMethods<NetworkReader>(t.reader, {
        verify: () => (isWrong ? Promise.reject(new WrongNode('it is of chain 1')) : Promise.resolve()),
      })
      t.watcher = t.newWatcher({ reader })
      await assert.rejects(t.watcher.start(), WrongNode)
      await t.rest()
      assert.deepEqual(t.watcher.state().problem, { reason: 'wrong_node', message: 'it is of chain 1' })
      isWrong = false
      await t.next()
      assert.equal(t.watcher.state().problem, null)
    }),
  )

  test(
    'goes on without an answer, verifies before anything else, and says what is wrong when it learns it later',
    fixture(
      async (t) => {
        const failures = [new NodeUnavailable('no'), new NodeUnavailable('no'), new WrongNode('it is of chain 1')]
        const reader = withMethods<NetworkReader>(t.reader, {
          verify: () => {
            const failure = failures.shift()
            return failure === undefined ? Promise.resolve() : Promise.reject(failure)
          },
        })
        t.watcher = t.newWatcher({ reader })
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().problem, null)
        assert.equal(t.reader.asked.head, 0)
        await t.next()
        assert.equal(t.watcher.state().problem?.message, 'it is of chain 1')
        assert.equal(t.reader.asked.head, 0)
        await t.next()
        assert.equal(t.watcher.state().problem, null)
        assert.equal(t.watcher.state().position?.tip.height, -1 + t.chain.present.length)
      },
      {},
      1,
    ),
  )
})

describe('a watcher whose nodes fail', () => {
  test(
    'asks again as soon as a node may be asked, since its pause and that of the node would add up',
    fixture(async (t) => {
      let againInMs: number | null = null
      const head = () => Promise.reject(new NodeUnavailable('gone', null, null, false, againInMs))
      t.watcher = t.newWatcher({ reader: withMethods<NetworkReader>(t.reader, { head }) })
      await t.watcher.start()
      await t.rest()
      for (let n = 0; n < 8; n += 1) await t.next()
      assert.equal(t.scheduler.delays.at(-1), RETRY_PAUSE_MAX_MS)
      for (againInMs of [1, 1234]) {
        await t.next()
        assert.equal(t.scheduler.delays.at(-1), againInMs)
      }
      againInMs = 4 * RETRY_PAUSE_MAX_MS
      await t.next()
      assert.equal(t.scheduler.delays.at(-1), RETRY_PAUSE_MAX_MS)
    }),
  )

  test(
    'waits longer each time, up to a cap, and is back at once when they answer',
    fixture(async (t) => {
      t.reader.faults = { ...NO_FAULTS, unavailable: 1 }
      await t.watcher.start()
      await t.rest()
      for (let n = 0; n < 8; n += 1) await t.next()
      const capped = Math.max(...t.scheduler.delays)
      assert.equal(capped, RETRY_PAUSE_MAX_MS)
      // The first failure is that of the start.
      assert.deepEqual(t.scheduler.delays.slice(0, 3), [2 * POLL_MS, 4 * POLL_MS, 8 * POLL_MS])
      const { failures, lastError, problem } = t.watcher.state()
      assert.deepEqual([failures, lastError, problem], [10, 'simulated: no answer', null])
      const { unreadMs } = t.watcher.state()
      t.clock.advance(5000)
      assert.equal(t.watcher.state().unreadMs, unreadMs + 5000)
      // Failures 1, 2, 4 and 8.
      assert.equal(t.lines('warn').length, 4)
      t.reader.faults = NO_FAULTS
      t.mine(5)
      await t.next()
      assert.equal(t.scheduler.delays.at(-1), POLL_MS)
      assert.deepEqual(
        [t.watcher.state().failures, t.watcher.state().lastError, t.watcher.state().unreadMs],
        [0, null, 0],
      )
      assert.equal(t.watcher.state().position?.tip.height, 5)
    }),
  )

  test(
    'does not ask in step with others',
    fixture(
      async (t) => {
        t.reader.faults = { ...NO_FAULTS, unavailable: 1 }
        await t.watcher.start()
        await t.rest()
        assert.equal(t.scheduler.delays.at(-1), 1.5 * POLL_MS)
      },
      { random: () => 0.5 },
    ),
  )

  for (const error of [new MailboxFull(), new StorageUnavailable(new Error('the disk is full'))]) {
    test(
      `tells a step again that was not taken: ${error.name}`,
      fixture(async (t) => {
        let isFailing = true
        const intake = withMethods(t.intake, {
          observe: (step) => (isFailing ? Promise.reject(error) : t.intake.observe(step)),
        })
        const hashes = t.mine(4)
        t.watcher = t.newWatcher({ intake })
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().position, null)
        assert.equal(t.watcher.state().lastError, error.message)
        isFailing = false
        await t.next()
        assert.deepEqual(await t.kinds(...hashes), ['confirmed', 'confirmed', 'pending', 'pending'])
      }),
    )
  }

  const wrong: readonly (readonly [string, (blocks: readonly ObservedBlock[]) => readonly ObservedBlock[]])[] = [
    ['nothing', () => []],
    ['other heights', (blocks) => blocks.slice(1)],
    ['a gap', (blocks) => blocks.filter((_, i) => i !== 1)],
    ['blocks of two branches', (blocks) => blocks.map((block, i) => (i === 1 ? { ...block, parentHash: 'x' } : block))],
  ]
  for (const [what, change] of wrong) {
    test(
      `records nothing of a reader that answers ${what}`,
      fixture(async (t) => {
        t.mine(9)
        const reader = withMethods<NetworkReader>(t.reader, {
          blocks: async (from, to, watched) => change(await t.reader.blocks(from, to, watched)),
        })
        t.watcher = t.newWatcher({ reader })
        t.reader.faults = { ...NO_FAULTS, rangeMax: 1000 }
        for (let n = 0; n < 3; n += 1) {
          if (n === 0) await t.watcher.start()
          await (n === 0 ? t.rest() : t.next())
        }
        const { position, lastError } = t.watcher.state()
        // One block at a time is no gap; what comes with one is not taken.
        if (position !== null) assert.ok(position.tip.height <= t.chain.latest)
        else assert.match(lastError ?? '', /other blocks/)
        const heights = Array.from({ length: (position?.tip.height ?? -1) + 1 }, (_, height) => height)
        for (const height of heights) {
          assert.equal((await t.store.chain.blockAt('SEP', height))?.hash, t.chain.present[height]?.hash)
        }
      }),
    )
  }
})

describe('a watcher of a chain that is reorganised', () => {
  test(
    'undoes what was replaced, however deep, with few questions',
    fixture(
      async (t) => {
        const kept = t.mine(5)
        const gone = t.mine(20)
        await t.watcher.start()
        await t.rest()
        t.chain.undo(20)
        const fresh = t.mine(21)
        const asked = t.reader.asked.block
        await t.next()
        assert.deepEqual(new Set(await t.kinds(...gone)), new Set(['dropped']))
        assert.deepEqual(new Set(await t.kinds(...kept, ...fresh.slice(0, 1))), new Set(['confirmed']))
        assert.deepEqual(new Set(await t.kinds(...fresh.slice(1))), new Set(['pending']))
        const { reorganisations, confirmedBlocksUndone } = t.watcher.state()
        assert.deepEqual([reorganisations, confirmedBlocksUndone], [1, 0])
        // The block that did not fit, 20 steps back, and the new branch.
        assert.ok(t.reader.asked.block - asked <= 1 + 20 + 21)
        assert.deepEqual(t.lines('warn'), ['blocks were replaced'])
        assert.deepEqual(t.lines('error'), [])
      },
      {},
      21,
    ),
  )

  test(
    'finds out that the last block was replaced by one as high, without a further block',
    fixture(async (t) => {
      t.mine(4)
      await t.watcher.start()
      await t.rest()
      t.chain.undo(2)
      const [first, second] = t.mine(2) as [string, string]
      await t.next()
      assert.deepEqual(await t.kinds(first, second), ['pending', 'pending'])
      assert.equal(t.watcher.state().reorganisations, 1)
    }),
  )

  test(
    'does not look at the last block again each time that there is no further one',
    fixture(
      async (t) => {
        t.mine(4)
        await t.watcher.start()
        await t.rest()
        const asked = t.reader.asked.block
        for (let n = 0; n < 4; n += 1) await t.next()
        assert.equal(t.reader.asked.block, asked)
        for (let n = 0; n < 4; n += 1) await t.next()
        assert.equal(t.reader.asked.block, asked + 1)
      },
      { tipCheckMs: 5 * POLL_MS },
    ),
  )

  test(
    'does not follow a shorter branch before it has grown',
    fixture(async (t) => {
      const old = t.mine(6)
      await t.watcher.start()
      await t.rest()
      t.chain.undo(2)
      t.mine(1)
      await t.next()
      assert.equal((await t.kinds(old[5] ?? ''))[0], 'pending')
      assert.equal(t.watcher.state().reorganisations, 0)
      t.mine(1)
      await t.next()
      assert.equal((await t.kinds(old[5] ?? ''))[0], 'dropped')
    }),
  )

  test(
    'says after a minute that the chain is shorter and another one, and undoes nothing before it has grown',
    fixture(async (t) => {
      const old = t.mine(6)
      await t.watcher.start()
      await t.rest()
      t.chain.undo(4)
      t.mine(2)
      await t.next()
      assert.equal(t.watcher.state().problem, null)
      t.clock.advance(STANDING_MS)
      for (let n = 0; n < 3; n += 1) {
        await t.next()
        assert.equal(t.watcher.state().problem?.reason, 'replaced')
        assert.match(
          String(t.watcher.state().problem?.message),
          /fewer blocks than the 6 that were read, and their newest, 4,/,
        )
      }
      assert.deepEqual(new Set(await t.kinds(...old)), new Set(['confirmed', 'pending']))
      t.mine(3)
      await t.next()
      assert.equal(t.watcher.state().problem, null)
      assert.equal((await t.kinds(old[5] ?? ''))[0], 'dropped')
    }),
  )

  test(
    'has its nodes checked once a minute while they have fewer blocks than were read',
    fixture(async (t) => {
      let checks = 0
      const reader = withMethods<NetworkReader>(t.reader, {
        distrust: () => {
          checks += 1
        },
      })
      t.watcher = t.newWatcher({ reader })
      t.mine(6)
      await t.watcher.start()
      await t.rest()
      t.chain.undo(1)
      await t.next()
      await t.next()
      assert.equal(checks, 0, 'a node may be a little behind')
      for (let minutes = 1; minutes <= 2; minutes += 1) {
        t.clock.advance(STANDING_MS)
        await t.next()
        await t.next()
        assert.deepEqual([checks, t.watcher.state().problem], [minutes, null])
      }
      t.mine(1)
      await t.next()
      t.clock.advance(STANDING_MS)
      t.chain.undo(1)
      await t.next()
      assert.equal(checks, 2, 'it was as long in between')
    }),
  )

  test(
    'drops confirmed deposits too, and says so loudly',
    fixture(async (t) => {
      const [kept, gone] = [t.mine(3), t.mine(6)]
      await t.watcher.start()
      await t.rest()
      t.chain.undo(6)
      t.mine(7)
      await t.next()
      assert.deepEqual(new Set(await t.kinds(...gone)), new Set(['dropped']))
      assert.deepEqual(new Set(await t.kinds(...kept)), new Set(['confirmed']))
      assert.equal(t.watcher.state().confirmedBlocksUndone, 4)
      assert.deepEqual(t.lines('error'), ['CONFIRMED blocks were replaced'])
    }),
  )

  test(
    'undoes nothing while nodes tell of different branches',
    fixture(async (t) => {
      const hashes = t.mine(6)
      await t.watcher.start()
      await t.rest()
      const branch = t.chain.present
      t.chain.undo(4)
      t.mine(5)
      let isTorn = true
      const block: NetworkReader['block'] = async (height, watched) => {
        const present = await t.reader.block(height, watched)
        const other = branch[height]
        return isTorn && other !== undefined && height === 4 ? { ...other, transfers: [] } : present
      }
      await t.watcher.stop()
      t.watcher = t.newWatcher({ reader: withMethods<NetworkReader>(t.reader, { block }) })
      await t.watcher.start()
      await t.rest()
      assert.match(t.watcher.state().lastError ?? '', /nodes disagree about block 4/)
      assert.deepEqual(await t.kinds(...hashes.slice(4)), ['pending', 'pending'])
      isTorn = false
      await t.next()
      assert.equal(t.watcher.state().reorganisations, 1)
    }),
  )

  test(
    'stops at a chain that has none of its blocks, without asking for all of them, and goes on when its own is back',
    fixture(
      async (t) => {
        t.mine(10)
        const hashes = t.mine(200)
        await t.watcher.start()
        await t.rest()
        const before = t.watcher.state().position
        const present = t.chain.present
        t.chain.undo(207)
        t.mine(300)
        const asked = t.reader.asked.block
        await t.next()
        const { problem, position, reorganisations } = t.watcher.state()
        assert.match(problem?.message ?? '', /none of the blocks 5 to 210/)
        assert.deepEqual([position, reorganisations], [before, 0])
        assert.deepEqual(new Set(await t.kinds(...hashes.slice(0, 190))), new Set(['confirmed']))
        assert.ok(t.reader.asked.block - asked < 20, `${t.reader.asked.block - asked} blocks`)
        assert.deepEqual(t.lines('error'), ['cannot watch the network; see docs/networks.md, or correct the settings'])
        await t.next()
        assert.match(t.watcher.state().problem?.message ?? '', /none of the blocks/)
        t.chain.undo(1000)
        for (const { transfers } of present.slice(1)) t.chain.mine(transfers)
        // The blocks are mined anew, so only the position of a store that has forgotten them can go on.
        await t.intake.observe({ type: 'forget', network: 'SEP' })
        await t.next()
        assert.equal(t.watcher.state().problem, null)
        assert.equal(t.watcher.state().position?.tip.height, 210)
      },
      { start: 5 },
    ),
  )
})

describe('a watcher with a single block', () => {
  test(
    'stops when that one was replaced, and does not trust its nodes any more',
    fixture(
      async (t) => {
        const [only] = t.mine(1) as [string]
        await t.watcher.start()
        await t.rest()
        t.chain.undo(1)
        t.mine(1)
        await t.next()
        assert.match(t.watcher.state().problem?.message ?? '', /none of the blocks 1 to 1/)
        assert.deepEqual(await t.kinds(only), ['confirmed'])
        assert.equal(t.reader.asked.distrust, 1)
      },
      { start: 1 },
      1,
    ),
  )
})

describe('a block of which a node did not tell everything at first', () => {
  test(
    'is made right when it is confirmed, and that is counted',
    fixture(async (t) => {
      const [found, missed] = t.mine(2) as [string, string]
      const reader = withMethods<NetworkReader>(t.reader, {
        fresh: async (from, to, watched) => {
          const blocks = await t.reader.fresh(from, to, watched)
          const told = ({ txHash }: { readonly txHash: string }) => txHash !== missed
          return blocks.map((block) => ({ ...block, transfers: block.transfers.filter(told) }))
        },
      })
      t.watcher = t.newWatcher({ reader })
      await t.watcher.start()
      await t.rest()
      assert.deepEqual(await t.kinds(found, missed), ['pending', undefined])
      t.mine(3)
      await t.next()
      assert.deepEqual(await t.kinds(found, missed), ['confirmed', 'confirmed'])
      assert.equal(t.watcher.state().repaired, 1)
      assert.match(String(t.lines('warn')), /held other transfers/)
    }),
  )

  test(
    'is no wonder where nobody could see it at first',
    fixture(async (t) => {
      const [found, missed] = t.mine(2) as [string, string]
      const isMissed = ({ txHash }: { readonly txHash: string }) => txHash === missed
      const reader = withMethods<NetworkReader>(t.reader, {
        fresh: async (from, to, watched) => {
          const blocks = await t.reader.fresh(from, to, watched)
          return blocks.map((block) => ({ ...block, transfers: block.transfers.filter((one) => !isMissed(one)) }))
        },
        blocks: async (from, to, watched) => {
          const blocks = await t.reader.blocks(from, to, watched)
          return blocks.map((block) => ({ ...block, unannounced: block.transfers.filter(isMissed).length }))
        },
      })
      t.watcher = t.newWatcher({ reader })
      await t.watcher.start()
      await t.rest()
      t.mine(3)
      await t.next()
      assert.deepEqual(await t.kinds(found, missed), ['confirmed', 'confirmed'])
      assert.equal(t.watcher.state().repaired, 0)
      assert.deepEqual(t.lines('warn'), [])
    }),
  )
})

const UNCONFIRMED_MAX = 70

/** A reader that gives as many blocks at once as it is asked for. */
function widest(reader: SimulatedReader): NetworkReader {
  const upTo = async (from: number, to: number, watched: WatchedAddresses) => {
    const blocks: ObservedBlock[] = []
    for (let height = from; height <= to; height += 1) {
      const block = await reader.block(height, watched)
      if (block !== null) blocks.push(block)
    }
    return blocks
  }
  return withMethods<NetworkReader>(reader, { fresh: upTo, blocks: upTo })
}

describe('a watcher of a network with many unconfirmed blocks', () => {
  test(
    'reads and records many at once, and confirms many at once',
    fixture(
      async (t) => {
        t.reader.faults = { ...NO_FAULTS, rangeMax: 1000 }
        const steps: string[] = []
        const intake = withMethods<Pick<Intake, 'observe'>>(t.intake, {
          observe: (step) => {
            steps.push('blocks' in step ? `${step.type} ${step.blocks.length}` : step.type)
            return t.intake.observe(step)
          },
        })
        t.watcher = t.newWatcher({ reader: widest(t.reader), intake })
        const first = t.mine(600)
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().position?.tip.height, 600)
        assert.deepEqual(new Set(await t.kinds(...first.slice(0, 99))), new Set(['confirmed']))
        assert.deepEqual(new Set(await t.kinds(...first.slice(101))), new Set(['pending']))
        assert.ok(steps.length <= 5, steps.join())
        assert.ok(steps.filter((step) => step === 'append 200').length >= 2, steps.join())
        steps.length = 0
        t.mine(300)
        await t.next()
        const confirms = steps.filter((step) => step.startsWith('confirm'))
        assert.deepEqual(confirms, ['confirm 250', 'confirm 50'])
        assert.equal(t.watcher.state().reorganisations, 0)
      },
      {},
      500,
    ),
  )

  test(
    'undoes blocks that were replaced between two readings, and reads on',
    fixture(
      async (t) => {
        t.reader.faults = { ...NO_FAULTS, rangeMax: 1000 }
        t.mine(600)
        await t.watcher.start()
        await t.rest()
        const gone = t.chain.undo(30).map(({ transfers }) => transfers[0]?.txHash ?? '')
        const fresh = t.mine(130)
        await t.next()
        assert.deepEqual(new Set(await t.kinds(...gone)), new Set(['dropped']))
        assert.deepEqual(new Set(await t.kinds(...fresh)), new Set(['pending']))
        assert.equal(t.watcher.state().position?.tip.height, t.chain.latest)
      },
      {},
      500,
    ),
  )

  test(
    'follows no further than so many when nothing is confirmed any more, says so, and goes on when it is',
    fixture(
      async (t) => {
        let isStanding = true
        t.reader.faults = { ...NO_FAULTS, rangeMax: 1000 }
        const reader = withMethods<NetworkReader>(t.reader, {
          head: async () => {
            const head = await t.reader.head()
            return isStanding ? { ...head, confirmed: 0 } : head
          },
        })
        t.watcher = t.newWatcher({ reader, unconfirmedMax: UNCONFIRMED_MAX })
        for (let n = 0; n < UNCONFIRMED_MAX + 30; n += 1) t.chain.mine([])
        await t.watcher.start()
        await t.rest()
        assert.equal(t.watcher.state().position?.tip.height, UNCONFIRMED_MAX)
        await t.next()
        assert.equal(t.watcher.state().position?.tip.height, UNCONFIRMED_MAX)
        assert.equal(t.watcher.state().problem?.reason, 'unconfirmed')
        isStanding = false
        await t.next()
        assert.equal(t.watcher.state().position?.tip.height, t.chain.latest)
        assert.equal(t.watcher.state().problem, null)
      },
      {},
      3,
    ),
  )
})

describe('a watcher that catches up', () => {
  test(
    'confirms what it has before, and takes nothing of that for a reorganisation',
    fixture(async (t) => {
      const hashes = t.mine(6)
      await t.watcher.start()
      await t.rest()
      const more = t.mine(40)
      await t.next()
      assert.deepEqual(new Set(await t.kinds(...hashes, ...more.slice(0, -2))), new Set(['confirmed']))
      const { reorganisations, repaired, lastError, position } = t.watcher.state()
      assert.deepEqual([reorganisations, repaired, lastError, position?.tip.height], [0, 0, null, 46])
    }),
  )

  test(
    'tells how far it has come, and when it is there',
    fixture(async (t) => {
      t.mine(100)
      t.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      const reader = withMethods<NetworkReader>(t.reader, {
        blocks: (from, to, watched) => {
          t.clock.advance(500)
          return t.reader.blocks(from, to, watched)
        },
      })
      t.watcher = t.newWatcher({ reader })
      await t.watcher.start()
      await t.rest()
      const lines = t.log.filter(({ msg }) => msg === 'is catching up')
      assert.equal(lines.length, Math.floor((99 * 500) / 10_000))
      assert.equal(lines[0]?.['blocksPerSecond'], 2)
      assert.equal(lines[0]?.['remaining'], 99 - 1 - Number(lines[0]?.['block']) + 0)
      assert.equal(t.log.filter(({ msg }) => msg === 'has caught up').length, 1)
    }),
  )

  test(
    'does not tell that it has caught up after each poll that finds a few blocks',
    fixture(async (t) => {
      t.mine(9)
      t.reader.faults = { ...NO_FAULTS, rangeMax: 1 }
      // Each block takes a second.
      t.watcher = t.newWatcher({ pollMs: 60_000, tipCheckMs: 60_000 })
      await t.watcher.start()
      await t.rest()
      const told = () => t.log.filter(({ msg }) => msg === 'has caught up').length
      const before = told()
      for (let poll = 0; poll < 5; poll += 1) {
        t.mine(4)
        await t.next()
      }
      assert.equal(told(), before)
    }),
  )

  test(
    'counts its lag from when it was first watched while it has read nothing, and from its last block after a restart',
    fixture(async (t) => {
      t.reader.faults = { ...NO_FAULTS, unavailable: 1 }
      await t.watcher.start()
      await t.rest()
      t.clock.advance(77_000)
      assert.equal(t.watcher.state().lagMs, 77_000)
      await t.watcher.stop()
      t.watcher = t.newWatcher()
      await t.watcher.start()
      await t.rest()
      t.clock.advance(1000)
      assert.equal(t.watcher.state().lagMs, 78_000)
      t.reader.faults = NO_FAULTS
      t.mine(9)
      await t.next()
      await t.watcher.stop()
      t.reader.faults = { ...NO_FAULTS, unavailable: 1 }
      t.watcher = t.newWatcher()
      await t.watcher.start()
      await t.rest()
      t.clock.set((t.chain.present.at(-1)?.timeMs ?? 0) + 5000)
      assert.equal(t.watcher.state().lagMs, 5000)
    }),
  )

  test(
    'says how old its last block is',
    fixture(async (t) => {
      t.mine(4)
      await t.watcher.start()
      await t.rest()
      t.clock.set((t.chain.present.at(-1)?.timeMs ?? 0) + 77_000)
      assert.equal(t.watcher.state().lagMs, 77_000)
    }),
  )
})

describe('a watcher that is stopped', () => {
  test(
    'ends the queries under way, waits for the step in progress, and asks nothing more',
    fixture(async (t) => {
      const answer = deferred<null>()
      const asked = deferred<void>()
      const reader = withMethods<NetworkReader>(t.reader, {
        head: async () => {
          asked.resolve()
          await answer.promise
          return t.reader.head()
        },
      })
      t.mine(9)
      const watcher = t.newWatcher({ reader })
      await watcher.start()
      await asked.promise
      let isStopped = false
      const stopped = watcher.stop().then(() => {
        isStopped = true
      })
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual([isStopped, t.reader.isClosed], [false, true])
      answer.resolve(null)
      await stopped
      assert.ok(t.reader.asked.blocks <= 1)
      assert.equal(t.scheduler.pending, 0)
    }),
  )

  test(
    'in a pause ends at once',
    fixture(async (t) => {
      await t.watcher.start()
      await t.rest()
      await t.watcher.stop()
      assert.equal(t.scheduler.pending, 0)
    }),
  )
})

describe('a watcher whose nodes limit the rate', () => {
  test(
    'begins without waiting for their pauses, and goes on when they have been checked',
    fixture(async (t) => {
      const checked = deferred<void>()
      const verify: NetworkReader['verify'] = async (onRefusal) => {
        await t.reader.verify()
        onRefusal?.()
        await checked.promise
      }
      t.watcher = t.newWatcher({ reader: withMethods<NetworkReader>(t.reader, { verify }) })
      await t.watcher.start()
      assert.equal(t.reader.asked.head, 0)
      checked.resolve()
      await t.rest()
      assert.equal(t.reader.asked.head, 1)
      assert.equal(t.reader.asked.verify, 1, 'the check under way is waited for')
    }),
  )

  test(
    'asks for the head more seldom, and reads fewer blocks together',
    fixture(async (t) => {
      t.mine(40)
      const ranges: number[] = []
      const reader = withMethods<NetworkReader>(t.reader, {
        callsPerSecond: () => 0.5,
        blocks: (from, to, watched) => {
          ranges.push(to - from + 1)
          return t.reader.blocks(from, to, watched)
        },
        fresh: (from, to, watched) => {
          ranges.push(to - from + 1)
          return t.reader.fresh(from, to, watched)
        },
      })
      t.watcher = t.newWatcher({ reader })
      await t.watcher.start()
      await t.rest()
      assert.equal(t.watcher.state().lagBlocks, 0)
      assert.equal(Math.max(...ranges), 4)
      assert.equal(t.scheduler.delays.at(-1), 16_000)
      assert.equal(t.reader.asked.head, 1)
    }),
  )

  test(
    'does not wait for a query when it stops, and calls its end no failure',
    fixture(async (t) => {
      const waiting = deferred<never>()
      const reader = withMethods<NetworkReader>(t.reader, {
        head: () => waiting.promise,
        close: async () => waiting.reject(new NodeUnavailable('ended')),
      })
      t.watcher = t.newWatcher({ reader })
      await t.watcher.start()
      await t.watcher.stop()
      assert.equal(t.watcher.state().failures, 0)
    }),
  )
})
