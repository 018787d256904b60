import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { createBase58check } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { type AddressChain, readAddressChain } from '../../src/crypto/extended-key.js'
import { noble } from '../../src/crypto/noble.js'
import { hasPrivateKey } from '../../src/crypto/private-text.js'
import { addressOfKey } from '../../src/networks/key-address.js'
import { DEVELOPMENT_MNEMONIC } from '../support/evm-transaction.js'

/** The mnemonic of BIP-39's first vector, for which many programs publish addresses. */
const ABANDON = `${'abandon '.repeat(11)}about`
const ACCOUNT = "m/44'/60'/0'"

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

function root(phrase: string): HDKey {
  return HDKey.fromMasterSeed(mnemonicToSeedSync(phrase))
}

function xpub(path: string, phrase = DEVELOPMENT_MNEMONIC): string {
  return root(phrase).derive(path).publicExtendedKey
}

function read(text: string): AddressChain {
  const chain = readAddressChain(text)
  assert.ok(!('flaw' in chain), JSON.stringify(chain))
  return chain
}

function flawOf(text: string): string {
  const chain = readAddressChain(text)
  assert.ok('flaw' in chain)
  return chain.flaw
}

/** The account's key with bytes of its serialisation replaced, and a checksum that is right. */
function altered(at: number, ...bytes: readonly number[]): string {
  const serialised = base58check.decode(xpub(ACCOUNT))
  serialised.set(bytes, at)
  return base58check.encode(serialised)
}

describe('an extended public key', () => {
  const addresses = [
    // The accounts that Hardhat and anvil print at their start.
    [
      'evm',
      DEVELOPMENT_MNEMONIC,
      ACCOUNT,
      [
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      ],
    ],
    ['evm', ABANDON, ACCOUNT, ['0x9858EfFD232B4033E47d90003D41EC34EcaEda94']],
    // The first one is in the example of Ledger's TRON application, too.
    [
      'tron',
      ABANDON,
      "m/44'/195'/0'",
      [
        'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
        'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
        'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
      ],
    ],
  ] as const
  for (const [kind, phrase, path, expected] of addresses) {
    test(`has the published ${kind} addresses of "${phrase.slice(0, 12)}…", as an account and as its chain`, () => {
      const account = read(xpub(path, phrase))
      const chain = read(xpub(`${path}/0`, phrase))
      assert.equal(account.name, chain.name)
      for (const { keyAt } of [account, chain]) {
        assert.deepEqual(
          expected.map((_, i) => addressOfKey(kind, keyAt(i))),
          expected,
        )
      }
    })
  }

  test('derives what BIP-32 gives for its first two test vectors', () => {
    const vectors = [
      [
        'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
        1_000_000_000,
        'xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy',
      ],
      [
        'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL',
        2,
        'xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt',
      ],
    ] as const
    for (const [parent, index, child] of vectors) {
      const { publicKey } = HDKey.fromExtendedKey(child)
      assert.ok(publicKey !== null)
      assert.deepEqual(Buffer.from(read(parent).keyAt(index)), Buffer.from(noble.uncompress(publicKey)))
    }
  })

  test('is read with blanks, a line feed or a carriage return around it, and a mark of its encoding', () => {
    const text = xpub(ACCOUNT)
    const { name } = read(text)
    for (const around of [`${text}\n`, `${text}\r\n`, `  ${text}\t\r\n\r\n`, `\ufeff${text}`])
      assert.equal(read(around).name, name)
  })

  test('has a name that its chain code and its key make', () => {
    const other = base58check.decode(xpub(`${ACCOUNT}/0`))
    other[13] = (other[13] ?? 0) ^ 1
    const names = [xpub(ACCOUNT), xpub("m/44'/60'/1'"), xpub(`${ACCOUNT}/1`), base58check.encode(other)].map(
      (text) => read(text).name,
    )
    assert.equal(new Set(names).size, 4)
    for (const name of names) assert.match(name, /^[0-9a-f]{16}$/)
  })

  test('has its last address at the last index that is not hardened', () => {
    const { keyAt } = read(xpub(ACCOUNT))
    assert.equal(keyAt(2 ** 31 - 1).length, 65)
    assert.throws(() => keyAt(2 ** 31), /hardened/)
  })
})

