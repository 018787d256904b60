import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DepositReport,
  type DepositStatus,
  flawOf,
  type Sighting,
  transitionOf,
} from '../../src/domain/deposit.js'
import { canonicalAddress } from '../../src/domain/network.js'

describe('the life of a deposit (specification, Deposit kind; decisions 5)', () => {
  const rows: readonly (readonly [
    DepositReport | 'unseen',
    DepositReport,
    DepositReport | null,
    readonly DepositStatus[],
  ])[] = [
    ['unseen', 'pending', 'pending', ['pending']],
    ['unseen', 'confirmed', 'confirmed', ['pending', 'confirmed']],
    ['unseen', 'dropped', null, []],
    ['pending', 'pending', null, []],
    ['pending', 'confirmed', 'confirmed', ['confirmed']],
    ['pending', 'dropped', 'dropped', []],
    ['confirmed', 'pending', null, []],
    ['confirmed', 'confirmed', null, []],
    ['confirmed', 'dropped', 'dropped', []],
    ['dropped', 'pending', 'pending', ['pending']],
    ['dropped', 'confirmed', 'confirmed', ['pending', 'confirmed']],
    ['dropped', 'dropped', null, []],
  ]
  for (const [kind, report, becomes, reaches] of rows) {
    test(`${kind}, reported ${report}: ${becomes ?? 'nothing changes'}`, () => {
      assert.deepEqual(transitionOf(kind, report), becomes === null ? null : { kind: becomes, reaches })
    })
  }
})

describe('a sighting', () => {
  const good: Sighting = {
    network: 'SEP',
    txHash: '0xab',
    index: 0,
    toAddress: '0xCd',
    currency: '#native',
    amount: '1.5',
    receivedAt: 1_700_000_000_000,
  }
  const decimals = { SEP: { native: 18, USDT: 6 }, 'TRX-NILE': { native: 6, USDT: 6 } }

  const recorded: readonly (readonly [string, Partial<Sighting>])[] = [
    ['a native coin', {}],
    ['a token in raw units', { currency: 'Tether', amount: '1500000' }],
    ['no label', { currency: null }],
    ['an empty label', { currency: '' }],
    ['a label that matches nothing', { currency: 'USDC', amount: '7' }],
    ['the greatest index', { index: 4_294_967_295 }],
    ['the first millisecond', { receivedAt: 1 }],
    ['the last time of 48 bits', { receivedAt: 2 ** 48 - 1 }],
    ['a hash of 128 characters', { txHash: 'f'.repeat(128) }],
  ]
  for (const [what, fields] of recorded) {
    test(`of ${what} can be recorded`, () => {
      assert.equal(flawOf({ ...good, ...fields }, decimals), null)
    })
  }

  const flawed: readonly (readonly [string, Partial<Sighting>])[] = [
    ['no hash', { txHash: '' }],
    ['a hash of 129 characters', { txHash: 'f'.repeat(129) }],
    ['a negative index', { index: -1 }],
    ['a fractional index', { index: 0.5 }],
    ['an index beyond 32 bits', { index: 4_294_967_296 }],
    ['an index that is no number', { index: Number.NaN }],
    ['no address', { toAddress: '' }],
    ['an address of 129 characters', { toAddress: 'a'.repeat(129) }],
    ['an endless label', { currency: 'x'.repeat(65) }],
    ['no amount', { amount: '' }],
    ['nothing deposited', { amount: '0' }],
    ['a negative amount', { amount: '-1' }],
    ['a token amount with a point', { currency: 'Tether', amount: '1.5' }],
    ['more than 18 decimals', { amount: '0.0000000000000000001' }],
    ['time zero', { receivedAt: 0 }],
    ['a negative time', { receivedAt: -1 }],
    ['a fractional time', { receivedAt: 1.5 }],
    ['a time beyond 48 bits', { receivedAt: 2 ** 48 }],
    ['no time', { receivedAt: Number.NaN }],
  ]
  for (const [what, fields] of flawed) {
    test(`with ${what} cannot`, () => {
      assert.equal(typeof flawOf({ ...good, ...fields }, decimals), 'string')
    })
  }
})

test('EVM addresses compare without regard to case, TRON base58 exactly (decisions 5)', () => {
  assert.equal(canonicalAddress('0xAbCd'), canonicalAddress('0xaBcD'))
  assert.notEqual(canonicalAddress('TAbc'), canonicalAddress('Tabc'))
})
