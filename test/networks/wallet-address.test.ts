import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Network } from '../../src/domain/network.js'
import { addressCheck } from '../../src/networks/wallet-address.js'

const SEP_TOKEN = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const NILE_TOKEN = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'

function check(sep: string | null, nile: string | null) {
  const token = { currency: 'USDT', symbol: 'USDT', decimals: 6 }
  return addressCheck([
    { id: 'SEP', kind: 'evm', tokens: [{ ...token, contract: sep }] },
    { id: 'TRX-NILE', kind: 'tron', tokens: [{ ...token, contract: nile }] },
  ])
}

const flawOf = check(SEP_TOKEN, NILE_TOKEN)

describe('the address of a wallet', () => {
  const valid: readonly (readonly [Network, string, string])[] = [
    ['SEP', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'with its checksum'],
    ['SEP', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'in small letters'],
    ['SEP', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', 'in capitals'],
    ['SEP', '0x1111111111111111111111111111111111111111', 'without letters'],
    ['TRX-NILE', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'with its checksum'],
  ]
  for (const [network, address, how] of valid) {
    test(`on ${network} may be ${address}, ${how}`, () => assert.equal(flawOf(network, address), null))
  }

  const flawed: readonly (readonly [Network, string, string])[] = [
    ['SEP', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'the checksum of another one'],
    ['SEP', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAec', 'a changed digit'],
    ['SEP', '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', 'a capital X'],
    ['SEP', '0xabc', 'too short'],
    ['SEP', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed00', 'too long'],
    ['SEP', '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'no 0x'],
    ['SEP', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n', 'a line feed'],
    ['SEP', 'hello world <b>', 'no address at all'],
    ['SEP', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'of the other network'],
    ['TRX-NILE', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'a changed character'],
    ['TRX-NILE', 'tR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'another case'],
    ['TRX-NILE', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'the form of transactions'],
    ['TRX-NILE', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'another prefix than 0x41, its checksum correct'],
    ['TRX-NILE', '', 'empty'],
    ['TRX-NILE', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'of the other network'],
  ]
  for (const [network, address, what] of flawed) {
    test(`on ${network} is not ${JSON.stringify(address)}: ${what}`, () => {
      assert.match(flawOf(network, address) ?? '', new RegExp(`^an address on ${network} is `))
    })
  }

  test('is never the contract of the token, however that is spelled', () => {
    const flaw = 'the address is the contract of a token'
    assert.equal(flawOf('SEP', SEP_TOKEN), flaw)
    assert.equal(flawOf('SEP', SEP_TOKEN.toLowerCase()), flaw)
    assert.equal(flawOf('TRX-NILE', NILE_TOKEN), flaw)
  })

  test('may be anything valid where no contract is configured', () => {
    const flawOf = check(null, null)
    assert.equal(flawOf('SEP', SEP_TOKEN), null)
    assert.equal(flawOf('TRX-NILE', NILE_TOKEN), null)
  })

  test('is not on a network that the catalogue does not have', () => {
    assert.equal(flawOf('BNB', SEP_TOKEN), 'BNB is not a network of this service')
  })
})
