import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPooledRandom, IdGenerator, type RandomFill, randomKeyId, randomSecretHex } from '../../src/crypto/id.js'

const NOW_MS = 1_700_000_000_000
const zeros: RandomFill = (target) => target.fill(0)
const ones: RandomFill = (target) => target.fill(0xff)

const hexOf = (id: Buffer) => id.toString('hex')
const timeOf = (id: Buffer) => id.readUIntBE(0, 6)

describe('ids', () => {
  test('are UUIDv7 without dashes', () => {
    // RFC 9562, appendix A.6: the version and variant stand where they belong, the time in front.
    const id = new IdGenerator(ones).next(0x017f22e279b0)
    assert.match(hexOf(id), /^017f22e279b0[7][0-9a-f]{3}[89ab][0-9a-f]{15}$/)
    assert.equal(timeOf(id), 0x017f22e279b0)
  })

  test('count up within a millisecond, from the low to the high part of the counter', () => {
    const ids = new IdGenerator(zeros)
    assert.equal(hexOf(ids.next(1)), '00000000000170008000000000000000')
    assert.equal(hexOf(ids.next(1)), '00000000000170008000000100000000')
    // A seed of 2³⁰ − 1, the greatest low part.
    let isSeed = true
    const carrying = new IdGenerator((target) => {
      target.fill(0)
      if (isSeed) target.set([0x00, 0x00, 0x3f, 0xff, 0xff, 0xff])
      isSeed = false
    })
    assert.equal(hexOf(carrying.next(1)), '0000000000017000bfffffff00000000')
    assert.equal(hexOf(carrying.next(1)), '00000000000170018000000000000000')
  })

  test('leave room to count however the randomness falls', () => {
    const ids = new IdGenerator(ones)
    const first = ids.next(NOW_MS)
    assert.equal(hexOf(first).slice(12), '77ffbfffffffffffffff')
    assert.equal(timeOf(ids.next(NOW_MS)), NOW_MS)
  })

  test('are unique and in order while time goes on', () => {
    const ids = new IdGenerator(createPooledRandom())
    let previous = ''
    for (let i = 0; i < 100_000; i++) {
      const hex = hexOf(ids.next(NOW_MS + Math.floor(i / 1000)))
      assert.ok(hex > previous, `${hex} after ${previous}`)
      previous = hex
    }
  })

  test('are unique and tell the time they were made for while the clock jumps to and fro', () => {
    const ids = new IdGenerator(createPooledRandom())
    const jumps = [0, 0, 1, -5, 0, 3, -3600_000, 2, 0, -1]
    let clockMs = NOW_MS
    const seen = new Set<string>()
    for (let i = 0; i < 100_000; i++) {
      clockMs += jumps[i % jumps.length] ?? 0
      if (i % 1000 === 0) clockMs = NOW_MS + i
      const id = ids.next(clockMs)
      assert.equal(timeOf(id), clockMs)
      seen.add(hexOf(id))
    }
    assert.equal(seen.size, 100_000)
  })

  test('of two processes in one millisecond differ', () => {
    const [a, b] = [new IdGenerator(createPooledRandom()), new IdGenerator(createPooledRandom())]
    assert.notDeepEqual(a.next(NOW_MS), b.next(NOW_MS))
  })

  test('are not made for what is no time', () => {
    const ids = new IdGenerator(zeros)
    for (const time of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 48]) {
      assert.throws(() => ids.next(time), RangeError, `${time}`)
    }
  })

  test('of API keys are 16 hex characters of the randomness given', () => {
    assert.equal(randomKeyId(ones), 'ffffffffffffffff')
    assert.match(randomKeyId(), /^[0-9a-f]{16}$/)
  })
})

describe('pooled randomness', () => {
  test('gives every byte of its source once', () => {
    let calls = 0
    const counting: RandomFill = (target) => {
      calls++
      for (let i = 0; i < target.length; i++) target[i] = calls * 16 + i
    }
    const random = createPooledRandom(counting, 8)
    const take = (length: number) => {
      const target = new Uint8Array(length)
      random(target)
      return [...target]
    }
    assert.deepEqual(take(3), [16, 17, 18])
    assert.deepEqual(take(5), [19, 20, 21, 22, 23])
    assert.deepEqual(take(6), [32, 33, 34, 35, 36, 37])
    // What is left is too little; a part of two fillings would be no worse, but this is simpler.
    assert.deepEqual(take(3), [48, 49, 50])
    assert.deepEqual(take(9), [64, 65, 66, 67, 68, 69, 70, 71, 72])
    assert.deepEqual(take(0), [])
    assert.equal(calls, 4)
  })
})

test('a secret is 64 lower-case hex characters of the randomness given', () => {
  assert.equal(
    randomSecretHex((target) => target.fill(0xa5)),
    'a5'.repeat(32),
  )
  assert.match(randomSecretHex(), /^[0-9a-f]{64}$/)
  assert.notEqual(randomSecretHex(), randomSecretHex())
})
