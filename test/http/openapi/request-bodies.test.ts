import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gatewayHeaders, ServiceFixture } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'
import { validAddress } from '../../support/valid-address.js'
import { Contract } from './contract.js'

/*
 * The service checks bodies by code, the document describes them by schemas. Here every field gets values of every kind:
 * what the schema forbids must be refused because of the body, and what it allows must not be. Where they differ on purpose,
 * `differs` says so.
 */

const OWNER = 'somebody'
const WALLET = { id: 'w-1', address: validAddress('SEP', 'w-1'), network: 'SEP' }

/** Values that any field may get. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, {}, [], [null], [1], [''], ['x'], '', ' ', 'x', '\ufeff', '\u0000', 'é', '😀', '\ud800'],
  ...[0, 1, -1, 59, 60, 61, 0.5, 1e-9, -0, 31_536_000, 31_536_001, 604_800, 604_801, 2 ** 53, 60.5],
  ...[
    '1',
    '0',
    '00',
    '0.0',
    '.0',
    '.5',
    '5.',
    '.',
    '1.5',
    '-1',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '0x1',
    '٣',
    '1.0000000000000000000',
  ],
  ...[
    '9'.repeat(60),
    '9'.repeat(61),
    '0'.repeat(61),
    `.${'1'.repeat(18)}`,
    `.${'1'.repeat(19)}`,
    `1.${'0'.repeat(98)}`,
  ],
  ...[`1.${'0'.repeat(99)}`, `.${'1'.repeat(18)}${'0'.repeat(80)}`, '1.5.5', '1\n'],
  ...[
    'native',
    'USDT',
    'usdt',
    'Native',
    'EUR',
    'specified',
    'with-invoice',
    'pending',
    'confirmed',
    'SEP',
    'sep',
    'TRX-NILE',
  ],
  ...['x'.repeat(128), 'x'.repeat(129), ` ${'x'.repeat(128)} `, '😀'.repeat(128), '😀'.repeat(129), ' y '],
  ...[
    'http://x',
    'https://x/y?z#a',
    'HTTP://X',
    'httpS://é',
    'ftp://x',
    'http:/x',
    'http:x',
    '//x',
    'x.example',
    'http://x y',
  ],
  ...[
    'http://x\\y',
    `http://x/${'y'.repeat(2039)}`,
    `http://x/${'y'.repeat(2040)}`,
    ' http://x',
    'javascript:alert(1)',
  ],
  ...[['invoices:create'], ['x', 'payments:send'], ['Invoices:create'], ['w-1'], ['w-1', 'w-1']],
  ...[Array(50).fill('w-1'), Array(51).fill('w-1'), ['w-1', null], testKey('body').publicKeyHex],
  ...[
    `0x${testKey('body').publicKeyHex}`,
    `0X${testKey('body').publicKeyHex.toUpperCase()}`,
    `${testKey('body').publicKeyHex}0`,
  ],
  ...[`04${testKey('body').publicKeyHex.slice(2)}`, testKey('body').publicKeyHex.slice(2), WALLET.address],
]

interface BodyCase {
  readonly tag: string
  readonly path: string
  /** A body that is accepted. */
  readonly good: Readonly<Record<string, unknown>>
  /** Fields of it that must be new each time. */
  readonly fresh?: () => Readonly<Record<string, unknown>>
  /** The fields that get values, and those that may be absent. */
  readonly fields: readonly string[]
  /** The codes of refusals because of the body. Whatever else is answered, the body was well-formed. */
  readonly refusals: readonly string[]
  /** Why schema and service judge a value differently; undefined if they must not. */
  readonly differs?: (field: string, value: unknown) => string | undefined
}

/** Keys made so far. */
let made = 0

const EMPTY = 'an empty text counts as absent'
const BEYOND_PATTERNS = 'a pattern cannot say what a URL is'

