import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FewAtOnce } from '../../src/base/few-at-once.js'

function fixture(most: number) {
  const done: number[] = []
  let ahead: (() => void)[] = []
  const few = new FewAtOnce(most, (task) => ahead.push(task))
  return {
    done,
    do: (...numbers: readonly number[]) => {
      for (const n of numbers) few.do(() => done.push(n))
    },
    few,
    turn: () => {
      const tasks = ahead
      ahead = []
      for (const task of tasks) task()
    },
    get isIdle() {
      return ahead.length === 0
    },
  }
}

describe('FewAtOnce', () => {
  it('does a few things at once, and so many more in each later turn, in their order', () => {
    const f = fixture(2)
    f.do(1, 2, 3, 4, 5)
    assert.deepEqual(f.done, [1, 2])
    f.turn()
    assert.deepEqual(f.done, [1, 2, 3, 4])
    f.turn()
    assert.deepEqual(f.done, [1, 2, 3, 4, 5])
  })

  it('has new ones wait behind those that wait', () => {
    const f = fixture(2)
    f.do(1, 2, 3)
    f.turn()
    f.do(4, 5)
    assert.deepEqual(f.done, [1, 2, 3, 4])
    f.turn()
    assert.deepEqual(f.done, [1, 2, 3, 4, 5])
  })

  it('asks for no further turn when nothing waits', () => {
    const f = fixture(2)
    f.do(1)
    f.turn()
    assert.ok(f.isIdle)
    f.do(2, 3)
    assert.deepEqual(f.done, [1, 2, 3])
  })

  it('does more in a turn where very many wait', () => {
    const f = fixture(1)
    f.do(...Array.from({ length: 401 }, (_, n) => n))
    f.turn()
    assert.equal(f.done.length, 11)
  })

  it('goes on behind one that throws', () => {
    const f = fixture(1)
    f.do(1)
    f.few.do(() => assert.fail('on purpose'))
    f.do(2)
    assert.throws(() => f.turn(), /on purpose/)
    f.turn()
    assert.deepEqual(f.done, [1, 2])
  })
})
