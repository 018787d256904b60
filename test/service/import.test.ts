import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importRecords } from '../../src/service/import.js'
import type { ImportableRecord } from '../../src/store/imports.js'
import type { Store } from '../../src/store/store.js'
import { TEST_NETWORKS } from '../support/networks.js'
import { testKey } from '../support/signing.js'

test('a record that the program trips over is refused alone', async () => {
  const added: string[] = []
  const store = {
    networks: TEST_NETWORKS,
    imports: {
      add: async (batch: readonly ImportableRecord[]) =>
        batch.map(({ type }) => {
          added.push(type)
          return { status: 'fulfilled' as const, value: { status: 'added' as const } }
        }),
    },
  } as unknown as Store
  const invoice = {
    ...{
      id: 'a'.repeat(32),
      owner: 'alice',
      wallet_id: 'w1',
      name: 'Tea',
      amount: '1',
      currency: 'USDT',
      created_at: 1,
    },
  }
  const key = {
    ...{ id: 'b'.repeat(16), owner: 'alice', label: 'till', permissions: 'invoices:create', created_at: 1 },
    public_key: testKey('till').publicKeyHex,
  }
  const engine = {
    isPublicKey: () => {
      throw new Error('a fault of the engine')
    },
  }
  const request = { records: [invoice, key, { ...invoice, id: 'c'.repeat(32) }], nowMs: 2, ofFormerOwners: false }
  assert.deepEqual(await importRecords(store, engine, request), [
    { status: 'added' },
    { status: 'refused', error: 'it cannot be written: a fault of the engine' },
    { status: 'added' },
  ])
  assert.deepEqual(added, ['invoice', 'invoice'])
})

test('an identity with a key that is none is refused: it would speak for nobody, and keep the others from it', async () => {
  const store = { networks: TEST_NETWORKS, ledger: { applyFacts: () => assert.fail('it was imported') } }
  const records = [{ owner: 'alice', isKnown: true, keys: `0x${testKey('alice').publicKeyHex},0x02${'f'.repeat(64)}` }]
  const engine = { isPublicKey: (key: Uint8Array) => !Buffer.from(key).toString('hex').endsWith('f'.repeat(64)) }
  const request = { records, nowMs: 2, ofFormerOwners: false }
  assert.deepEqual(await importRecords(store as unknown as Store, engine, request), [
    { status: 'refused', error: 'keys must be compressed secp256k1 keys' },
  ])
})