const CASES: readonly BodyCase[] = [
  {
    tag: 'POST /api/invoices',
    path: '/api/invoices',
    good: { owner: OWNER, walletIds: ['w-1'], name: 'Order', amount: '1' },
    fields: [
      ...['owner', 'walletIds', 'name', 'amount', 'currency', 'description', 'reference', 'callbackUrl'],
      ...['returnUrl', 'orderNumber', 'metadata', 'expiresInSeconds'],
    ],
    refusals: [
      ...['invalid_invoice', 'invalid_return_url', 'invalid_order_number', 'invalid_metadata', 'invalid_expiry'],
      ...['unsupported_currency', 'invalid_callback_url'],
    ],
    differs: (field, value) => {
      if (value === '' && field === 'currency') return EMPTY
      if (value === undefined && field === 'owner') return 'a signed request needs none'
      return (field === 'callbackUrl' || field === 'returnUrl') && value === 'http://x y' ? BEYOND_PATTERNS : undefined
    },
  },
  {
    tag: 'POST /api/orders',
    path: '/api/orders',
    good: {
      owner: OWNER,
      price: { amount: '9', currency: 'EUR' },
      options: [{ walletIds: ['w-1'], amount: '1' }],
      name: 'Order',
    },
    fields: [
      ...['owner', 'price', 'options', 'name', 'description', 'reference', 'callbackUrl', 'returnUrl', 'orderNumber'],
      ...['metadata', 'expiresInSeconds'],
    ],
    refusals: [
      ...['invalid_order', 'invalid_price', 'invalid_options', 'unsupported_currency', 'invalid_return_url'],
      ...['invalid_order_number', 'invalid_metadata', 'invalid_expiry', 'invalid_callback_url'],
    ],
    differs: (field, value) => {
      if (value === undefined && field === 'owner') return 'a signed request needs none'
      return (field === 'callbackUrl' || field === 'returnUrl') && value === 'http://x y' ? BEYOND_PATTERNS : undefined
    },
  },
  {
    tag: 'POST /api/orders/:id/void',
    path: `/api/orders/${'0'.repeat(32)}/void`,
    good: { owner: OWNER },
    fields: ['owner'],
    refusals: ['owner_required'],
  },
  {
    tag: 'POST /api/orders/:id/accept',
    path: `/api/orders/${'0'.repeat(32)}/accept`,
    good: { owner: OWNER },
    fields: ['owner'],
    refusals: ['owner_required'],
  },
  {
    tag: 'POST /api/invoices/:id/void',
    path: `/api/invoices/${'0'.repeat(32)}/void`,
    good: { owner: OWNER },
    fields: ['owner'],
    refusals: ['owner_required'],
  },
  {
    tag: 'POST /api/invoices/:id/accept',
    path: `/api/invoices/${'0'.repeat(32)}/accept`,
    good: { owner: OWNER },
    fields: ['owner'],
    refusals: ['owner_required'],
  },
  {
    tag: 'POST /api/api-keys',
    path: '/api/api-keys',
    good: { owner: OWNER, label: 'x', publicKey: testKey('body').publicKeyHex, permissions: ['invoices:create'] },
    fresh: () => ({ publicKey: testKey(`body ${made++}`).publicKeyHex }),
    fields: ['owner', 'label', 'publicKey', 'permissions', 'ttlDays'],
    refusals: ['invalid_api_key_registration'],
    differs: (field, value) =>
      field === 'ttlDays' && typeof value === 'number' && value > 1e8 ? 'no such date exists' : undefined,
  },
  {
    tag: 'POST /api/api-keys/:id/revoke',
    path: `/api/api-keys/${'0'.repeat(16)}/revoke`,
    good: { owner: OWNER },
    fields: ['owner'],
    refusals: ['owner_required'],
  },
  {
    tag: 'PUT /api/users/:id/webhook',
    path: `/api/users/${OWNER}/webhook`,
    good: { callbackUrl: 'https://shop.example/' },
    fields: ['callbackUrl', 'payload', 'types'],
    refusals: ['invalid_callback_url', 'invalid_payload', 'invalid_types'],
  },
  {
    tag: 'POST /api/users/:id/webhook/rotate',
    path: `/api/users/${OWNER}/webhook/rotate`,
    good: {},
    fields: ['overlapSeconds'],
    refusals: ['invalid_overlap'],
  },
  {
    tag: 'POST /internal/events',
    path: '/internal/events',
    good: { events: [{ id: 'e', type: 'identity.onboarded', identity: 'x' }] },
    fields: ['events'],
    refusals: ['invalid_events'],
    differs: (_field, value) =>
      Array.isArray(value) && value.length > 0 ? 'a bad event is rejected alone' : undefined,
  },
  {
    tag: 'POST /internal/rates',
    path: '/internal/rates',
    good: { at: Date.now(), rates: { EUR: { USDT: '0.92' } } },
    fields: ['at', 'rates'],
    refusals: ['invalid_rates'],
    differs: (field, value) => (field === 'at' && Number.isInteger(value) ? 'it depends on the clock' : undefined),
  },
  {
    tag: 'POST /sandbox/rates',
    path: '/sandbox/rates',
    good: { rates: { EUR: { USDT: '0.92' } } },
    fields: ['rates'],
    refusals: ['invalid_rates'],
  },
  {
    tag: 'POST /sandbox/deposits',
    path: '/sandbox/deposits',
    good: { address: WALLET.address, amount: '1', kind: 'pending' },
    fields: ['address', 'invoiceId', 'amount', 'currency', 'network', 'txHash', 'receivedAt', 'kind'],
    refusals: ['invalid_sandbox_deposit'],
    differs: (field, value) => {
      if (typeof value === 'string' && ['address', 'invoiceId', 'amount'].includes(field))
        return 'it depends on the data'
      if (field === 'network' && value === 'TRX-NILE') return 'the address is of another network'
      if (['address', 'amount'].includes(field) && value === null) return 'one of two fields is needed'
      if (field === 'txHash' && String(value).length > 128) return 'the network has no such hash'
      return field === 'receivedAt' && typeof value === 'number' && value < 0 ? 'no such date exists' : undefined
    },
  },
]

