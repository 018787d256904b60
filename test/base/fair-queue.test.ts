import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FairQueue } from '../../src/base/fair-queue.js'

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.add(item.charAt(0), item)
  return queue
}

/** Takes everything that may go. */
function drain(queue: FairQueue<string>, mayGo?: (owner: string) => boolean): readonly string[] {
  const taken: string[] = []
  for (let item = queue.take(mayGo); item !== undefined; item = queue.take(mayGo)) taken.push(item)
  return taken
}

describe('a fair queue', () => {
  test('lets owners have their turns one after the other, each with its oldest', () => {
    const queue = queueOf('a0', 'a1', 'a2', 'b0', 'c0', 'c1')
    assert.deepEqual([queue.has('a'), queue.isEmpty], [true, false])
    assert.deepEqual(drain(queue), ['a0', 'b0', 'c0', 'a1', 'c1', 'a2'])
    assert.deepEqual([queue.has('a'), queue.isEmpty], [false, true])
  })

  test('passes over owners that may not go, who keep their turn', () => {
    const queue = queueOf('a0', 'b0', 'b1', 'c0')
    assert.deepEqual(
      drain(queue, (owner) => owner === 'b'),
      ['b0', 'b1'],
    )
    assert.deepEqual(drain(queue), ['a0', 'c0'])
  })

  test('gives up what is taken out of turn, and the place of an owner with nothing left', () => {
    const queue = queueOf('a0', 'a1', 'b0')
    queue.remove('a', 'a0')
    queue.remove('b', 'b0')
    queue.remove('b', 'b0')
    queue.remove('c', 'c0')
    assert.equal(queue.has('b'), false)
    assert.deepEqual(drain(queue), ['a1'])
  })
})
