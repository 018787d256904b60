import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RequestQueue, type WaitingRequest } from '../../src/verify/request-queue.js'

function entry(name: string, bytes = 10): WaitingRequest {
  return {
    request: { publicKey: Buffer.alloc(33), signature: '', routeTag: '', timestamp: name, body: Buffer.alloc(0) },
    bytes,
    since: 0,
    isRegistered: true,
    isSuspect: false,
    client: () => '',
    resolve: () => {},
    reject: () => {},
  }
}

function take(queue: RequestQueue, count: number): string[] {
  const batch: WaitingRequest[] = []
  queue.take(count, batch)
  return batch.map(({ request }) => request.timestamp)
}

describe('a queue of requests', () => {
  test('hands out the oldest first, and no more than there are', () => {
    const queue = new RequestQueue(10, 1_000)
    for (const name of ['a', 'b', 'c']) queue.push(entry(name))
    assert.deepEqual(take(queue, 2), ['a', 'b'])
    queue.push(entry('d'))
    assert.equal(queue.length, 2)
    assert.deepEqual(take(queue, 5), ['c', 'd'])
    assert.deepEqual(take(queue, 1), [])
  })

  test('admits up to its number, and again when some were taken', () => {
    const queue = new RequestQueue(2, 1_000)
    for (const name of ['a', 'b']) {
      assert.equal(queue.admits(10), true)
      queue.push(entry(name))
    }
    assert.equal(queue.admits(10), false)
    assert.throws(() => queue.push(entry('c')))
    take(queue, 1)
    assert.equal(queue.admits(10), true)
  })

  test('admits up to its bytes', () => {
    const queue = new RequestQueue(10, 100)
    queue.push(entry('a', 60))
    assert.equal(queue.admits(40), true)
    assert.equal(queue.admits(41), false)
    take(queue, 1)
    assert.equal(queue.admits(100), true)
    assert.equal(queue.admits(101), false)
  })
})