describe('bodies', () => {
  const contract = new Contract()
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_RATES: 'push' })
    await fixture.assign(OWNER, WALLET)
  })
  after(() => fixture.stop())

  /** The code of the answer, null for a success. */
  async function send(path: string, method: string, value: unknown): Promise<string | null> {
    const body = JSON.stringify(value)
    const headers = path.startsWith('/internal/') ? gatewayHeaders(String(Date.now()), body) : {}
    const { status, json } = await fixture.call(method, path, { body, headers })
    return status < 400 ? null : json.code
  }

  for (const { tag, path, good, fields, refusals, fresh = () => ({}), differs = () => undefined } of CASES) {
    const [method = ''] = tag.split(' ')
    test(`of ${tag} are refused if the document forbids them, and only then`, async () => {
      const properties = contract.operation(tag).requestBody?.content['application/json']?.schema['properties']
      assert.deepEqual(Object.keys(properties ?? {}).sort(), [...fields].sort(), 'the fields of the document')
      const flaws: string[] = []
      const compare = async (field: string, body: Readonly<Record<string, unknown>>) => {
        // What JSON cannot say arrives as null.
        const sent = JSON.parse(JSON.stringify(body))
        const forbidden = contract.flawOfBody(tag, sent)
        const code = await send(path, method, sent)
        const refused = code !== null && refusals.includes(code)
        if (refused === (forbidden !== null) || differs(field, sent[field]) !== undefined) return
        flaws.push(`${field} ${JSON.stringify(sent[field])?.slice(0, 80)}: ${code}, the document: ${forbidden}`)
      }
      await compare('', good)
      for (const field of fields) {
        const { [field]: _, ...without } = good
        if (!(tag.startsWith('POST /sandbox') && field in good)) await compare(field, without)
        for (const value of VALUES) await compare(field, { ...good, ...fresh(), [field]: value })
      }
      assert.deepEqual(flaws, [])
    })
  }

  test('of every operation that has one are among these', () => {
    const withBody = contract.tags.filter((tag) => contract.operation(tag).requestBody !== undefined)
    // A ledger node takes whatever is JSON.
    const compared = [...CASES.map(({ tag }) => tag), 'POST /sandbox/ledger']
    assert.deepEqual(withBody.sort(), compared.sort())
  })
})
