import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FlowQueue } from '../../src/verify/flow-queue.js'
import type { WaitingRequest } from '../../src/verify/request-queue.js'

const BYTES = 10

function entry(name: string): WaitingRequest {
  return {
    request: { publicKey: Buffer.alloc(33), signature: '', routeTag: '', timestamp: name, body: Buffer.alloc(0) },
    bytes: BYTES,
    since: 0,
    isRegistered: true,
    isSuspect: true,
    client: () => '',
    resolve: () => {},
    reject: () => {},
  }
}

/** Pushes while the lane admits; answers how many. */
function fill(lane: FlowQueue, key: string, count: number): number {
  let pushed = 0
  while (pushed < count && lane.admits(key, BYTES)) {
    lane.push(key, entry(`${key}${pushed}`))
    pushed += 1
  }
  return pushed
}

function take(lane: FlowQueue, count: number): string[] {
  const batch: WaitingRequest[] = []
  lane.take(count, batch)
  return batch.map(({ request }) => request.timestamp)
}

describe('the fair lane', () => {
  test('lets keys take turns, and keeps the order of each', () => {
    const lane = new FlowQueue(100, 10_000)
    fill(lane, 'a', 4)
    fill(lane, 'b', 1)
    fill(lane, 'c', 2)
    assert.deepEqual(take(lane, 5), ['a0', 'b0', 'c0', 'a1', 'c1'])
    fill(lane, 'b', 1)
    assert.deepEqual(take(lane, 9), ['a2', 'b0', 'a3'])
    assert.equal(lane.length, 0)
  })

  test('leaves room for the next key, however many requests of others wait', () => {
    const lane = new FlowQueue(64, 10_000)
    assert.equal(fill(lane, 'a', 1000), 32)
    assert.equal(fill(lane, 'b', 1000), 16)
    assert.equal(fill(lane, 'c', 1000), 8)
    assert.equal(lane.length, 56)
    assert.equal(lane.admits('a', BYTES), false)
    assert.equal(lane.admits('d', BYTES), true)
  })

  test('is bounded in bytes, and gives back what was taken', () => {
    const lane = new FlowQueue(64, 3 * BYTES)
    assert.equal(fill(lane, 'a', 1000), 3)
    assert.equal(lane.admits('b', BYTES), false)
    take(lane, 1)
    assert.equal(lane.admits('b', BYTES), true)
  })
})
