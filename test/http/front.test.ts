import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BodyBuffer, requestIdOf, type UnfinishedBodies } from '../../src/http/front.js'

const ROOM_BYTES = 100_000
const ONE = Uint8Array.of(1)

const roomOf = (limitBytes: number): UnfinishedBodies => ({ heldBytes: 0, limitBytes })

describe('the buffer of a body', () => {
  test('holds no more than twice what has come, however small the chunks are', () => {
    const room = roomOf(ROOM_BYTES)
    const body = new BodyBuffer(room, 65_536, false)
    for (let count = 1; count <= 50_000; count += 1) {
      assert.equal(body.add(ONE), true)
      assert.ok(room.heldBytes <= Math.max(4096, 2 * count), `${room.heldBytes} bytes for ${count}`)
    }
    assert.deepEqual(body.take(), Buffer.alloc(50_000, 1))
    assert.equal(room.heldBytes, 0)
  })

  test('copies: the memory of a chunk may be used again', () => {
    const body = new BodyBuffer(roomOf(ROOM_BYTES), 4, true)
    const chunk = Buffer.from('ab')
    body.add(chunk)
    chunk.fill('x')
    body.add(Buffer.from('cd'))
    assert.equal(body.take().toString(), 'abcd')
  })

  test('never takes more memory than was declared', () => {
    const room = roomOf(ROOM_BYTES)
    const body = new BodyBuffer(room, 5_000, true)
    body.add(new Uint8Array(4_500))
    body.add(new Uint8Array(400))
    assert.equal(room.heldBytes, 5_000)
    body.add(new Uint8Array(100))
    assert.equal(body.take().length, 5_000)
  })

  test('a body that comes in one piece needs no room', () => {
    const room = roomOf(0)
    const body = new BodyBuffer(room, 300, true)
    assert.equal(body.add(new Uint8Array(300)), true)
    assert.equal(body.take().length, 300)
  })

  test('without room nothing is taken, and nothing is held', () => {
    const room = roomOf(10_000)
    const [first, second] = [new BodyBuffer(room, 60_000, false), new BodyBuffer(room, 60_000, false)]
    assert.equal(first.add(new Uint8Array(6_000)), true)
    assert.equal(second.add(new Uint8Array(6_000)), false)
    assert.equal(room.heldBytes, 6_000)
    first.drop()
    first.drop()
    assert.equal(room.heldBytes, 0)
    assert.equal(second.add(new Uint8Array(6_000)), true)
  })
})

const NEW = /^[0-9a-f]{16}$/

describe('the id of a request', () => {
  for (const own of ['a', 'A.Z_a-z~09', 'x'.repeat(128)]) {
    test(`is the client's own: ${own.slice(0, 20)}`, () => assert.equal(requestIdOf(own), own))
  }

  for (const unfit of [undefined, '', 'x'.repeat(129), 'a b', 'a,b', 'a, b', 'ä', 'a\n', '"a"', 'a/b', 'a:b', 'a=b']) {
    test(`is a new one instead of ${JSON.stringify(unfit)?.slice(0, 20)}`, () => assert.match(requestIdOf(unfit), NEW))
  }

  test('is new each time', () => {
    const ids = new Set(Array.from({ length: 5000 }, () => requestIdOf(undefined)))
    assert.equal(ids.size, 5000)
  })
})
