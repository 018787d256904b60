import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { INVOICE_WALLETS_MAX } from '../../../src/domain/invoice.js'
import { ORDER_OPTIONS_MAX } from '../../../src/domain/order.js'
import type { CommitObserver } from '../../../src/store/commit-observer.js'
import type { Commit } from '../../../src/store/lmdb/commit/commit.js'
import { CommitLoop } from '../../../src/store/lmdb/commit/commit-loop.js'
import type { DataDisk } from '../../../src/store/lmdb/commit/data-disk.js'
import { COMMIT_BATCH_MAX, REQUESTED_UNITS_MAX } from '../../../src/store/lmdb/commit/waiting-units.js'
import type { Tables } from '../../../src/store/lmdb/tables/tables.js'
import { QueueFull, StorageUnavailable } from '../../../src/store/refusals.js'

/** A disk with space for every commit. */
const ROOM: Pick<DataDisk, 'obstacle'> = { obstacle: () => null }

/** Stands in for LMDB: transactions at once, and commits that the test lets fail. */
class FakeRoot {
  readonly log: string[] = []
  /** What the coming commits end with: null is success. Success when it is empty. */
  readonly endings: (Error | null)[] = []
  /** Whether the transaction does not even begin. */
  isLocked = false

  async transaction(work: () => void): Promise<void> {
    await Promise.resolve()
    const ending = this.endings.shift() ?? null
    if (this.isLocked) throw ending ?? new Error('locked')
    this.log.push('begin')
    work()
    this.log.push('end')
    // The disk takes its time, during which more work arrives.
    await new Promise(setImmediate)
    if (ending !== null) throw ending
  }

  childTransaction<T>(work: () => T): T {
    try {
      const value = work()
      this.log.push('child')
      return value
    } catch (error) {
      this.log.push('undo')
      throw error
    }
  }
}

function loopOn(
  root: FakeRoot,
  observer?: CommitObserver,
  onFailed?: () => void,
  space = ROOM,
  elapsed: () => number = () => 0,
) {
  // The loop uses no more of the tables than the double has.
  const tables = { root, meta: { get: () => undefined, putSync: () => root.log.push('numbers') } } as unknown as Tables
  const world = { clock: { now: () => 0, elapsed }, newId: () => assert.fail('no id is made') }
  return { loop: new CommitLoop(tables, world, space, observer, onFailed) }
}

/** A unit that leaves its name in the caches of commits, and answers the names of those before it. */
function leaving(name: string): (commit: Commit) => readonly string[] {
  return ({ caches }) => {
    const before = [...caches.openSets.full]
    caches.openSets.full.add(name)
    return before
  }
}

function failing(reason: Error): () => never {
  return () => {
    throw reason
  }
}

