import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertRefused, type Reply, ServiceFixture, signedHeaders } from '../../support/service-fixture.js'
import { testKey } from '../../support/signing.js'

const OWNER = 'merchant'
const KEY = testKey('merchant')
const SHAPE = 'Missing owner, walletIds or name, or a non-positive amount.'
const SEP = { id: 'sep-wallet', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const TRX = { id: 'trx-wallet', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', network: 'TRX-NILE' }
const FOREIGN = { id: 'foreign-wallet', address: '0xabcd000000000000000000000000000000000002', network: 'SEP' }

let fixture: ServiceFixture
let amounts = 0

before(async () => {
  fixture = await ServiceFixture.start()
  await fixture.assign(OWNER, SEP, TRX)
  await fixture.assign('somebody else', FOREIGN)
  assert.equal((await fixture.register(OWNER, KEY)).status, 201)
})
after(() => fixture.stop())

/** A body that is right, with an amount that no other invoice of this file asks. */
function rightBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  amounts += 1
  return { owner: OWNER, walletIds: [SEP.id], name: 'Order', amount: `${amounts}.25`, currency: 'USDT', ...more }
}

/** Everything that the API shows of the owner. A refusal must not change it. */
async function state(): Promise<string> {
  const paths = ['invoices?include=payment', 'wallets', 'api-keys', 'webhook']
  const replies = await Promise.all(paths.map((path) => fixture.get(`/api/users/${OWNER}/${path}`)))
  return replies.map((reply) => reply.text).join('\n')
}

async function refused(send: () => Promise<Reply>, status: number, error: string, code: string): Promise<void> {
  const was = await state()
  assertRefused(await send(), status, error, code)
  assert.equal(await state(), was)
}

describe('POST /api/invoices creates', () => {
  test('an invoice of the identity of the key, whatever owner the body names', async () => {
    const reply = await fixture.createSigned(
      KEY,
      rightBody({ owner: 'somebody else', reference: 'order 1', description: '' }),
    )
    assert.equal(reply.status, 201)
    const { id, url } = reply.json
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.deepEqual(reply.json, { id, url: `/pay/${id}` })
    assert.equal(url, `/pay/${id}`)
    assert.equal(reply.headers.get('location'), `/api/invoices/${id}`)
    const shown = await fixture.get(`/api/invoices/${id}`)
    assert.equal(shown.status, 200)
    const { created_at, ...rest } = shown.json
    assert.ok(Math.abs(Date.now() - created_at) < 60_000)
    assert.deepEqual(rest, {
      id,
      owner: OWNER,
      wallet_id: SEP.id,
      wallet_ids: SEP.id,
      name: 'Order',
      description: null,
      reference: 'order 1',
      amount: `${amounts}.25`,
      currency: 'USDT',
      callback_url: null,
      payment: { status: 'unpaid', received: '0', pending: '0', remaining: `${amounts}.25`, overpaid: '0', own: '0' },
      voided_at: null,
      accepted_at: null,
      expires_at: null,
      returnUrl: null,
      orderNumber: null,
      metadata: null,
    })
    const [first] = (await fixture.get(`/api/users/${OWNER}/invoices`)).json
    const { payment, voided_at: _, accepted_at: __, expires_at: ___, returnUrl: ____, ...others } = shown.json
    const { orderNumber, metadata, ...record } = others
    assert.deepEqual([payment.status, orderNumber, metadata], ['unpaid', null, null])
    assert.deepEqual(first, record)
  })

  test('an unsigned invoice of the owner in the body, defaults filled in, text trimmed and truncated', async () => {
    const reply = await fixture.post('/api/invoices', {
      owner: ` ${OWNER} `,
      walletIds: [TRX.id, SEP.id, TRX.id],
      name: `  ${'𝒩'.repeat(81)}  `,
      description: ` ${'d'.repeat(501)} `,
      reference: ` ${'r'.repeat(90)}`,
      amount: '000.5000',
      callbackUrl: 'https://shop.example/hook?a=b',
      unknown: 'ignored',
    })
    assert.equal(reply.status, 201, reply.text)
    const { json } = await fixture.get(`/api/invoices/${reply.json.id}`)
    assert.equal(json.owner, OWNER)
    assert.equal(json.wallet_id, TRX.id)
    assert.equal(json.wallet_ids, `${TRX.id},${SEP.id}`)
    assert.equal(json.name, '𝒩'.repeat(80))
    assert.equal(json.description, 'd'.repeat(500))
    assert.equal(json.reference, ` ${'r'.repeat(79)}`)
    assert.equal(json.amount, '000.5000')
    assert.equal(json.currency, 'native')
    assert.equal(json.callback_url, 'https://shop.example/hook?a=b')
    assert.equal(json.payment.remaining, '0.5')
  })

  test('what it says of its order, shown beside the specified record and never in the plain list', async () => {
    const metadata = '{"__proto__": "p", "constructor": "c", "a": "\\u001b[31m<b>\\ud800"}'
    const order = `"returnUrl": "https://shop.example/?a=\\ud800", "orderNumber": "${'n'.repeat(79)}\\ud83d\\ude00x", "metadata": ${metadata}`
    const body = `{"owner":"${OWNER}","walletIds":["${SEP.id}"],"name":"n","amount":"77002",${order}}`
    const reply = await fixture.post('/api/invoices', body)
    assert.equal(reply.status, 201, reply.text)
    const expected = {
      returnUrl: 'https://shop.example/?a=\ufffd',
      orderNumber: `${'n'.repeat(79)}\u{1f600}`,
      metadata: JSON.parse('{"__proto__": "p", "constructor": "c", "a": "\\u001b[31m<b>\ufffd"}'),
    }
    const told = ({ returnUrl, orderNumber, metadata: kept }: Record<string, unknown>) => ({
      ...{ returnUrl, orderNumber, metadata: kept },
    })
    const shown = (await fixture.get(`/api/invoices/${reply.json.id}`)).json
    assert.deepEqual(told(shown), expected)
    assert.equal(Object.getPrototypeOf(shown.metadata), Object.prototype)
    const [paid] = (await fixture.get(`/api/users/${OWNER}/invoices?include=payment&limit=1`)).json
    assert.deepEqual(paid, shown)
    const [plain] = (await fixture.get(`/api/users/${OWNER}/invoices?limit=1`)).json
    assert.equal(plain.id, shown.id)
    for (const name of Object.keys(expected)) assert.equal(name in plain, false, name)
    const events = (await fixture.get(`/api/users/${OWNER}/events?limit=1000`)).json
    assert.deepEqual(told(events.find(({ invoiceId }: { invoiceId: string }) => invoiceId === shown.id)), expected)
  })

  test('the same invoice for a repeated idempotency key, and another one only for other bytes', async () => {
    const body = JSON.stringify(rightBody({ metadata: { a: '1', b: '2' }, orderNumber: '7' }))
    const swapped = body.replace('{"a":"1","b":"2"}', '{"b":"2","a":"1"}')
    const post = (text: string) => fixture.post('/api/invoices', text, { 'Idempotency-Key': 'with-an-order' })
    const first = await post(body)
    assert.equal(first.status, 201, first.text)
    assert.deepEqual((await post(body)).json, first.json)
    assert.equal((await post(swapped)).json.code, 'idempotency_key_reused')
  })

  test('lone surrogates become U+FFFD, also where a truncation would cut a pair', async () => {
    const body = `{"owner":"${OWNER}","walletIds":["${SEP.id}"],"name":"a\\ud800b","description":"\\udc00","reference":"${'x'.repeat(79)}\\ud83d","amount":"77001"}`
    const reply = await fixture.post('/api/invoices', body)
    assert.equal(reply.status, 201, reply.text)
    const { json } = await fixture.get(`/api/invoices/${reply.json.id}`)
    assert.deepEqual([json.name, json.description, json.reference], ['a\ufffdb', '\ufffd', `${'x'.repeat(79)}\ufffd`])
  })

  test('an invoice, and says in a header when it expires, if it does', async () => {
    const expiring = await fixture.post('/api/invoices', rightBody({ expiresInSeconds: 60 }))
    assert.deepEqual(Object.keys(expiring.json), ['id', 'url'])
    const { json } = await fixture.get(`/api/invoices/${expiring.json.id}`)
    assert.equal(expiring.headers.get('Invoice-Expires-At'), String(json.created_at + 60_000))
    const lasting = await fixture.post('/api/invoices', rightBody({}))
    assert.deepEqual([lasting.status, lasting.headers.get('Invoice-Expires-At')], [201, null])
  })

  test('null and empty optional fields mean absent', async () => {
    for (const nothing of [null, '']) {
      const body = rightBody({ description: nothing, reference: nothing, callbackUrl: nothing, currency: nothing })
      const reply = await fixture.post('/api/invoices', body)
      assert.equal(reply.status, 201, reply.text)
      const { json } = await fixture.get(`/api/invoices/${reply.json.id}`)
      assert.deepEqual(
        [json.description, json.reference, json.callback_url, json.currency],
        [null, null, null, 'native'],
      )
    }
  })

  test('amounts at the bounds', async () => {
    for (const amount of ['.5', '0.000000000000000001', '9'.repeat(60), `1.${'0'.repeat(30)}`, '12.340']) {
      const reply = await fixture.post('/api/invoices', rightBody({ amount, walletIds: [TRX.id] }))
      assert.equal(reply.status, 201, `${amount}: ${reply.text}`)
    }
  })
})

describe('POST /api/invoices refuses with 400', () => {
  const shapes: readonly [string, Record<string, unknown>][] = [
    ['no owner', { owner: undefined }],
    ['an empty owner', { owner: '  ' }],
    ['an owner that is a number', { owner: 7 }],
    ['an owner of 129 characters', { owner: 'o'.repeat(129) }],
    ['no walletIds', { walletIds: undefined }],
    ['walletIds that are a string', { walletIds: SEP.id }],
    ['no wallet', { walletIds: [] }],
    ['an empty wallet id', { walletIds: [''] }],
    ['a wallet id that is a number', { walletIds: [SEP.id, 1] }],
    ['51 wallets', { walletIds: Array.from({ length: 51 }, (_, n) => `w${n}`) }],
    ['no name', { name: undefined }],
    ['an empty name', { name: ' \t ' }],
    ['a name that is an array', { name: ['Order'] }],
    ['a description that is an object', { description: {} }],
    ['a reference that is a number', { reference: 5 }],
    ['a reference that is false', { reference: false }],
    ['no amount', { amount: undefined }],
    ...(
      [
        '1e3',
        '0x10',
        '-1',
        '+1',
        '0',
        '0.00',
        '0.0000000000000000001',
        ' 1',
        '1 ',
        '1.',
        '.',
        '',
        '1,5',
        '1_000',
        '١',
        'NaN',
        'Infinity',
        '9'.repeat(61),
        '1'.repeat(80),
        10,
        0.5,
        null,
        true,
        ['1'],
      ] as const
    ).map((amount): [string, Record<string, unknown>] => [`the amount ${JSON.stringify(amount)}`, { amount }]),
  ]
  for (const [what, change] of shapes) {
    test(what, () => refused(() => fixture.post('/api/invoices', rightBody(change)), 400, SHAPE, 'invalid_invoice'))
  }

  test('the same shapes on the signed path', () =>
    refused(() => fixture.createSigned(KEY, rightBody({ amount: '1e3' })), 400, SHAPE, 'invalid_invoice'))

  for (const currency of ['usdt', 'EUR', 'Tether', '#native', 5, {}, false]) {
    test(`the currency ${JSON.stringify(currency)}`, () =>
      refused(
        () => fixture.post('/api/invoices', rightBody({ currency })),
        400,
        'Unsupported currency.',
        'unsupported_currency',
      ))
  }

  for (const walletIds of [['unknown'], [FOREIGN.id], [SEP.id, FOREIGN.id], ['__proto__'], ['x'.repeat(3000)]]) {
    test(`wallets that are not the owner's: ${JSON.stringify(walletIds).slice(0, 40)}`, () =>
      refused(
        () => fixture.post('/api/invoices', rightBody({ walletIds })),
        400,
        'Every wallet must belong to this identity.',
        'wallet_not_owned',
      ))

    test(`and names the first of them, ${JSON.stringify(walletIds).slice(0, 40)}, and not whose it is`, async () => {
      const { json } = await fixture.post('/api/invoices', rightBody({ walletIds }))
      const { error: _, ...told } = json
      const wallet = walletIds.find((id) => id !== SEP.id)
      assert.deepEqual(told, { code: 'wallet_not_owned', field: 'walletIds', wallet, reason: 'not_assigned' })
    })
  }

  test('an owned wallet without an address, and names it', async () => {
    await fixture.push({ id: 'assigned bare', type: 'wallet.assigned', wallet: { id: 'bare' }, owner: OWNER })
    const { status, json } = await fixture.post('/api/invoices', rightBody({ walletIds: [SEP.id, 'bare'] }))
    assert.deepEqual([status, json.code, json.wallet, json.reason], [400, 'wallet_not_owned', 'bare', 'no_address'])
  })

  test('a currency that is not supported, and lists those that are', async () => {
    const { json } = await fixture.post('/api/invoices', rightBody({ currency: 'EUR' }))
    assert.deepEqual(json, {
      error: 'Unsupported currency.',
      code: 'unsupported_currency',
      field: 'currency',
      supported: ['native', 'USDT'],
    })
  })

  for (const callbackUrl of [
    'javascript:alert(1)',
    '/hook',
    'shop.example/hook',
    '//shop.example',
    'ftp://shop.example',
    'http:shop.example',
    'http://',
    'https://shop example',
    'http://[::1',
    `https://shop.example/${'p'.repeat(2048)}`,
    5,
    {},
    ['https://shop.example'],
  ]) {
    test(`the callbackUrl ${JSON.stringify(callbackUrl).slice(0, 40)}`, () =>
      refused(
        () => fixture.post('/api/invoices', rightBody({ callbackUrl })),
        400,
        'callbackUrl must be a valid http(s) URL.',
        'invalid_callback_url',
      ))
  }

  for (const [field, code, values] of [
    [
      'returnUrl',
      'invalid_return_url',
      [
        ...['javascript:alert(1)', 'data:text/html,x', '/orders/7', '//shop.example', 'ftp://shop.example', 'https://'],
        ...['https://user:secret@shop.example/', 'https://shop.example/a b', 'https://shop.example/\u001b[2J'],
        ...[`https://shop.example/${'p'.repeat(2048)}`, 5, {}, ['https://shop.example'], true],
      ],
    ],
    ['orderNumber', 'invalid_order_number', [7, true, ['7'], {}]],
    [
      'metadata',
      'invalid_metadata',
      [
        ...[7, true, 'a=b', ['a'], { a: 1 }, { a: null }, { a: { b: 'c' } }, { a: ['b'] }],
        Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])),
        ...[{ ['k'.repeat(41)]: '' }, { k: 'v'.repeat(501) }, { ['\u{1f600}'.repeat(41)]: '' }],
      ],
    ],
  ] as const) {
    for (const value of values) {
      test(`the ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
        const was = await state()
        const reply = await fixture.post('/api/invoices', rightBody({ [field]: value }))
        assert.deepEqual([reply.status, reply.json.code, reply.json.field], [400, code, field])
        assert.equal(await state(), was)
      })
    }
  }

  const bodies: readonly [string, string | Buffer][] = [
    ['truncated JSON', '{"owner":"merchant"'],
    ['no body', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"{}"'],
    ['a byte order mark', '\ufeff{}'],
    ['two values', '{} {}'],
    ['a body that nests arrays 30 000 deep', `{"walletIds":${'['.repeat(30_000)}`],
  ]
  for (const [what, body] of bodies) {
    test(what, () =>
      refused(
        () => fixture.post('/api/invoices', body),
        400,
        'The request body must be a JSON object in valid UTF-8.',
        'invalid_json',
      ),
    )
  }

  test('bytes that are not UTF-8', () =>
    refused(
      async () => {
        const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0xff, 0xc0), Buffer.from('"}')])
        const response = await fetch(`${fixture.url}/api/invoices`, { method: 'POST', body })
        const text = await response.text()
        return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
      },
      400,
      'The request body must be a JSON object in valid UTF-8.',
      'invalid_json',
    ))

  test('a body that is nested as deep as 64 KiB allow is read, and its shape refused', () =>
    refused(
      () => fixture.post('/api/invoices', `{"walletIds":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
      400,
      SHAPE,
      'invalid_invoice',
    ))

  test('a body of 100 000 levels is over 64 KiB: 413', () =>
    refused(
      () => fixture.post('/api/invoices', `{"walletIds":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      413,
      'The request body is too large.',
      'body_too_large',
    ))

  test('__proto__ and constructor are inert', async () => {
    const inert = `{"__proto__":{"owner":"${OWNER}","name":"polluted","amount":"1"},"constructor":{"prototype":{"name":"x"}},"walletIds":["${SEP.id}"]}`
    await refused(() => fixture.post('/api/invoices', inert), 400, SHAPE, 'invalid_invoice')
    assert.equal(({} as Record<string, unknown>)['name'], undefined)
  })
})

describe('POST /api/invoices refuses with 409', () => {
  test('a reference that another invoice of any owner has', async () => {
    const reference = 'taken'
    assert.equal((await fixture.post('/api/invoices', rightBody({ reference }))).status, 201)
    const error = 'This reference id is already in use by another invoice.'
    await refused(() => fixture.post('/api/invoices', rightBody({ reference })), 409, error, 'reference_in_use')
    const foreign = rightBody({ reference, owner: 'somebody else', walletIds: [FOREIGN.id] })
    await refused(() => fixture.post('/api/invoices', foreign), 409, error, 'reference_in_use')
  })

  test('references that differ only behind 80 characters', async () => {
    const reference = 'r'.repeat(80)
    assert.equal((await fixture.post('/api/invoices', rightBody({ reference: `${reference}1` }))).status, 201)
    await refused(
      () => fixture.post('/api/invoices', rightBody({ reference: `${reference}2` })),
      409,
      'This reference id is already in use by another invoice.',
      'reference_in_use',
    )
  })

  test('an unpaid equal amount on a shared wallet, named as the client sent it', async () => {
    const first = rightBody({ amount: '5000.10', walletIds: [SEP.id, TRX.id] })
    assert.equal((await fixture.post('/api/invoices', first)).status, 201)
    for (const [amount, walletIds] of [
      ['5000.1', [SEP.id]],
      ['5000.1000', [TRX.id]],
      ['05000.10', [TRX.id, SEP.id]],
    ] as const) {
      await refused(
        () => fixture.post('/api/invoices', rightBody({ amount, walletIds })),
        409,
        `An unpaid invoice for this exact amount (${amount} USDT) already exists on this wallet - use a different amount, or wait for it to be paid.`,
        'amount_in_use',
      )
    }
    const native = rightBody({ amount: '5000.1', currency: 'native' })
    assert.equal((await fixture.post('/api/invoices', native)).status, 201, 'another currency does not collide')
  })

  test('the amount is free again once paid, and taken again when the payment is dropped', async () => {
    const body = () => rightBody({ amount: '6000', reference: undefined })
    assert.equal((await fixture.post('/api/invoices', body())).status, 201)
    const deposit = {
      network: 'SEP',
      txHash: '0xpay6000',
      toAddress: SEP.address.toLowerCase(),
      currency: 'Tether',
      amount: '6000000000',
      receivedAt: Date.now() + 1000,
    }
    await fixture.push({ id: 'p1', type: 'deposit.pending', deposit })
    assert.equal((await fixture.post('/api/invoices', body())).status, 409, 'pending does not count')
    await fixture.push({ id: 'p2', type: 'deposit.confirmed', deposit })
    assert.equal((await fixture.post('/api/invoices', body())).status, 201)
    assert.equal((await fixture.post('/api/invoices', body())).status, 201, 'the deposit came after this one too')
    await fixture.push({ id: 'p3', type: 'deposit.dropped', deposit })
    assert.equal((await fixture.post('/api/invoices', body())).status, 409)
  })
})

describe('the checks of POST /api/invoices come in the order', () => {
  const wrong = {
    amount: '0',
    currency: 'EUR',
    walletIds: [FOREIGN.id],
    callbackUrl: '/hook',
    returnUrl: 'javascript:alert(1)',
    orderNumber: 7,
    metadata: [],
    reference: 'order of checks',
  }
  test('shape and amount, currency, ownership, callbackUrl, reference, amount', async () => {
    const taken = rightBody({ reference: wrong.reference, amount: '7000' })
    assert.equal((await fixture.post('/api/invoices', taken)).status, 201)
    const steps: readonly [Record<string, unknown>, string][] = [
      [{}, 'invalid_invoice'],
      [{ amount: '7000' }, 'invalid_return_url'],
      [{ returnUrl: 'https://shop.example' }, 'invalid_order_number'],
      [{ orderNumber: '7' }, 'invalid_metadata'],
      [{ metadata: {} }, 'unsupported_currency'],
      [{ currency: 'USDT' }, 'wallet_not_owned'],
      [{ walletIds: [SEP.id] }, 'invalid_callback_url'],
      [{ callbackUrl: 'https://shop.example' }, 'reference_in_use'],
      [{ reference: 'another' }, 'amount_in_use'],
    ]
    let body = rightBody(wrong)
    for (const [mend, code] of steps) {
      body = { ...body, ...mend }
      assert.equal((await fixture.post('/api/invoices', body)).json.code, code)
    }
    assert.equal((await fixture.post('/api/invoices', { ...body, amount: '7000.5' })).status, 201)
  })

  test('authentication before everything else', async () => {
    const reply = await fixture.post('/api/invoices', 'no JSON', { 'X-Service-Api-Key': KEY.publicKeyHex })
    assertRefused(reply, 401, 'Missing API key auth headers.', 'missing_auth_headers')
    assertRefused(
      await fixture.createSigned(KEY, 'no JSON'),
      400,
      'The request body must be a JSON object in valid UTF-8.',
      'invalid_json',
    )
  })
})

describe('GET /api/invoices/:id', () => {
  for (const id of ['0'.repeat(32), 'short', '%00', 'A'.repeat(32), 'x'.repeat(5000)]) {
    test(`404 for ${id.slice(0, 33)}`, async () => {
      assertRefused(await fixture.get(`/api/invoices/${id}`), 404, 'No such invoice.', 'invoice_not_found')
    })
  }
})

describe('GET /api/users/:id/invoices', () => {
  const owner = 'lister'
  const wallet = { id: 'list-wallet', address: '0xabcd000000000000000000000000000000000003', network: 'SEP' }
  const ids: string[] = []

  before(async () => {
    await fixture.assign(owner, wallet)
    for (let n = 0; n < 450; n += 1) {
      const reply = await fixture.post('/api/invoices', {
        owner,
        walletIds: [wallet.id],
        name: `Order ${n}`,
        amount: `${n + 1}`,
        reference: `list ${n}`,
      })
      ids.unshift(reply.json.id)
    }
  })

  test('lists everything, newest first', async () => {
    const { json, status } = await fixture.get(`/api/users/${owner}/invoices`)
    assert.equal(status, 200)
    assert.deepEqual(
      json.map((invoice: { id: string }) => invoice.id),
      ids,
    )
  })

  test('pages through it by the Link header', async () => {
    const found: string[] = []
    let path: string | undefined = `/api/users/${owner}/invoices?limit=200&include=payment`
    const sizes: number[] = []
    while (path !== undefined) {
      const reply: Reply = await fixture.get(path)
      assert.equal(reply.status, 200)
      sizes.push(reply.json.length)
      for (const invoice of reply.json) {
        assert.equal(invoice.payment.status, 'unpaid')
        found.push(invoice.id)
      }
      path = /^<([^>]+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
    }
    assert.deepEqual(found, ids)
    assert.deepEqual(sizes, [200, 200, 50])
  })

  test('a page that ends exactly at the last record names no next one', async () => {
    const reply = await fixture.get(`/api/users/${owner}/invoices?limit=450`)
    assert.equal(reply.json.length, 450)
    assert.equal(reply.headers.get('link'), null)
  })

  test('filters by reference, within the owner', async () => {
    const path = `/invoices?reference=${encodeURIComponent('list 7')}`
    const { json } = await fixture.get(`/api/users/${owner}${path}&include=payment`)
    assert.deepEqual(
      json.map((one: { name: string; payment: { remaining: string } }) => [one.name, one.payment.remaining]),
      [['Order 7', '8']],
    )
    assert.deepEqual((await fixture.get(`/api/users/${OWNER}${path}`)).json, [])
    assert.deepEqual((await fixture.get(`/api/users/${owner}/invoices?reference=nothing`)).json, [])
  })

  test('an unknown owner has none', async () => {
    for (const id of ['nobody', '%F0%9F%A6%89', 'x'.repeat(4000)]) {
      assert.deepEqual((await fixture.get(`/api/users/${id}/invoices`)).json, [])
    }
  })

  for (const [query, parameter] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['cursor=xyz', 'cursor'],
    ['cursor=', 'cursor'],
    ['include=everything', 'include'],
  ] as const) {
    test(`400 for ${query}`, async () => {
      assertRefused(
        await fixture.get(`/api/users/${owner}/invoices?${query}`),
        400,
        `The query parameter ${parameter} is not valid.`,
        'invalid_query',
      )
    })
  }
})

test('headers of an unsigned request may be signed by nobody, and a signed one is never unsigned', async () => {
  const body = JSON.stringify(rightBody())
  const headers = signedHeaders(KEY, body, String(Date.now()))
  for (const name of Object.keys(headers)) {
    const partial = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
    await refused(
      () => fixture.post('/api/invoices', body, partial),
      401,
      'Missing API key auth headers.',
      'missing_auth_headers',
    )
    await refused(
      () => fixture.post('/api/invoices', body, { ...headers, [name]: '' }),
      401,
      'Missing API key auth headers.',
      'missing_auth_headers',
    )
  }
})
