import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { isIdentityOfKey } from '../../src/auth/identity-key.js'
import { testKey } from '../support/signing.js'

const NAME = 'acme.onboarding'
const KEY = testKey('an identity').publicKeyHex

function identityOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

describe('an identity is of the key', () => {
  const upper = KEY.toUpperCase()
  for (const onboarded of [KEY, upper, `0x${KEY}`, `0x${upper}`]) {
    for (const sent of [KEY, upper, `0x${KEY}`, `0x${upper}`]) {
      test(`onboarded as ${onboarded.slice(0, 8)}…, sent as ${sent.slice(0, 8)}…`, () => {
        assert.equal(isIdentityOfKey(identityOf(onboarded + NAME), sent, NAME), true)
      })
    }
  }

  test('onboarded in mixed case, if the request spells it alike', () => {
    const mixed = KEY.replace(/[a-f]/, (digit) => digit.toUpperCase())
    assert.notEqual(mixed, KEY)
    for (const sent of [mixed, `0x${mixed}`]) {
      assert.equal(isIdentityOfKey(identityOf(`0x${mixed}${NAME}`), sent, NAME), true)
    }
    assert.equal(isIdentityOfKey(identityOf(mixed + NAME), KEY, NAME), false)
  })
})

describe('an identity is not of the key', () => {
  const identity = identityOf(`0x${KEY}${NAME}`)
  for (const [what, one, key, name] of [
    ['another key', identity, testKey('another identity').publicKeyHex, NAME],
    ['another onboarding name', identity, KEY, `${NAME}x`],
    ['the name before the key', identityOf(NAME + KEY), KEY, NAME],
    ['the key alone', identityOf(KEY), KEY, NAME],
    ['the identity in upper case', identity.toUpperCase(), KEY, NAME],
    [
      'the hash of the bytes',
      createHash('sha256').update(Buffer.from(KEY, 'hex')).update(NAME).digest('hex'),
      KEY,
      NAME,
    ],
    ['an empty identity', '', KEY, NAME],
    ['a name', 'alice', KEY, NAME],
  ] as const) {
    test(what, () => assert.equal(isIdentityOfKey(one, key, name), false))
  }
})
