import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../../src/domain/failure.js'
import { InProgress } from '../../../src/http/in-progress.js'
import { invoiceRoutes } from '../../../src/http/routes/invoices.js'
import { registration, unwrap } from '../../support/fixtures.js'
import { openFixture } from '../../support/lmdb-fixture.js'
import { callRoute } from './call-route.js'

const HEADERS = { 'x-service-api-key': 'a key', 'x-service-timestamp': '1', 'x-service-signature': 'a signature' }

test('a key that is revoked after its signature was verified creates nothing any more', async () => {
  const { store, directory, assign, close } = await openFixture()
  await assign('alice', 'w')
  const { publicKey, ...rest } = registration(1)
  const key = unwrap(await store.registerApiKey({ publicKey, ...rest }))
  let isRevoked = false
  const routes = invoiceRoutes({
    store,
    directory,
    allowsUnsigned: () => false,
    inProgress: new InProgress(),
    basePath: '',
    defaultExpirySeconds: null,
    signedRequests: {
      authenticate: async () => {
        if (isRevoked) unwrap(await store.revokeApiKey(key.id, 'alice'))
        return succeed({ key, authority: { publicKey, permission: 'invoices:create' } })
      },
    },
  })
  const create = async (amount: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ walletIds: ['w'], name: 'Tea', amount })
    return (await callRoute(routes, 'POST', '/api/invoices', { body, headers: { ...HEADERS, ...headers } })).status
  }
  assert.equal(await create('1'), 201)
  assert.equal(await create('2', { 'idempotency-key': 'one' }), 201)
  isRevoked = true
  assert.equal(await create('3'), 401)
  assert.equal(await create('4', { 'idempotency-key': 'two' }), 401)
  assert.equal(await create('2', { 'idempotency-key': 'one' }), 401)
  assert.equal(store.invoices('alice', { after: null, limit: 9 }).items.length, 2)
  await close()
})
