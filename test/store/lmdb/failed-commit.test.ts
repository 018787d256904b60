import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WalletCommand } from '../../../src/store/commands.js'
import { lockDirectory } from '../../../src/store/lmdb/file/directory-lock.js'
import { prepareSchema } from '../../../src/store/lmdb/file/schema.js'
import { type LmdbStore, storeOn } from '../../../src/store/lmdb/lmdb-store.js'
import { openEnvironment } from '../../../src/store/lmdb/tables/tables.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import {
  depositFact,
  type InvoiceFields,
  invoiceRequest,
  refusalOf,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** A store on LMDB whose commits fail while the test says so, after everything in them was done. */
interface FailingStore {
  readonly store: LmdbStore
  isFailing: boolean
}

async function withFailingStore(run: (t: FailingStore) => Promise<void>): Promise<void> {
  const directory = temporaryDirectory()
  const root = openEnvironment(directory.path)
  const tables = await prepareSchema(root, directory.path)
  const transaction = root.transaction.bind(root)
  const failing: { isFailing: boolean } = { isFailing: false }
  // The real transaction, undone at its end as LMDB undoes one that it cannot write.
  root.transaction = async <T>(work: () => T): Promise<T> =>
    transaction(() =>
      root.childTransaction(() => {
        const result = work()
        if (failing.isFailing) throw new Error('no space left')
        return result
      }),
    )
  const store = storeOn(tables, lockDirectory(directory.path), {
    ...lmdbStoreOptions(directory.path, new ManualClock()),
    birth: { id: 'a1', bornAt: 1 },
  })
  try {
    await run(Object.assign(failing, { store }))
  } finally {
    await store.close()
    directory.remove()
  }
}

function create(fields: InvoiceFields): WalletCommand {
  return { type: 'invoice', request: invoiceRequest({ callbackUrl: 'https://example.com/', ...fields }) }
}

describe('a commit that fails', () => {
  test('makes no room for another set of wallets', () =>
    withFailingStore(async (t) => {
      const { store } = t
      const others = Array.from({ length: 7 }, (_, n) => `other-${n}`)
      const facts = ['wallet-1', ...others].flatMap((id) => [walletCreated(id), walletAssigned(id, 'alice')])
      await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
      const createOn = async (n: number) => {
        const walletIds = ['wallet-1', ...others.filter((_, bit) => (n & (1 << bit)) !== 0)]
        const [fate] = await store.commands.perform([create({ amount: `${n}`, walletIds })])
        assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice')
        return fate.value.outcome
      }
      const ids: string[] = []
      for (let n = 1; n <= 64; n += 1) ids.push(unwrap(await createOn(n)).id)
      t.isFailing = true
      const [voided] = await store.commands.perform([{ type: 'void', invoiceId: ids[0] ?? '', owner: 'alice' }])
      assert.equal(voided?.status, 'rejected')
      t.isFailing = false
      await t.store.probeWrite()
      assert.equal(refusalOf(await createOn(65)), 'too_many_wallet_sets')
    }))

  test('leaves nothing behind, in the tables or in memory', () =>
    withFailingStore(async (t) => {
      const { store } = t
      const facts = [
        walletCreated('wallet-1'),
        walletAssigned('wallet-1', 'alice'),
        walletCreated('wallet-2'),
        walletAssigned('wallet-2', 'bob'),
      ]
      await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))

      t.isFailing = true
      const refused = await Promise.all([
        store.commands.perform([create({ owner: 'alice', walletIds: ['wallet-1'], reference: 'one' })]),
        store.ledger.applyFacts([{ eventId: 'e', fact: walletAssigned('wallet-9', 'carol') }]),
        store.commands.perform([{ type: 'deposit', eventId: 'd', fact: depositFact('confirmed') }]),
        store.commands.perform([create({ owner: 'carol', walletIds: ['wallet-9'], reference: 'three' })]),
      ])
      for (const fate of refused.flat()) {
        assert.ok(fate.status === 'rejected' && fate.reason instanceof StorageUnavailable)
      }
      assert.equal(store.invoices.findByReference('one'), undefined)
      assert.equal(store.identities.isKnown('carol'), false)

      // Whatever was numbered in the failed commit gets its number again, and for something else.
      t.isFailing = false
      await t.store.probeWrite()
      const [bobs] = await store.commands.perform([create({ owner: 'bob', walletIds: ['wallet-2'], reference: 'two' })])
      assert.equal(bobs?.status, 'fulfilled')
      await store.commands.perform([create({ owner: 'alice', walletIds: ['wallet-1'], reference: 'one' })])
      await store.ledger.applyFacts([{ eventId: 'e', fact: walletAssigned('wallet-8', 'dave') }])
      assert.deepEqual(
        [store.invoices.findByReference('two'), store.invoices.findByReference('one')].map((one) => [
          one?.owner,
          one?.wallet_ids,
        ]),
        [
          ['bob', 'wallet-2'],
          ['alice', 'wallet-1'],
        ],
      )
      assert.deepEqual(
        store.wallets.page('dave', { after: null, limit: 5 }).items.map(({ id }) => id),
        ['wallet-8'],
      )
      const [deposited] = await store.commands.perform([
        { type: 'deposit', eventId: 'd', fact: depositFact('confirmed') },
      ])
      assert.ok(deposited?.status === 'fulfilled' && deposited.value.type === 'deposit')
      assert.equal(deposited.value.owed.length, 2)
      await store.ledger.applyFacts([{ eventId: 'f', fact: walletAssigned('wallet-9', 'carol') }])
      await store.ledger.applyFacts([{ eventId: null, fact: walletCreated('wallet-9') }])
      await store.commands.perform([create({ owner: 'carol', walletIds: ['wallet-9'], reference: 'three' })])
      const ofEach = ['carol', 'dave'].map((owner) => store.invoices.page(owner, { after: null, limit: 5 }).items)
      assert.deepEqual(
        ofEach.map((items) => items.map(({ reference }) => reference)),
        [['three'], []],
      )
      const alices = store.invoices.findByReference('one')
      assert.equal(store.invoices.findWithPayment(alices?.id ?? '')?.payment.received, '100')
    }))

  test('leaves a wallet with whom it was before', () =>
    withFailingStore(async (t) => {
      const { store } = t
      const facts = [walletCreated('wallet-1'), walletCreated('wallet-2'), walletAssigned('wallet-1', 'alice')]
      await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
      t.isFailing = true
      await Promise.all([
        store.ledger.applyFacts([{ eventId: 'a', fact: walletAssigned('wallet-2', 'alice') }]),
        store.commands.perform([create({ owner: 'alice', walletIds: ['wallet-1', 'wallet-2'] })]),
      ])
      t.isFailing = false
      await t.store.probeWrite()
      for (const [walletId, ok] of [
        ['wallet-1', true],
        ['wallet-2', false],
      ] as const) {
        const [fate] = await store.commands.perform([create({ owner: 'alice', walletIds: [walletId] })])
        assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice', walletId)
        assert.equal(fate.value.outcome.ok, ok, walletId)
      }
    }))
})
