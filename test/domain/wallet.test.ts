import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decideWalletFact, flawOfWalletId, type Wallet } from '../../src/domain/wallet.js'

type Fact = Parameters<typeof decideWalletFact>[0]

const NOW = 5000
const anyAddress = () => null
const created: Fact = { type: 'wallet.created', id: 'w', address: '0xAb', network: 'SEP' }
const assigned: Fact = { type: 'wallet.assigned', id: 'w', address: null, network: null, owner: 'alice' }
const free: Wallet = { id: 'w', network: 'SEP', address: '0xAb', owner: null, assignedAt: null }
const owned: Wallet = { ...free, owner: 'alice', assignedAt: 1000 }
const placeless: Wallet = { id: 'w', network: null, address: null, owner: 'alice', assignedAt: 1000 }

describe('a fact about a wallet (decisions 8)', () => {
  const changes: readonly (readonly [string, Fact, Wallet | null, Wallet])[] = [
    ['a new wallet', created, null, free],
    ['an assignment of a free wallet', assigned, free, { ...free, owner: 'alice', assignedAt: NOW }],
    [
      'an assignment with the address spelled otherwise',
      { ...assigned, address: '0xaB', network: 'SEP' },
      free,
      { ...free, owner: 'alice', assignedAt: NOW },
    ],
    ['a reassignment', { ...assigned, owner: 'bob' }, owned, { ...free, owner: 'bob', assignedAt: NOW }],
    ['an assignment of an unknown wallet', assigned, null, { ...placeless, assignedAt: NOW }],
    [
      'an assignment of an unknown wallet with its address',
      { ...assigned, address: '0xAb', network: 'SEP' },
      null,
      { ...owned, assignedAt: NOW },
    ],
    ['the address of an assigned wallet', created, placeless, owned],
    ['the address within a repeated assignment', { ...assigned, address: '0xAb', network: 'SEP' }, placeless, owned],
  ]
  for (const [what, fact, known, wallet] of changes) {
    test(`${what} is applied`, () => {
      assert.deepEqual(
        decideWalletFact(
          fact,
          known,
          known?.address === undefined || known?.address === null ? null : 'w',
          NOW,
          anyAddress,
        ),
        { wallet },
      )
    })
  }

  const repetitions: readonly (readonly [string, Fact, Wallet])[] = [
    ['the creation of a known wallet', created, free],
    ['the creation of an assigned wallet', created, owned],
    ['a repeated assignment', assigned, owned],
    ['a wallet that is known in an import', { ...assigned, keepsOwner: true }, owned],
    ['a repeated assignment with its address', { ...assigned, address: '0xAB', network: 'SEP' }, owned],
  ]
  for (const [what, fact, known] of repetitions) {
    test(`${what} changes nothing`, () => {
      assert.deepEqual(decideWalletFact(fact, known, 'w', NOW, anyAddress), { wallet: null })
    })
  }

  const errors: readonly (readonly [string, Fact, Wallet | null, string | null])[] = [
    ['an empty id', { ...created, id: '' }, null, null],
    ['an id with a comma', { ...created, id: 'a,b' }, null, null],
    ['an id of 129 characters', { ...created, id: 'x'.repeat(129) }, null, null],
    ['an empty address', { ...created, address: '' }, null, null],
    ['an address of 129 characters', { ...created, address: 'x'.repeat(129) }, null, null],
    ['an address without a network', { ...assigned, address: '0xAb' }, null, null],
    ['a network without an address', { ...assigned, network: 'SEP' }, null, null],
    ['the address of another wallet', created, null, 'other'],
    ['another address than the known one', { ...created, address: '0xCd' }, free, null],
    ['another network than the known one', { ...created, network: 'TRX-NILE' }, free, null],
    ['the wallet of another in an import', { ...assigned, owner: 'bob', keepsOwner: true }, owned, null],
    ['an assignment to nobody', { ...assigned, owner: '' }, free, null],
    ['an assignment to spaces', { ...assigned, owner: '  ' }, free, null],
    ['an assignment to a name of 129 characters', { ...assigned, owner: 'x'.repeat(129) }, free, null],
  ]
  for (const [what, fact, known, holder] of errors) {
    test(`${what} is refused`, () => {
      assert.ok('error' in decideWalletFact(fact, known, holder, NOW, anyAddress))
    })
  }

  describe('whose address is not valid', () => {
    const flawed = (network: string, address: string) => `${network} has no ${address}`
    const placed: Fact = { ...assigned, address: '0xAb', network: 'SEP' }

    test('is refused where the address would become known', () => {
      for (const fact of [created, placed]) {
        for (const known of [null, placeless]) {
          assert.deepEqual(decideWalletFact(fact, known, null, NOW, flawed), { error: 'SEP has no 0xAb' })
        }
      }
    })

    test('is applied where it is known already or not told', () => {
      assert.deepEqual(decideWalletFact(created, free, 'w', NOW, flawed), { wallet: null })
      const wallet = { ...free, owner: 'alice', assignedAt: NOW }
      assert.deepEqual(decideWalletFact(placed, free, 'w', NOW, flawed), { wallet })
      assert.deepEqual(decideWalletFact(assigned, free, null, NOW, flawed), { wallet })
      assert.ok('wallet' in decideWalletFact(assigned, null, null, NOW, flawed))
    })
  })

  test('TRON addresses that differ in case are two', () => {
    const known: Wallet = { id: 'w', network: 'TRX-NILE', address: 'TAb', owner: null, assignedAt: null }
    assert.ok(
      'error' in decideWalletFact({ ...created, network: 'TRX-NILE', address: 'Tab' }, known, null, NOW, anyAddress),
    )
  })

  test('a wallet id has no comma, which separates ids in wallet_ids', () => {
    assert.equal(flawOfWalletId('ab-12'), null)
    assert.equal(typeof flawOfWalletId('a,b'), 'string')
  })
})
