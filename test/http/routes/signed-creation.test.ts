import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../../src/domain/failure.js'
import type { AccessParts } from '../../../src/http/guards.js'
import { invoiceHandlers } from '../../../src/http/routes/invoices.js'
import { registration, unwrap } from '../../support/fixtures.js'
import { openFixture } from '../../support/lmdb-fixture.js'
import { type Reply, ServiceFixture, signedHeaders } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { validAddress } from '../../support/valid-address.js'
import { callRoute, openAccess } from './call-route.js'

const HEADERS = { 'x-service-api-key': 'a key', 'x-service-timestamp': '1', 'x-service-signature': 'a signature' }

test('a key that is revoked after its signature was verified creates nothing any more', async () => {
  const { store, directory, assign, close } = await openFixture()
  await assign('alice', 'w')
  const { publicKey, ...rest } = registration(1)
  const key = unwrap(await store.keys.register({ publicKey, ...rest }))
  let isRevoked = false
  const handlers = invoiceHandlers({
    lists: unlimitedLists(),
    invoices: store.invoices,
    directory,
    basePath: '',
    defaultExpirySeconds: null,
    networks: store.networks,
  })
  const signedRequests: AccessParts['signedRequests'] = {
    ...openAccess.signedRequests,
    authenticate: async () => {
      if (isRevoked) unwrap(await store.keys.revoke(key.id, 'alice'))
      return succeed({ key, authority: { keyId: key.id, permission: 'invoices:create' }, timestamp: '1' })
    },
  }
  const guards = { access: { ...openAccess, signedRequests } }
  const create = async (amount: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ walletIds: ['w'], name: 'Tea', amount })
    const call = { body, headers: { ...HEADERS, ...headers } }
    return (await callRoute(handlers, 'POST', '/api/invoices', call, guards)).status
  }
  assert.equal(await create('1'), 201)
  assert.equal(await create('2', { 'idempotency-key': 'one' }), 201)
  isRevoked = true
  assert.equal(await create('3'), 401)
  assert.equal(await create('4', { 'idempotency-key': 'two' }), 401)
  assert.equal(await create('2', { 'idempotency-key': 'one' }), 401)
  assert.equal(store.invoices.page('alice', { after: null, limit: 9 }).items.length, 2)
  await close()
})

test('a captured creation makes no second invoice, paid or not, whatever is not signed of it', async () => {
  const fixture = await ServiceFixture.start({ BILLHOOK_UNSIGNED: 'off' })
  try {
    const key = testKey('captured')
    const wallet = { id: 'w', address: validAddress('SEP', 'w'), network: 'SEP' }
    await fixture.assign('shop', wallet)
    assert.equal((await fixture.register('shop', key)).status, 201)
    const body = JSON.stringify({ walletIds: ['w'], name: 'Tea', amount: '25' })
    const timestamp = String(Date.now())
    const send = (headers: Readonly<Record<string, string>> = {}, sent = body): Promise<Reply> =>
      fixture.post('/api/invoices', sent, { ...signedHeaders(key, sent, timestamp), ...headers })
    const codeOf = ({ status, json }: Reply) => [status, json.code ?? null]
    const pay = (n: number) => {
      const deposit = { network: 'SEP', txHash: `tx ${n}`, toAddress: wallet.address, currency: null, amount: '25' }
      return fixture.push({
        id: `d ${n}`,
        type: 'deposit.confirmed',
        deposit: { ...deposit, receivedAt: Date.now() + 60_000 },
      })
    }
    assert.deepEqual(codeOf(await send({ 'Idempotency-Key': 'own' })), [201, null])
    assert.deepEqual(codeOf(await send()), [409, 'amount_in_use'])
    await pay(1)
    assert.deepEqual(codeOf(await send()), [409, 'request_repeated'])
    assert.deepEqual(codeOf(await send({ 'Idempotency-Key': 'stolen' })), [409, 'request_repeated'])
    const respelled = { 'X-Service-Api-Key': `0x${key.publicKeyHex.replace(/^0x/, '').toUpperCase()}` }
    assert.deepEqual(codeOf(await send(respelled)), [409, 'request_repeated'])
    // Its own repetition is answered as before, and another body or time is another request.
    assert.equal((await send({ 'Idempotency-Key': 'own' })).status, 201)
    assert.deepEqual(codeOf(await send({}, body.replace('Tea', 'Milk'))), [201, null])
    await pay(2)
    const later = await fixture.createSigned(key, body, String(Number(timestamp) + 1))
    assert.deepEqual(codeOf(later), [201, null])
    assert.equal((await fixture.get('/api/users/shop/invoices')).json.length, 3)
  } finally {
    await fixture.stop()
  }
})