describe('the commit loop', () => {
  test('answers in order, whatever was asked meanwhile, and puts what gathers into one commit', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const first = loop.run(() => 0)
    const rest = Promise.all(Array.from({ length: 50 }, (_, i) => loop.run(() => i + 1)))
    assert.equal(await first, 0)
    assert.deepEqual(
      await rest,
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    assert.ok(root.log.filter((entry) => entry === 'begin').length <= 2)
  })

  test('refuses what was asked for beyond its bound, as a whole, and takes more when there is room again', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const first = loop.runAll(Array.from({ length: REQUESTED_UNITS_MAX - 1 }, () => () => 'asked for'))
    // All of this in one tick, before the first commit takes anything.
    const tooMany = loop.runAll([() => assert.fail('it was refused'), () => assert.fail('it was refused')])
    const last = loop.run(() => 'the last that fits')
    const oneTooMany = loop.run(() => assert.fail('it was refused'))
    const admitted = loop.runAdmitted(() => 'admitted elsewhere')
    for (const fate of await tooMany) assert.ok(fate.status === 'rejected' && fate.reason instanceof QueueFull)
    await assert.rejects(oneTooMany, QueueFull)
    assert.equal(await admitted, 'admitted elsewhere')
    assert.equal(await last, 'the last that fits')
    assert.ok((await first).every(({ status }) => status === 'fulfilled'))
    assert.equal(await loop.run(() => 'room again'), 'room again')
  })

  test('what was admitted elsewhere takes no room from what is asked for', async () => {
    const { loop } = loopOn(new FakeRoot())
    const admitted = loop.runAllAdmitted(Array.from({ length: 2 * REQUESTED_UNITS_MAX }, () => () => null))
    assert.equal(await loop.run(() => 'asked for'), 'asked for')
    assert.equal((await admitted).length, 2 * REQUESTED_UNITS_MAX)
  })

  test('gives room back when commits are refused before they begin', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    root.isLocked = true
    for (let n = 0; n < 2; n += 1) {
      const fates = await loop.runAll(Array.from({ length: REQUESTED_UNITS_MAX }, () => () => null))
      for (const fate of fates) assert.ok(fate.status === 'rejected' && fate.reason instanceof StorageUnavailable)
    }
  })

  test('commits no more than a batch at a time, and answers a call across several commits as one', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const count = 3 * COMMIT_BATCH_MAX + 1
    const fates = await loop.runAll(Array.from({ length: count }, (_, i) => () => i))
    assert.deepEqual(
      fates.map((fate) => fate.status === 'fulfilled' && fate.value),
      Array.from({ length: count }, (_, i) => i),
    )
    assert.equal(root.log.filter((entry) => entry === 'begin').length, 4)
    assert.deepEqual(await loop.runAll([]), [])
  })

  test('ends a transaction when its time is over, and takes what is left first in the next one', async () => {
    const root = new FakeRoot()
    let nowMs = 0
    const { loop } = loopOn(root, undefined, undefined, ROOM, () => nowMs)
    const done: string[] = []
    const slow = (name: string, takesMs: number) => () => {
      root.log.push(name)
      nowMs += takesMs
      return name
    }
    const finish = (name: string) => done.push(name)
    const all = [
      loop.run(slow('a', 3)).then(finish),
      loop.run(slow('b', 3)).then(finish),
      loop.run(slow('c', 20)).then(finish),
      loop.run(slow('d', 1)).then(finish),
    ]
    // One that comes later is behind those that were put back.
    await new Promise(setImmediate)
    all.push(loop.run(slow('e', 1)).then(finish))
    await Promise.all(all)
    assert.deepEqual(done, ['a', 'b', 'c', 'd', 'e'])
    assert.deepEqual(
      root.log.filter((entry) => entry !== 'child'),
      ['begin', 'a', 'b', 'end', 'begin', 'c', 'end', 'begin', 'd', 'e', 'end'],
    )
  })

  test('begins no unit behind others for which there would not be time', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const wide = ORDER_OPTIONS_MAX * INVOICE_WALLETS_MAX
    const named = (name: string) => () => root.log.push(name)
    await Promise.all([
      loop.run(named('a')),
      loop.runAllAdmitted([named('widest'), named('half'), named('rather wide')], [wide, wide / 2, wide / 4]),
      loop.run(named('b')),
    ])
    assert.deepEqual(
      root.log.filter((entry) => entry !== 'child'),
      ['begin', 'a', 'end', 'begin', 'widest', 'half', 'rather wide', 'b', 'end'],
    )
  })

  test('counts requested units that wait for the next transaction', async () => {
    const root = new FakeRoot()
    let nowMs = 0
    const { loop } = loopOn(root, undefined, undefined, ROOM, () => nowMs)
    const units = Array.from({ length: REQUESTED_UNITS_MAX }, () => () => {
      nowMs += 5
    })
    const first = loop.runAll(units)
    await new Promise(setImmediate)
    const fates = await loop.runAll([() => 1, () => 2])
    assert.ok(fates.every((fate) => fate.status === 'rejected' && fate.reason instanceof QueueFull))
    await first
    assert.equal(await loop.run(() => 'room again'), 'room again')
  })

  test('rejects a unit that throws alone, with what it threw', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const reason = new Error('a defect')
    const fates = await loop.runAll([() => 1, failing(reason), () => 3])
    assert.deepEqual(fates, [
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason },
      { status: 'fulfilled', value: 3 },
    ])
    assert.deepEqual(root.log, ['begin', 'undo', 'child', 'undo', 'child', 'end'])
    await assert.rejects(loop.run(failing(reason)), (error) => error === reason)
  })

  test('rejects all units of a commit that fails as unavailable', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const cause = new Error('no space left')
    root.endings.push(cause)
    for (const fate of await loop.runAll([() => 1, () => 2])) {
      assert.ok(fate.status === 'rejected' && fate.reason instanceof StorageUnavailable)
      assert.equal(fate.reason.cause, cause)
    }
  })

  test('keeps what commits remember while they succeed', async () => {
    const { loop } = loopOn(new FakeRoot())
    const values = [await loop.run(leaving('a')), await loop.run(leaving('b')), await loop.run(leaving('c'))]
    assert.deepEqual(values, [[], ['a'], ['a', 'b']])
  })

  test('drops what commits remember when one of them is undone: all units together, one apart, or the whole commit', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    await loop.run(leaving('before'))
    const together = (commit: Commit) => {
      leaving('undone')(commit)
      throw new Error('a defect')
    }
    const fates = await loop.runAll([leaving('first'), together, leaving('last')])
    assert.deepEqual(fates[0], { status: 'fulfilled', value: [] })
    assert.deepEqual(fates[2], { status: 'fulfilled', value: [] })
    assert.deepEqual(await loop.run(leaving('next')), ['last'])
    root.endings.push(new Error('no space left'))
    await assert.rejects(loop.run(leaving('lost')), StorageUnavailable)
    loop.resume()
    assert.deepEqual(await loop.run(leaving('again')), [])
  })

  test('writes the numbers that were handed out at the end of each nested transaction, and forgets those of an undone one', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const number = (commit: Commit) => commit.nextNo('wallet')
    assert.deepEqual([await loop.run(number), await loop.run(number)], [1, 2])
    assert.deepEqual(root.log, ['begin', 'numbers', 'child', 'end', 'begin', 'numbers', 'child', 'end'])
    await assert.rejects(
      loop.run((commit) => {
        number(commit)
        throw new Error('a defect')
      }),
      /a defect/,
    )
    // The double stores nothing, so the first number is the first again.
    assert.equal(await loop.run(number), 1)
  })

  test('gives no snapshot to a unit of work', async () => {
    const { loop } = loopOn(new FakeRoot())
    assert.equal(loop.snapshot.caches, null)
    await assert.rejects(
      loop.run(() => loop.snapshot),
      /reads through its commit/,
    )
    assert.equal(loop.snapshot.nowMs, 0)
  })

  test('rejects what waits when no transaction begins, instead of trying for ever', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    root.isLocked = true
    let isRun = false
    await assert.rejects(
      loop.run(() => {
        isRun = true
      }),
      StorageUnavailable,
    )
    assert.equal(isRun, false)
    root.isLocked = false
    loop.resume()
    assert.equal(await loop.run(() => 'on again'), 'on again')
  })

  test('tells an observer of each commit, its units and its time, before it answers them', async () => {
    const root = new FakeRoot()
    const heard: unknown[] = []
    let nowMs = 0
    const observer: CommitObserver = {
      now: () => {
        nowMs += 5
        return nowMs
      },
      committed: (units, durationMs) => heard.push(['committed', units, durationMs]),
      failed: (units) => heard.push(['failed', units]),
    }
    const { loop } = loopOn(root, observer, () => heard.push('refused'))
    root.endings.push(null, null, new Error('no space left'))
    await loop.runAll(Array.from({ length: COMMIT_BATCH_MAX + 2 }, () => () => 0)).then(() => heard.push('answered'))
    await loop.runAll([() => 1, failing(new Error('a defect'))])
    const expected = [['committed', COMMIT_BATCH_MAX, 5], ['committed', 2, 5], 'answered', ['failed', 2], 'refused']
    assert.deepEqual(heard, expected)
  })

  test('begins no commit after one that failed, until it is to go on', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    root.endings.push(null, new Error('no space left'))
    const units = Array.from({ length: 2 * COMMIT_BATCH_MAX + 5 }, (_, i) => () => i)
    const fates = await loop.runAll(units)
    const rejected = fates.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
    assert.deepEqual(
      rejected,
      Array.from({ length: COMMIT_BATCH_MAX + 5 }, (_, i) => COMMIT_BATCH_MAX + i),
    )
    const begun = () => root.log.filter((entry) => entry === 'begin').length
    assert.equal(begun(), 2)
    await assert.rejects(loop.run(units[0] ?? assert.fail()), StorageUnavailable)
    assert.equal(begun(), 2)
    loop.resume()
    assert.equal(await loop.run(() => 'on again'), 'on again')
  })

  test('begins no commit without space for it', async () => {
    const root = new FakeRoot()
    let obstacle: Error | null = new Error('fewer than 16 MiB are free')
    const { loop } = loopOn(root, undefined, undefined, { obstacle: () => obstacle })
    await assert.rejects(
      loop.run(() => 1),
      (reason) => reason instanceof StorageUnavailable && reason.cause === obstacle,
    )
    assert.deepEqual(root.log, [])
    obstacle = null
    loop.resume()
    assert.equal(await loop.run(() => 'on again'), 'on again')
  })

  test("takes in hand the binding's second promise about a failed commit, which would end the process", async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const unhandled: unknown[] = []
    const onUnhandled = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', onUnhandled)
    try {
      let tellWhy = (_: Error): void => {}
      const commitError = new Promise((_, reject) => {
        tellWhy = reject
      })
      root.endings.push(Object.assign(new Error('Commit failed'), { commitError }))
      await assert.rejects(
        loop.run(() => 1),
        StorageUnavailable,
      )
      tellWhy(new Error('Input/output error'))
      await new Promise(setImmediate)
      await new Promise(setImmediate)
    } finally {
      process.off('unhandledRejection', onUnhandled)
    }
    assert.deepEqual(unhandled, [])
  })

  test('finishes what is under way when it is closed, and refuses what comes then', async () => {
    const root = new FakeRoot()
    const { loop } = loopOn(root)
    const before = loop.run(() => 'done')
    const closed = loop.close()
    await assert.rejects(
      loop.run(() => 'late'),
      StorageUnavailable,
    )
    await closed
    assert.equal(root.log.at(-1), 'end')
    assert.equal(await before, 'done')
  })
})