describe('what is no extended public key of addresses is refused', () => {
  const good = xpub(ACCOUNT)
  const mistyped = good.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const rows: readonly (readonly [name: string, text: string, flaw: RegExp])[] = [
    ['nothing', '', /^is empty/],
    ['white space', ' \r\n\t', /^is empty/],
    ['two keys', `${good}\n${good}`, /^must hold one extended public key .* and nothing else$/],
    ['a key with a comment', `# my shop\n${good}`, /^must hold one extended public key/],
    ['a typing error', mistyped, /checksum is not right$/],
    ['half a key', good.slice(0, 60), /checksum is not right$/],
    ['an address', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', /checksum is not right$/],
    ['a TRON address', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', /its length is not right$/],
    ['a ypub', altered(0, 0x04, 0x9d, 0x7c, 0xb2), /begins with ypub.*export it as xpub$/],
    ['a zpub', altered(0, 0x04, 0xb2, 0x47, 0x46), /begins with zpub/],
    ['an Ltub', altered(0, 0x01, 0x9d, 0xa4, 0x62), /begins with Ltub/],
    ['a tpub', altered(0, 0x04, 0x35, 0x87, 0xcf), /begins with tpub/],
    ['a key off the curve', altered(45, 0x02, ...new Array<number>(32).fill(0xff)), /no such key on the curve$/],
    ['an uncompressed prefix', altered(45, 0x04), /no such key on the curve$/],
    ['a root with a parent', altered(4, 0), /no such key on the curve$/],
    ['a root', xpub('m'), /of depth 0 that is neither an account/],
    ['a coin', xpub("m/44'/60'"), /of depth 2 that is neither/],
    ['an account that is not hardened', xpub("m/44'/60'/0"), /of depth 3 that is neither/],
    ['an address of its own', xpub(`${ACCOUNT}/0/0`), /of depth 5 that is neither/],
  ]
  for (const [name, text, flaw] of rows) {
    test(name, () => {
      assert.match(flawOf(text), flaw)
      assert.doesNotMatch(flawOf(text), /private/)
    })
  }

  const wif = HDKey.fromExtendedKey(good)
  assert.equal(wif.privateKey, null)
  const xprv = root(DEVELOPMENT_MNEMONIC).derive(ACCOUNT).privateExtendedKey
  const bytes = base58check.decode(xprv)
  const asVersion = (...version: readonly number[]) =>
    base58check.encode(Uint8Array.of(...version, ...bytes.subarray(4)))
  const secrets: readonly (readonly [name: string, text: string])[] = [
    ['an xprv', xprv],
    ['an xprv in another line', `${good}\n${xprv}\n`],
    ['an xprv with a typing error', xprv.slice(0, -1)],
    ['a zprv', asVersion(0x04, 0xb2, 0x43, 0x0c)],
    ['an Ltpv', asVersion(0x01, 0x9d, 0x9c, 0xfe)],
    ['a private key that says it is public', asVersion(0x04, 0x88, 0xb2, 0x1e)],
    ['a private key of an unknown coin', asVersion(0x0a, 0x0b, 0x0c, 0x0d)],
    ['a private key in hex', '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'],
    ['a private key in capitals', 'AC0974BEC39A17E36BA4A6B4D238FF944BACB478CBED5EFCAE784D7BF4F2FF80'],
    ['a PEM file', '-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE\n-----END EC PRIVATE KEY-----\n'],
    ['a recovery phrase', DEVELOPMENT_MNEMONIC],
    ['a recovery phrase of 24 words, one a line', `${'abandon\n'.repeat(23)}art`],
  ]
  for (const [name, text] of secrets) {
    test(`${name}, with words that say to keep it away and repeat nothing of it`, () => {
      const flaw = flawOf(text)
      assert.match(
        flaw,
        /^holds a private key or a recovery phrase, which must never come near this service\. Delete it/,
      )
      for (const part of text.split(/\s+/)) assert.ok(part.length < 8 || !flaw.includes(part.slice(0, 8)), flaw)
    })
  }

  test('but a public key or a name is taken for no private one', () => {
    for (const text of [good, 'shop.xpub', '/home/me/xprv.txt', 'a'.repeat(63), '02'.padEnd(66, 'a')]) {
      assert.equal(hasPrivateKey(text), false, text)
    }
  })
})
