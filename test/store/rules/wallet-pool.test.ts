import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WITHDRAWN_UNTIL } from '../../../src/domain/withdrawal.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { claimWallet, putWalletBack, withdrawWallet } from '../../../src/store/rules/wallet-pool.js'
import { NOW, Pool, wallet } from './pool.js'

const LEASE_MS = 1000
const WITHDRAWAL = { umid: 'first', ledgerMs: 100, at: NOW - 400 }

describe('a claim', () => {
  test('leases the wallet that has been free the longest', () => {
    const ends = { recent: NOW, oldest: 0, leased: NOW + 1 }
    const pool = new Pool(
      Object.entries(ends).map(([id, leasedUntil]) => ({ wallet: wallet(id), leasedUntil, withdrawal: null })),
    )
    assert.deepEqual(answeredNow(claimWallet(pool, 'SEP', LEASE_MS)), { id: 'oldest', address: 'at oldest' })
    assert.deepEqual(pool.changes, [`lease oldest until ${LEASE_MS}`])
  })

  test('gets none where all are leased, or of another network', () => {
    const pool = new Pool([
      { wallet: wallet('leased'), leasedUntil: NOW + 1, withdrawal: null },
      { wallet: wallet('other', { network: 'BNB' }), leasedUntil: 0, withdrawal: null },
    ])
    assert.equal(answeredNow(claimWallet(pool, 'SEP', LEASE_MS)), null)
    assert.deepEqual(pool.changes, [])
  })

  test('never leases a wallet for good, however long the lease', () => {
    const pool = new Pool([{ wallet: wallet('one'), leasedUntil: 0, withdrawal: null }])
    answeredNow(claimWallet(pool, 'SEP', Number.MAX_SAFE_INTEGER))
    assert.deepEqual(pool.changes, [`lease one until ${WITHDRAWN_UNTIL - 1 - NOW}`])
  })

  test('does not hand out a wallet without an address', () => {
    const pool = new Pool([{ wallet: wallet('bare', { address: null }), leasedUntil: 0, withdrawal: null }])
    assert.throws(() => answeredNow(claimWallet(pool, 'SEP', LEASE_MS)), /no address/)
    assert.deepEqual(pool.changes, [])
  })
})

describe('a withdrawal', () => {
  const fact = { type: 'wallet.withdrawn', id: 'w', umid: 'second', ledgerMs: 200, mayBeUnknown: true } as const
  const free = { wallet: wallet('w'), leasedUntil: 0, withdrawal: null }
  const rows = [
    { of: 'a free wallet', fact, there: [free], changes: ['withdraw known w by second at 0'] },
    { of: 'an unknown wallet', fact, there: [], changes: ['withdraw unknown w by second at 0'] },
    {
      of: 'an unknown wallet, where that does not count',
      fact: { ...fact, mayBeUnknown: false },
      there: [],
      changes: [],
    },
    { of: 'a wallet with an owner', fact, there: [{ ...free, wallet: wallet('w', { owner: 'alice' }) }], changes: [] },
    {
      of: 'a wallet by the transaction of before',
      fact: { ...fact, umid: 'first' },
      there: [{ ...free, withdrawal: WITHDRAWAL }],
      changes: [],
    },
    {
      of: 'a wallet that was put back since',
      fact,
      there: [{ ...free, withdrawal: WITHDRAWAL }],
      changes: ['withdraw known w by second at 0'],
    },
  ]
  for (const { of, fact, there, changes } of rows) {
    test(`of ${of} ${changes.length === 0 ? 'changes nothing' : 'is applied'}`, () => {
      const pool = new Pool(there)
      const outcome = answeredNow(withdrawWallet(pool, fact))
      assert.deepEqual(outcome, { status: changes.length === 0 ? 'duplicate' : 'applied' })
      assert.deepEqual(pool.changes, changes)
    })
  }

  test('of a name that no wallet has is rejected', () => {
    assert.equal(answeredNow(withdrawWallet(new Pool(), { ...fact, id: 'a,b' })).status, 'rejected')
  })
})

describe('a wallet that is put back', () => {
  test('can be claimed when a lease from before its withdrawal is over', () => {
    const pool = new Pool([{ wallet: wallet('w'), leasedUntil: WITHDRAWN_UNTIL, withdrawal: WITHDRAWAL }])
    assert.deepEqual(answeredNow(putWalletBack(pool, 'w', LEASE_MS)), { ok: true, value: wallet('w') })
    assert.deepEqual(pool.changes, [`lease w until ${LEASE_MS - 400}`])
  })

  const rows = [
    { of: 'unknown', there: [] },
    { of: 'in the pool', there: [{ wallet: wallet('w'), leasedUntil: 0, withdrawal: WITHDRAWAL }] },
    {
      of: 'owned',
      there: [{ wallet: wallet('w', { owner: 'alice' }), leasedUntil: WITHDRAWN_UNTIL, withdrawal: WITHDRAWAL }],
    },
  ]
  for (const { of, there } of rows) {
    test(`must not be ${of}`, () => {
      const pool = new Pool(there)
      const outcome = answeredNow(putWalletBack(pool, 'w', LEASE_MS))
      assert.equal(outcome.ok ? null : outcome.failure.code, 'not_found')
      assert.deepEqual(pool.changes, [])
    })
  }
})
