import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ownOrigin, type UnsignedMode, unsignedPath } from '../../../src/http/guards/browsers.js'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'
import { headFrom } from '../head-from.js'

const OWNER = 'shop'
const KEY = testKey('unsigned path')
const WALLET = { id: 'unsigned-wallet', address: '0xabcd000000000000000000000000000000000021', network: 'SEP' }
const PUBLIC_URL = 'https://pay.example/billhook'
const CROSS_SITE = [403, 'A page of another origin must not do this.', 'cross_site'] as const
const MISSING = [401, 'Missing API key auth headers.', 'missing_auth_headers'] as const

const FROM_OWN_PAGE = { Origin: 'https://pay.example', 'Content-Type': 'application/json' }

const rows: readonly (readonly [headers: Readonly<Record<string, string>>, sameOrigin: boolean])[] = [
  [{}, false],
  [{ origin: 'https://pay.example' }, true],
  [{ origin: 'https://pay.example', 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'null' }, false],
  [{ origin: '' }, false],
  [{ origin: 'http://pay.example' }, false],
  [{ origin: 'https://pay.example:8443' }, false],
  [{ origin: 'https://pay.example.evil.example' }, false],
  [{ origin: 'https://pay.example, https://pay.example' }, false],
  [{ origin: 'https://pay.example/billhook' }, false],
]

describe('the unsigned path', () => {
  for (const [headers, isAllowed] of rows) {
    test(`same-origin ${isAllowed ? 'takes' : 'refuses'} ${JSON.stringify(headers)}`, () => {
      const allowed = (mode: UnsignedMode) => unsignedPath(mode, ownOrigin(PUBLIC_URL))(headFrom('192.0.2.1', headers))
      assert.equal(allowed('same-origin'), isAllowed)
      assert.equal(allowed('on'), true)
      assert.equal(allowed('off'), false)
    })
  }
})

for (const mode of ['same-origin', 'off'] as const) {
  describe(`the service with BILLHOOK_UNSIGNED=${mode}`, () => {
    let fixture: ServiceFixture
    before(async () => {
      fixture = await ServiceFixture.start({ BILLHOOK_UNSIGNED: mode, BILLHOOK_PUBLIC_URL: PUBLIC_URL })
      await fixture.assign(OWNER, WALLET)
      assert.equal((await fixture.register(OWNER, KEY)).status, 201)
    })
    after(() => fixture.stop())

    const body = (amount: string) => ({ walletIds: [WALLET.id], name: 'Order', amount })
    const invoices = async () => (await fixture.get(`/api/users/${OWNER}/invoices`)).json.length

    test('creates nothing for a request that is not signed, whatever its body', async () => {
      for (const sent of [{ ...body('1'), owner: OWNER }, {}, 'no JSON']) {
        assertRefused(await fixture.post('/api/invoices', sent), ...MISSING)
        const foreign = { Origin: 'https://evil.example', 'Content-Type': 'application/json' }
        assertRefused(await fixture.post('/api/invoices', sent, foreign), ...CROSS_SITE)
      }
      assert.equal(await invoices(), 0)
    })

    test('takes signed requests as ever', async () => {
      assert.equal((await fixture.createSigned(KEY, body('2'))).status, 201)
    })

    test(`${mode === 'off' ? 'refuses' : 'takes'} an unsigned request of its own pages`, async () => {
      const was = await invoices()
      const sent = { ...body('3'), owner: OWNER }
      const reply = await fixture.post('/api/invoices', sent, { ...FROM_OWN_PAGE })
      if (mode === 'off') assertRefused(reply, ...MISSING)
      else assert.equal(reply.status, 201, reply.text)
      assert.equal(await invoices(), was + (mode === 'off' ? 0 : 1))
    })

    test('lets no header of its own pages replace a signature that is there but wrong', async () => {
      const forged = {
        ...FROM_OWN_PAGE,
        'X-Service-Api-Key': KEY.publicKeyHex,
        'X-Service-Timestamp': String(Date.now()),
        'X-Service-Signature': 'MAYCAQECAQE=',
      }
      const reply = await fixture.post('/api/invoices', { ...body('4'), owner: OWNER }, forged)
      assertRefused(reply, 401, 'Invalid signature.', 'invalid_signature')
    })
  })
}
