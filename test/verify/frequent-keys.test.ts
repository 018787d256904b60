import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FrequentKeys } from '../../src/verify/frequent-keys.js'

const NEEDED = 32
const COUNTED = 4096
const PATIENCE = 8

function keyNo(n: number): Uint8Array {
  const key = Buffer.alloc(33, 2)
  key.writeUInt32BE(n, 29)
  return key
}

/** Lets a key sign so often, each time after it was looked for, and answers what the last time gave. */
function sign(frequent: FrequentKeys, key: Uint8Array, times = 1): number | undefined {
  let table: number | undefined
  for (let i = 0; i < times; i++) {
    frequent.find(key)
    table = frequent.signed(key)
    if (i < times - 1) assert.equal(table, undefined, `signature ${i + 1}`)
  }
  return table
}

function seek(frequent: FrequentKeys, key: Uint8Array, times: number): void {
  for (let i = 0; i < times; i++) frequent.find(key)
}

describe('a key that signs often', () => {
  test('gets a table with its 32nd valid signature, and keeps it', () => {
    const frequent = new FrequentKeys(2, NEEDED)
    assert.equal(sign(frequent, keyNo(1), NEEDED - 1), undefined)
    assert.equal(frequent.find(keyNo(1)), undefined)
    assert.equal(frequent.signed(keyNo(1)), 0)
    assert.equal(frequent.find(keyNo(1)), 0)
    assert.equal(sign(frequent, keyNo(1), 10 * NEEDED), undefined)
    assert.equal(frequent.find(keyNo(1)), 0)
  })

  test('gets none for signatures that were only claimed', () => {
    const frequent = new FrequentKeys(2, NEEDED)
    seek(frequent, keyNo(1), 10 * NEEDED)
    assert.equal(sign(frequent, keyNo(1), NEEDED - 1), undefined)
    assert.equal(frequent.find(keyNo(1)), undefined)
  })

  test('is known by its bytes, also where they lie in a longer buffer', () => {
    const frequent = new FrequentKeys(2, NEEDED)
    const batch = Buffer.concat([Buffer.alloc(7), keyNo(1), Buffer.alloc(9)])
    const inBatch = batch.subarray(7, 40)
    assert.equal(sign(frequent, inBatch, NEEDED), 0)
    batch.fill(0xff)
    assert.equal(frequent.find(keyNo(1)), 0)
    for (const other of [inBatch, keyNo(2), keyNo(1).subarray(1), Buffer.concat([keyNo(1), Buffer.alloc(1)])]) {
      assert.equal(frequent.find(other), undefined)
    }
  })

  test('gets a table of its own while there are some', () => {
    const frequent = new FrequentKeys(3, NEEDED)
    const keys = [keyNo(1), keyNo(2), keyNo(3)]
    assert.deepEqual(
      keys.map((key) => sign(frequent, key, NEEDED)),
      [0, 1, 2],
    )
    assert.deepEqual(
      keys.map((key) => frequent.find(key)),
      [0, 1, 2],
    )
  })

  test('gets none where there are none', () => {
    const frequent = new FrequentKeys(0, NEEDED)
    assert.equal(sign(frequent, keyNo(1), 10 * NEEDED), undefined)
    assert.equal(frequent.find(keyNo(1)), undefined)
  })
})

/** Two keys have the two tables there are, and a third one lacks one signature. */
function taken(newcomer: Uint8Array): FrequentKeys {
  const frequent = new FrequentKeys(2, NEEDED)
  sign(frequent, keyNo(1), NEEDED)
  sign(frequent, keyNo(2), NEEDED)
  for (let i = 0; i < NEEDED - 1; i++) frequent.signed(newcomer)
  frequent.find(keyNo(1))
  return frequent
}

describe('a table', () => {
  test('is not taken from a key before eight signatures of others for each table', () => {
    const newcomer = keyNo(3)
    const frequent = taken(newcomer)
    seek(frequent, newcomer, PATIENCE * 2 - 1)
    frequent.find(keyNo(2))
    // The first key was used that many signatures ago, which is long enough.
    assert.equal(frequent.signed(newcomer), 0)
    assert.deepEqual([frequent.find(keyNo(1)), frequent.find(keyNo(2)), frequent.find(newcomer)], [undefined, 1, 0])
  })

  test('stays with a key that was used since, and the other has to sign often again', () => {
    const newcomer = keyNo(3)
    const frequent = taken(newcomer)
    frequent.find(keyNo(2))
    seek(frequent, newcomer, PATIENCE * 2 - 2)
    assert.equal(frequent.signed(newcomer), undefined)
    seek(frequent, newcomer, PATIENCE * 2)
    assert.equal(sign(frequent, newcomer, NEEDED - 1), undefined)
    assert.deepEqual([frequent.find(keyNo(1)), frequent.find(keyNo(2))], [0, 1])
    assert.equal(frequent.find(newcomer), undefined)
    seek(frequent, newcomer, PATIENCE * 2)
    assert.equal(frequent.signed(newcomer), 0)
  })

  test('that is given away is that of the key that was not used for longest', () => {
    const frequent = new FrequentKeys(3, NEEDED)
    for (const n of [1, 2, 3]) sign(frequent, keyNo(n), NEEDED)
    for (const n of [2, 1, 3]) frequent.find(keyNo(n))
    assert.equal(sign(frequent, keyNo(4), NEEDED), 1)
    assert.equal(sign(frequent, keyNo(5), NEEDED), 0)
    assert.equal(sign(frequent, keyNo(2), NEEDED), 2)
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((n) => frequent.find(keyNo(n))),
      [undefined, 2, undefined, 1, 0],
    )
  })

  test('belongs to one key at any time', () => {
    const frequent = new FrequentKeys(4, NEEDED)
    for (let n = 0; n < 40; n++) {
      const table = sign(frequent, keyNo(n), NEEDED)
      if (table === undefined) continue
      const holders = Array.from({ length: n + 1 }, (_, i) => i).filter((i) => frequent.find(keyNo(i)) === table)
      assert.deepEqual(holders, [n])
    }
  })
})

describe('counts of signatures', () => {
  test('are kept for 4096 keys', () => {
    const frequent = new FrequentKeys(COUNTED, NEEDED)
    for (let n = 0; n < COUNTED; n++) frequent.signed(keyNo(n))
    for (let i = 0; i < NEEDED - 2; i++) frequent.signed(keyNo(7))
    assert.equal(frequent.signed(keyNo(7)), 0)
  })

  test('begin anew beyond', () => {
    const frequent = new FrequentKeys(COUNTED, NEEDED)
    for (let i = 0; i < NEEDED - 1; i++) frequent.signed(keyNo(0))
    for (let n = 1; n <= COUNTED; n++) frequent.signed(keyNo(n))
    assert.equal(sign(frequent, keyNo(0), NEEDED - 1), undefined)
    assert.equal(frequent.signed(keyNo(0)), 0)
  })
})
