import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { HDKey } from '@scure/bip32'
import { derivedKey } from '../../packages/client/src/derivation.js'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const RANDOM_SEEDS = 100
const HARDENED = 2 ** 31

describe('the key along a path', () => {
  const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  for (const [path, key] of [
    ['m', 'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35'],
    ["m/0'", 'edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea'],
    ["m/0'/1", '3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368'],
    ["m/0'/1/2'", 'cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca'],
  ] as const) {
    test(`is that of the first test vector of BIP-32: ${path}`, () => assert.equal(hex(derivedKey(seed, path)), key))
  }

  // The third and fourth test vectors of BIP-32, for keys that begin with zeros.
  for (const text of [
    '4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be',
    '3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678',
  ]) {
    test(`has all of its zeros: ${text.slice(0, 8)}…`, () => {
      const zeros = Buffer.from(text, 'hex')
      for (const path of ["m/0'", "m/0'/1'"]) assertSame(zeros, path)
    })
  }

  test('is the one of another library, for any seed and path', () => {
    for (let number = 0; number < RANDOM_SEEDS; number++) {
      const [first, second] = [randomInt(HARDENED), randomInt(HARDENED)]
      for (const path of ["m/44'/60'/0'/0/0", `m/${first}'/${second}`, `m/2147483647/2147483647'`]) {
        assertSame(randomBytes(64), path)
      }
    }
  })

  test('is refused for what is no path', () => {
    for (const path of [
      '',
      '44',
      'm/',
      'm/-1',
      'm/2147483648',
      "m/2147483648'",
      'm/0x1',
      'm/1h',
      'n/1',
      'm//1',
      'm/1 ',
    ]) {
      assert.throws(() => derivedKey(seed, path), TypeError, path)
    }
  })
})

function assertSame(seed: Uint8Array, path: string): void {
  assert.equal(hex(derivedKey(seed, path)), hex(HDKey.fromMasterSeed(seed).derive(path).privateKey ?? new Uint8Array()))
}
