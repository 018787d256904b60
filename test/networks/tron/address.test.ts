import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accountOfAddress,
  addressOfAccount,
  addressOfHex,
  hexOfAccount,
  PREFIXED_ACCOUNT,
} from '../../../src/networks/tron/address.js'

/** Tokens that everybody knows on the main network and on Nile, and the address that nobody has. */
const known: readonly (readonly [address: string, hex: string])[] = [
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
  ['TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', '41eca9bc828a3005b9a3b909f2cc5c2a54794de05f'],
  ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', '410000000000000000000000000000000000000000'],
]

describe('TRON addresses', () => {
  for (const [address, hex] of known) {
    test(`${address} is ${hex}`, () => {
      const account = accountOfAddress(address) ?? assert.fail()
      assert.equal(hexOfAccount(account), hex)
      assert.equal(addressOfHex(hex), address)
      assert.equal(addressOfAccount(account), address)
      assert.match(hex, PREFIXED_ACCOUNT)
    })
  }

  const notAddresses = [
    '',
    'T',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
    'tr7nhqjekqxgtci8q8zy4pl8otszgjlj6t',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t ',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj60',
    '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    // Of Bitcoin: a right checksum behind another version byte.
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  ]
  for (const text of notAddresses) {
    test(`'${text}' is none`, () => assert.equal(accountOfAddress(text), null))
  }

  const notHex = [
    '',
    '41',
    'a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '42a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '41A614F803B6FD780986A42C78EC9C7F77E6DED13C',
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c00',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ]
  for (const text of notHex) {
    test(`'${text}' is no address of a transaction`, () => assert.doesNotMatch(text, PREFIXED_ACCOUNT))
  }
})
