import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  DERIVED_INDEX_MAX,
  derivedIdRange,
  derivedPrefix,
  derivedWalletId,
  indexOfDerived,
  isKeyName,
} from '../../src/domain/derived-wallet.js'
import { flawOfWalletId } from '../../src/domain/wallet.js'

const PREFIX = derivedPrefix('0123456789abcdef', 'A-NETWORK-OF-16-')

describe('the id of a derived wallet', () => {
  test('names key, network and index, and is a wallet id', () => {
    assert.equal(derivedWalletId(derivedPrefix('0123456789abcdef', 'ETH'), 7), 'xpub-0123456789abcdef-ETH-0000000007')
    assert.equal(flawOfWalletId(derivedWalletId(PREFIX, DERIVED_INDEX_MAX)), null)
  })

  test('sorts by its index, between the lowest and the highest one', () => {
    const { low, high } = derivedIdRange(PREFIX)
    const ids = [0, 1, 9, 10, 99, 100, 2 ** 30, DERIVED_INDEX_MAX].map((index) => derivedWalletId(PREFIX, index))
    assert.deepEqual([low, ...ids.slice(1), high].toSorted(), [...ids, high])
  })

  test('gives its index back, and other ids give none', () => {
    for (const index of [0, 7, DERIVED_INDEX_MAX]) {
      assert.equal(indexOfDerived(PREFIX, derivedWalletId(PREFIX, index)), index)
    }
    const others = [`${PREFIX}7`, `${PREFIX}00000000071`, `${PREFIX}000000000x`, PREFIX, '', `x${PREFIX}0000000007`]
    for (const id of others) assert.equal(indexOfDerived(PREFIX, id), null, id)
  })

  test('has a name of a key that is 16 lower-case hex digits', () => {
    assert.equal(isKeyName('0123456789abcdef'), true)
    for (const text of ['', '0123456789abcde', '0123456789ABCDEF', '0123456789abcdef0', '0123456789abcde%']) {
      assert.equal(isKeyName(text), false, text)
    }
  })
})
