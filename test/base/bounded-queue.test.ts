import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { BoundedQueue } from '../../src/base/bounded-queue.js'

describe('a bounded queue', () => {
  test('is full at its bound, and throws when it is pushed to then', () => {
    const queue = new BoundedQueue<string>(2)
    queue.push('a')
    assert.equal(queue.isFull, false)
    queue.push('b')
    assert.equal(queue.isFull, true)
    assert.throws(() => queue.push('c'), /full queue/)
    assert.equal(queue.shift(), 'a')
    assert.equal(queue.isFull, false)
  })

  test('is first in, first out, whatever is pushed and taken', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (pushes) => {
        const queue = new BoundedQueue<number>(16)
        const model: number[] = []
        for (const [n, isPush] of pushes.entries()) {
          if (isPush && !queue.isFull) {
            queue.push(n)
            model.push(n)
          } else {
            assert.equal(queue.peek(), model[0])
            assert.equal(queue.shift(), model.shift())
          }
          assert.equal(queue.size, model.length)
        }
      }),
    )
  })
})
