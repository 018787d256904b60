import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { assertRefused, ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'

const WALLET = { id: 'w', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
const KEY = testKey('merchant')

/** The same path on every engine that a setting can choose. */
for (const http of HTTP_ENGINES) {
  const engine = http === 'uws' ? 'libsecp256k1' : 'noble'
  describe(`the service on ${http} and ${engine}`, () => {
    test('creates signed invoices, refuses forged ones, counts a deposit, lists and stops', async () => {
      const fixture = await ServiceFixture.start({ BILLHOOK_HTTP: http, BILLHOOK_VERIFY_ENGINE: engine })
      await fixture.assign('shop', WALLET)
      assert.equal((await fixture.register('shop', KEY)).status, 201)
      const body = { walletIds: [WALLET.id], name: 'Order', amount: '2.5', currency: 'USDT', reference: 'r' }
      const created = await fixture.createSigned(KEY, body)
      assert.equal(created.status, 201, created.text)
      const forged = await fixture.post('/api/invoices', JSON.stringify(body), {
        'X-Service-Api-Key': KEY.publicKeyHex,
        'X-Service-Timestamp': String(Date.now()),
        'X-Service-Signature': 'MAYCAQECAQE=',
      })
      assertRefused(forged, 401, 'Invalid signature.', 'invalid_signature')
      const deposit = {
        network: 'SEP',
        txHash: '0xfeed',
        toAddress: WALLET.address.toUpperCase().replace('0X', '0x'),
        currency: 'Tether',
        amount: '2500000',
        receivedAt: Date.now() + 1000,
      }
      await fixture.push({ id: 'e', type: 'deposit.confirmed', deposit })
      const shown = await fixture.get(`/api/invoices/${created.json.id}`)
      assert.deepEqual(shown.json.payment, {
        status: 'paid',
        received: '2.5',
        pending: '0',
        remaining: '0',
        overpaid: '0',
        own: '2.5',
      })
      const page = await fixture.get(`/pay/${created.json.id}`)
      assert.equal(page.status, 200)
      assert.ok(page.text.includes('Paid. Nothing more is due.'))
      const missing = await fixture.get(`/pay/${'0'.repeat(32)}`)
      assert.equal(missing.status, 404)
      assert.ok(missing.text.includes('<h1>Invoice not found</h1>'))
      for (let n = 0; n < 250; n += 1) {
        const reply = await fixture.post('/api/invoices', {
          ...body,
          owner: 'shop',
          amount: `${n + 10}`,
          reference: null,
        })
        assert.equal(reply.status, 201, reply.text)
      }
      assert.equal((await fixture.get('/api/users/shop/invoices?include=payment')).json.length, 251)
      await fixture.stop()
    })
  })
}
