import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BoundedSlice, type Slice, Turns } from '../../src/base/turns.js'

/** What the turns wait before they go on. */
interface Rest {
  readonly ms: number
  readonly task: () => void
}

/** Turns of an event loop and a clock that the test moves. */
function world({ width = 1 } = {}) {
  let nowMs = 0
  const tasks: (() => void)[] = []
  const done: string[] = []
  const rests: Rest[] = []
  const turns = new Turns({
    width,
    now: () => nowMs,
    afterOthers: (task) => tasks.push(task),
    after: (ms, task) => rests.push({ ms, task }),
  })
  return {
    done,
    turns,
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Ends the rests; answers how long they were to be. */
    rest: () =>
      rests.splice(0).map(({ ms, task }) => {
        task()
        return ms
      }),
    /** A piece that takes time, and look-ups. */
    piece:
      (name: string, { takesMs = 0, lookups = 0 } = {}) =>
      (slice: Slice) => {
        nowMs += takesMs
        slice.touch(lookups)
        done.push(name)
        return name
      },
    /** The next turn of the event loop. */
    next: () => {
      for (const task of tasks.splice(0)) task()
    },
    idle: () => tasks.length === 0,
  }
}

const LONG = { takesMs: 2 }

describe('turns of long work', () => {
  test('a piece runs at once when nobody waits, and several do while they are short together', () => {
    const { done, turns, piece } = world()
    assert.equal(turns.run('a', piece('1')), '1')
    assert.equal(turns.run('b', piece('2', { takesMs: 1.9 })), '2')
    assert.equal(turns.run('a', piece('3')), '3')
    assert.deepEqual(done, ['1', '2', '3'])
  })

  test('when the time of a turn is up, pieces wait for the next one', async () => {
    const { done, turns, piece, next } = world()
    turns.run('a', piece('1', LONG))
    const second = turns.run('a', piece('2'))
    assert.deepEqual(done, ['1'])
    next()
    assert.equal(await second, '2')
  })

  test('when the look-ups of a turn are used up, pieces wait for the next one', async () => {
    const { done, turns, piece, next } = world()
    turns.run('a', piece('1', { lookups: 400 }))
    const second = turns.run('b', piece('2'))
    assert.deepEqual(done, ['1'])
    next()
    assert.equal(await second, '2')
  })

  test('tells a piece that its time is up', () => {
    const { turns, piece } = world()
    const seen: boolean[] = []
    turns.run('a', (slice) => {
      seen.push(slice.isOver)
      piece('1', LONG)(slice)
      seen.push(slice.isOver)
    })
    assert.deepEqual(seen, [false, true])
  })

  test('owners have their pieces in turn, however many each asks for', () => {
    const { done, turns, piece, next, idle } = world()
    turns.run('a', piece('a0', LONG))
    for (let i = 1; i <= 3; i += 1) turns.run('a', piece(`a${i}`, LONG))
    turns.run('b', piece('b1', LONG))
    turns.run('b', piece('b2', LONG))
    turns.run('c', piece('c1', LONG))
    while (!idle()) next()
    assert.deepEqual(done, ['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('one that waits is not overtaken by one that comes later', () => {
    const { done, turns, piece, next } = world()
    turns.run('a', piece('1', LONG))
    turns.run('b', piece('2', LONG))
    next()
    turns.run('c', piece('3'))
    assert.deepEqual(done, ['1', '2'])
    next()
    assert.deepEqual(done, ['1', '2', '3'])
  })

  test('no more pieces are in progress than the width', async () => {
    const { done, turns, piece, next, rest } = world({ width: 2 })
    const ends: (() => void)[] = []
    const slow = (name: string) =>
      turns.run(name, () => new Promise<void>((resolve) => ends.push(resolve)).then(() => void done.push(name)))
    const all = [slow('a'), slow('b'), slow('c')]
    assert.equal(ends.length, 2)
    next()
    assert.equal(ends.length, 2)
    ends[0]?.()
    await all[0]
    rest()
    assert.equal(ends.length, 3)
    for (const end of ends) end()
    await Promise.all(all)
    assert.deepEqual(done, ['a', 'b', 'c'])
    assert.equal(turns.run('d', piece('d')), 'd')
  })

  test('a piece that waited is followed by a rest as long as it took, up to a bound, where another one waits', async () => {
    const { done, turns, pass, next, rest } = world()
    const ends: (() => void)[] = []
    const slow = (name: string) =>
      turns.run(name, () => new Promise<void>((resolve) => ends.push(resolve)).then(() => void done.push(name)))
    const all = [slow('a'), slow('b'), slow('c')]
    for (const [tookMs, restMs] of [
      [7, 7],
      [400, 50],
    ] as const) {
      const begun = ends.length
      pass(tookMs)
      ends.at(-1)?.()
      await all[begun - 1]
      next()
      assert.equal(ends.length, begun)
      assert.deepEqual(rest(), [restMs])
      assert.equal(ends.length, begun + 1)
    }
    ends.at(-1)?.()
    await Promise.all(all)
    assert.deepEqual(rest(), [])
  })

  test('a piece that fails is rejected alone, at once or later', async () => {
    const { turns, piece, next, rest } = world()
    const fails = () => {
      throw new Error('no')
    }
    assert.throws(() => turns.run('a', fails), /no/)
    turns.run('a', piece('1', LONG))
    const failed = turns.run('a', fails)
    const later = turns.run('b', () => Promise.reject(new Error('later')))
    const last = turns.run('c', piece('2'))
    next()
    await assert.rejects(Promise.resolve(failed), /no/)
    await assert.rejects(Promise.resolve(later), /later/)
    rest()
    assert.equal(await last, '2')
  })
})

test('a bounded slice is over after its time, or after its look-ups', () => {
  let nowMs = 10
  const slice = new BoundedSlice(() => nowMs, 2, 5)
  assert.equal(slice.isOver, false)
  nowMs = 11.9
  slice.touch(4)
  assert.equal(slice.isOver, false)
  slice.touch(1)
  assert.equal(slice.isOver, true)
  const other = new BoundedSlice(() => nowMs, 2, 5)
  assert.equal(other.isOver, false)
  nowMs = 13.9
  assert.equal(other.isOver, true)
})
