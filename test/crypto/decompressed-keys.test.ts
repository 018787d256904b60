import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecompressedKeys } from '../../src/crypto/decompressed-keys.js'

const LIMIT = 4096

function keyNo(n: number): Uint8Array {
  const key = Buffer.alloc(33, 2)
  key.writeUInt32BE(n, 29)
  return key
}

test('known points are found by the bytes of the key, also where they lie in a longer buffer', () => {
  const points = new DecompressedKeys()
  const point = Buffer.alloc(65, 4)
  points.add(keyNo(1), point)
  const batch = Buffer.concat([Buffer.alloc(7), keyNo(1), Buffer.alloc(9)])
  assert.equal(points.find(batch.subarray(7, 40)), point)
  assert.equal(points.find(keyNo(2)), undefined)
})

test('known points are bounded: beyond 4096 keys all are computed anew', () => {
  const points = new DecompressedKeys()
  for (let n = 0; n <= LIMIT; n++) points.add(keyNo(n), Buffer.of(n & 0xff))
  assert.equal(points.find(keyNo(0)), undefined)
  assert.deepEqual(points.find(keyNo(LIMIT)), Buffer.of(LIMIT & 0xff))
})
