import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog } from '../../src/log.js'
import { ScheduledBackups } from '../../src/service/scheduled-backups.js'
import { lmdbUpkeep } from '../../src/store/lmdb/upkeep/upkeep.js'
import { walletCreated } from '../support/fixtures.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { memoryDirectory } from '../support/temporary-directory.js'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

class World {
  readonly clock = new ManualClock()
  readonly ended: string[] = []
  readonly place = memoryDirectory()
  readonly data = join(this.place.path, 'data')
  directory = join(this.place.path, 'backups')
  readonly logged: string[] = []
  private scheduler = new ManualScheduler()
  backups = this.create()

  async open(): Promise<void> {
    const store = await openStoreAt(this.data)
    await store.ledger.applyFacts([{ eventId: null, fact: walletCreated('wallet-1') }])
    await store.close()
  }

  /** The service starts. */
  start(): void {
    this.scheduler = new ManualScheduler()
    this.backups = this.create()
    this.backups.start()
  }

  /** Time passes, a minute after the other; what begins meanwhile ends too. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE_MS) {
      const step = Math.min(left, MINUTE_MS)
      this.clock.advance(step)
      this.scheduler.pass(step)
      while (this.scheduler.pending === 0) await turn()
    }
  }

  names(): readonly string[] {
    return existsSync(this.directory) ? readdirSync(this.directory).sort() : []
  }

  private create(): ScheduledBackups {
    return new ScheduledBackups({
      upkeep: lmdbUpkeep(this.data, [], this.clock),
      directory: this.directory,
      everyMs: HOUR_MS,
      keep: 3,
      clock: this.clock,
      scheduler: this.scheduler,
      log: createLog('error', { write: (line) => this.logged.push(line) }),
      onEnded: (outcome) => this.ended.push(outcome),
    })
  }
}

function inWorld(scenario: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = new World()
    try {
      await world.open()
      world.start()
      await scenario(world)
    } finally {
      await world.backups.stop()
      world.place.remove()
    }
  }
}

describe('scheduled backups', () => {
  test(
    'are made at their time, the oldest of them removed, and never at a mere restart',
    inWorld(async (world) => {
      await world.pass(MINUTE_MS)
      const [first = ''] = world.names()
      assert.match(first, /^billhook-\d{8}T\d{6}Z\.backup$/)
      for (let restart = 0; restart < 3; restart += 1) {
        await world.backups.stop()
        world.start()
        await world.pass(15 * MINUTE_MS)
        assert.deepEqual(world.names(), [first])
      }
      await world.pass(2 * HOUR_MS)
      assert.equal(world.names().length, 3)
      await world.pass(2 * HOUR_MS)
      assert.equal(world.names().length, 3)
      assert.ok(!world.names().includes(first))
      assert.ok(world.backups.ageMs <= HOUR_MS)
      assert.deepEqual(new Set(world.ended), new Set(['made']))
    }),
  )

  test(
    'leave every file alone that is none of theirs, and every one of theirs while a new one fails',
    inWorld(async (world) => {
      await world.pass(3 * HOUR_MS)
      const good = world.names()
      assert.equal(good.length, 3)
      const others = ['billhook-20200101T000000Z.backup', 'notes.txt', 'billhook-monday.backup']
      for (const name of others) writeFileSync(join(world.directory, name), 'by hand')
      // Complete, and older than all that are kept.
      others.push('billhook-before-upgrade.backup')
      copyFileSync(join(world.directory, good[0] ?? ''), join(world.directory, 'billhook-before-upgrade.backup'))
      rmSync(world.data, { recursive: true })
      await world.pass(3 * HOUR_MS)
      assert.deepEqual(world.names(), [...good, ...others].sort())
      assert.ok(world.ended.filter((outcome) => outcome === 'failed').length > 5)
      assert.ok(world.backups.ageMs > 2 * HOUR_MS)
      await world.open()
      await world.pass(HOUR_MS)
      const now = world.names()
      for (const name of others) assert.ok(now.includes(name), name)
      assert.equal(now.length, others.length + 3)
    }),
  )

  test('keep the older ones on a disk that is full, tell why, and try again', { skip: noSmallDisk }, async () => {
    const disk = smallDisk(8 << 20)
    const inDisk = inWorld(async (world) => {
      world.directory = join(disk.path, 'backups')
      await world.backups.stop()
      world.start()
      await world.pass(2 * HOUR_MS)
      const good = world.names()
      assert.ok(good.length > 1)
      assert.deepEqual(world.logged, [])
      disk.fill(10_000)
      world.ended.length = 0
      await world.pass(2 * HOUR_MS)
      assert.deepEqual(world.names(), good)
      // Every ten minutes.
      assert.ok(world.ended.length > 5 && world.ended.length <= 13, `${world.ended.length} tries`)
      assert.deepEqual(new Set(world.ended), new Set(['failed']))
      const { msg, err, file } = JSON.parse(world.logged[0] ?? '{}')
      assert.equal(msg, 'backup failed')
      assert.match(err.message, /^.* cannot be written: no space left on device \(ENOSPC\)/)
      assert.ok(err.message.startsWith(`${file} `))
      disk.free()
      await world.pass(15 * MINUTE_MS)
      assert.equal(world.ended.at(-1), 'made')
      assert.ok(world.names().length > good.length || !good.every((name) => world.names().includes(name)))
    })
    try {
      await inDisk()
    } finally {
      disk.remove()
    }
  })

  test(
    'go on when the clock was set back, and when the directory is a file until someone mends it',
    inWorld(async (world) => {
      writeFileSync(world.directory, 'a file')
      await world.pass(20 * MINUTE_MS)
      assert.deepEqual(new Set(world.ended), new Set(['failed']))
      rmSync(world.directory)
      mkdirSync(world.directory)
      await world.pass(15 * MINUTE_MS)
      assert.equal(world.names().length, 1)
      await world.pass(3 * HOUR_MS)
      const before = world.names()
      assert.equal(before.length, 3)
      world.clock.set(world.clock.now() - 24 * HOUR_MS)
      await world.pass(30 * MINUTE_MS)
      // Those of the former time count as newer, and the one that was just made stays too.
      const made = world.names().filter((name) => !before.includes(name))
      assert.deepEqual([made.length, world.names().length], [1, 4])
      await world.pass(2 * HOUR_MS)
      assert.ok(world.backups.ageMs <= HOUR_MS)
    }),
  )
})
