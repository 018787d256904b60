import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { checksummedAddress } from '../../src/networks/ethereum/address.js'
import { addressOfAccount } from '../../src/networks/tron/address.js'
import { kindOfAddress, randomAddress } from '../../src/sandbox/address.js'

/** From ERC-55 itself. */
const erc55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

/** A token that everybody knows, and two of the Nile test network. */
const tron: readonly (readonly [text: string, hex: string | null])[] = [
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
  ['TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', null],
  ['TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj', null],
]

describe('addresses', () => {
  for (const address of erc55) {
    test(`${address} has the checksum of ERC-55`, () => {
      assert.equal(checksummedAddress(Buffer.from(address.slice(2), 'hex')), address)
      assert.equal(kindOfAddress(address), 'evm')
    })
  }

  for (const [text, hex] of tron) {
    test(`${text} is one of TRON`, () => {
      assert.equal(kindOfAddress(text), 'tron')
      if (hex !== null) assert.equal(addressOfAccount(hex), text)
    })
  }

  test('the smallest and the largest account have addresses of TRON', () => {
    for (const byte of ['00', 'ff']) assert.equal(kindOfAddress(addressOfAccount(byte.repeat(20))), 'tron')
  })

  const none = [
    '',
    '0x',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj60',
    'tR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    '0x52908400098527886E0F7030069857D2E4169EE',
    '0x52908400098527886E0F7030069857D2E4169EE7a',
    '52908400098527886E0F7030069857D2E4169EE7',
    '0X52908400098527886E0F7030069857D2E4169EE7',
  ]
  for (const text of none) {
    test(`'${text}' is none`, () => assert.equal(kindOfAddress(text), null))
  }

  test('a random address is of its network and made of the randomness given', () => {
    let count = 0
    const random = (target: Uint8Array) => {
      count += 1
      target.set(createHash('sha256').update(String(count)).digest().subarray(0, target.length))
    }
    for (const kind of ['evm', 'tron'] as const) {
      const addresses = Array.from({ length: 50 }, () => randomAddress(kind, random))
      assert.equal(new Set(addresses).size, 50)
      for (const address of addresses) assert.equal(kindOfAddress(address), kind)
    }
    assert.equal(count, 100)
  })
})
