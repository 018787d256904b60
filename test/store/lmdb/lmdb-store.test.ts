import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { describeStore } from '../../contract/store.js'
import { invoiceRequest, registration, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions, openLmdbHarness } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** Others come with each run, and longer ones with the simulation. */
const HISTORIES_SHARE = 0.4

describeStore('LMDB', openLmdbHarness, { share: HISTORIES_SHARE })

test('an LMDB store does not take an id of another time than the creation, from which its queues read it', async () => {
  const directory = temporaryDirectory()
  const options = lmdbStoreOptions(directory.path, new ManualClock())
  const store = await openLmdbStore({ ...options, newId: (nowMs) => options.newId(nowMs + 1) })
  try {
    const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
    await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
    const [fate] = await store.commands.perform([{ type: 'invoice', request: invoiceRequest() }])
    assert.equal(fate?.status, 'rejected')
    assert.deepEqual(store.invoices.page('alice', { after: null, limit: 5 }), { items: [], next: null })
  } finally {
    await store.close()
    directory.remove()
  }
})

test('a revocation in an LMDB store holds for what was asked behind it, in the same commit', async () => {
  const directory = temporaryDirectory()
  const store = await openLmdbStore(lmdbStoreOptions(directory.path, new ManualClock()))
  try {
    const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
    await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
    const { id } = unwrap(await store.keys.register(registration(1)))
    const terms = { authority: { keyId: id, permission: 'invoices:create' } } as const
    const create = (amount: string) =>
      store.commands.perform([{ type: 'invoice', request: invoiceRequest({ amount }), terms }])
    const [before, , after] = await Promise.all([create('1'), store.keys.revoke(id, 'alice'), create('2')])
    const codes = [before, after].map(([fate]) =>
      fate?.status === 'fulfilled' && fate.value.type === 'invoice' && !fate.value.outcome.ok
        ? fate.value.outcome.failure.code
        : 'created',
    )
    assert.deepEqual(codes, ['created', 'api_key_revoked'])
  } finally {
    await store.close()
    directory.remove()
  }
})
