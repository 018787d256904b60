import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyHolder } from '../../packages/app/src/keys/holder.js'
import { flawOf, LENGTH_MIN } from '../../packages/app/src/keys/passphrase.js'

const OWN = ['shop.example', 'shop', 'example', 'ab', '']

describe('a passphrase', () => {
  for (const passphrase of [
    'correct horse battery staple',
    'vier zufällige wörter hier',
    '我的商店需要一个很长的密码',
    'x7f#9K2x!4q8Lm',
    'a passphrase for tests',
    'tiger purple ladder',
    'Abänderungsantrag',
  ]) {
    test(`is taken: ${passphrase}`, () => assert.equal(flawOf(passphrase, OWN), null))
  }

  for (const passphrase of ['', 'short', 'a'.repeat(LENGTH_MIN - 1), '\u{1f600}'.repeat(LENGTH_MIN - 1)]) {
    test(`is too short: ${passphrase}`, () => assert.equal(flawOf(passphrase, OWN), 'short'))
  }

  for (const [why, ...passphrases] of [
    ['a common word with digits', 'password12', 'Password2026!', 'iloveyou123', '2024bitcoin2024', 'wallet-crypto-2'],
    ['a common word with signs for letters', 'P4ssw0rd1234', 'p@$$w0rd!!!!'],
    ['keys in a row', 'qwertyuiop', 'asdfghjkl1', 'abcdefghijk', 'lkjhgfdsa!', 'qwertz12345', 'zyxwvutsrq'],
    ['digits alone', '1234567890', '31.12.1999 ', '4915112345678', '01-02-2003-04-05'],
    ['one piece again and again', 'aaaaaaaaaaaa', 'abababababab', 'xyzxyzxyzxyz', 'tigertigertiger', '          '],
    ['too few different letters', 'aabbaabbba', 'mmmmnnnnoooo'],
    ['the name of the shop or of the service', 'shop.example', 'Example2026', 'billhook-shop', 'BillhookBillhook'],
  ] as const) {
    for (const passphrase of passphrases) {
      test(`is guessed first: ${why}: ${passphrase}`, () => assert.equal(flawOf(passphrase, OWN), 'guessable'))
    }
  }

  test('is the same however its letters were typed', () => {
    assert.equal(flawOf('ä'.normalize('NFD').repeat(5), []), 'short')
  })

  test('loses nothing by an own word that is empty or in everything', () => {
    assert.equal(flawOf('tiger purple ladder', ['', 'e', 'er']), null)
  })

  test('that is suggested has five words of 55 random bits, and passes', () => {
    const holder = new KeyHolder({
      place: { read: async () => null, replace: async () => true, clear: async () => {} },
      now: () => 0,
      onLocked: () => {},
    })
    const suggested = Array.from({ length: 50 }, () => holder.newPassphrase())
    for (const words of suggested) {
      assert.match(words, /^[a-z]{3,8}(?: [a-z]{3,8}){4}$/)
      assert.equal(flawOf(words, OWN), null, words)
    }
    assert.equal(new Set(suggested).size, suggested.length)
  })
})
