import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accountOf, accountOfAddress, addressOfAccount, hexOfAccount } from '../../../src/networks/tron/address.js'

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
      assert.equal(addressOfAccount(account), address)
    })

    const notations = [address, hex, account(hex), hex.toUpperCase(), `0x${account(hex)}`, `0x${hex}`]
    test(`${address} is understood in every notation of a node`, () => {
      for (const notation of notations) assert.equal(accountOf(notation), account(hex), notation)
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

  const none = [
    ...notAddresses.filter((text) => !text.startsWith('0x')),
    '41',
    '42a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c00',
    undefined,
    null,
    7,
    { toString: () => '41a614f803b6fd780986a42c78ec9c7f77e6ded13c' },
  ]
  for (const named of none) test(`${String(named)} names no account`, () => assert.equal(accountOf(named), null))
})

function account(hex: string): string {
  return hex.slice(2)
}
