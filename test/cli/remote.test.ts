import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openRawReceiver, openReceiver } from '../support/receiver.js'
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../support/receiver-tls.js'
import { Shop } from './shop.js'

const CREATE = ['invoice', 'create', '--wallets', Shop.wallets.TRX, '--name', 'Tea']

describe('a merchant of a service in strict mode', () => {
  let shop: Shop
  let environment: Record<string, string>

  before(async () => {
    shop = await Shop.open('strict')
    environment = { BILLHOOK_URL: shop.service.url, BILLHOOK_KEY_FILE: 'api.pem', BILLHOOK_OWNER: shop.owner }
  })

  after(() => shop.close())

  test('makes a key, and registers it with the key of the identity', async () => {
    const { owner, service } = shop
    const made = await shop.run(['keygen', 'api.pem'])
    assert.deepEqual([made.code, made.stderr], [0, ''])
    const file = join(shop.files, 'api.pem')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const publicKey = /^Public key {3}(0[23][0-9a-f]{64})$/m.exec(made.stdout)?.[1]
    assert.doesNotMatch(made.stdout, /PRIVATE/)
    const pem = readFileSync(file, 'utf8')

    const again = await shop.run(['keygen', 'api.pem'])
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.equal(again.stderr, 'billhook: api.pem exists, and a private key is never overwritten\n')

    const flags = ['--url', service.url, '--owner', owner, '--label', 'shop', '--ttl-days', '2']
    const unsigned = await shop.run(['keygen', 'api.pem', '--register', ...flags])
    assert.equal(unsigned.code, 1)
    assert.match(unsigned.stderr, /\(missing_auth_headers\) Sign the request: --key names/)
    const own = await shop.run(['keygen', 'api.pem', '--register', ...flags, '--key', 'api.pem'])
    assert.match(own.stderr, /\(not_identity_key\) In strict mode a key is registered with --key/)

    const registered = await shop.json(['keygen', 'api.pem', '--register', ...flags, '--key', 'identity.pem'])
    assert.deepEqual([registered.file, registered.publicKey], ['api.pem', publicKey])
    const record = registered.registered
    assert.deepEqual([record.owner, record.label, record.public_key], [owner, 'shop', publicKey])
    assert.ok(record.expires_at > record.created_at)
    assert.equal(readFileSync(file, 'utf8'), pem)
  })

  test('signs every command', async () => {
    const { id, url } = await shop.json([...CREATE, '--amount', '5', '--reference', 'r'], environment)
    assert.equal(url, `/pay/${id}`)
    const got = await shop.json(['invoice', 'get', id], environment)
    assert.deepEqual([got.owner, got.reference], [shop.owner, 'r'])
    assert.equal((await shop.json(['invoice', 'list', '--reference', 'r'], environment)).id, id)
    assert.equal((await shop.json(['events', 'list', '--limit', '1'], environment)).invoiceId, id)
    assert.equal((await shop.json(['webhook', 'set', 'https://shop.example/'], environment)).owner, shop.owner)
    assert.equal((await shop.json(['webhook', 'get'], environment)).callback_url, 'https://shop.example/')
    await shop.json(['webhook', 'rotate'], environment)
    assert.equal(typeof (await shop.json(['invoice', 'void', id], environment)).voided_at, 'number')
    // Void already, so the watch ends with the first look.
    assert.equal((await shop.run(['invoice', 'watch', id], environment)).code, 1)
    const option = ['--option', `5 USDT:${Shop.wallets.TRX}`]
    const order = ['order', 'create', '--price', '5 EUR', ...option, '--name', 'Tea', '--reference', 'o']
    const { id: orderId } = await shop.json(order, environment)
    assert.equal((await shop.json(['order', 'get', orderId], environment)).owner, shop.owner)
    assert.equal((await shop.json(['order', 'list', '--reference', 'o'], environment)).id, orderId)
    assert.equal((await shop.json(['order', 'accept', orderId], environment)).status, 'paid')
    assert.equal((await shop.run(['order', 'watch', orderId], environment)).code, 0)
  })

  test('is told which key is missing or wrong', async () => {
    const { BILLHOOK_URL = '', BILLHOOK_OWNER = '' } = environment
    const bare = { BILLHOOK_URL, BILLHOOK_OWNER }
    assert.match((await shop.run(['invoice', 'list'], bare)).stderr, /\(missing_auth_headers\) Sign the request/)
    await shop.run(['keygen', 'other.pem'])
    const unknown = await shop.run(['invoice', 'list', '--key', 'other.pem'], bare)
    assert.match(unknown.stderr, /\(unknown_api_key\) Register the key/)
    writeFileSync(join(shop.files, 'no.pem'), 'no key', { mode: 0o600 })
    const none = await shop.run(['invoice', 'list', '--key', 'no.pem'], bare)
    assert.deepEqual([none.code, none.stderr], [1, 'billhook: no.pem holds no private key in PEM\n'])
    const absent = await shop.run(['invoice', 'list', '--key', 'absent.pem'], bare)
    assert.deepEqual([absent.code, absent.stderr.startsWith('billhook: absent.pem cannot be read: ENOENT')], [1, true])
  })

  test('is warned when others may read the key', async () => {
    const file = join(shop.files, 'open.pem')
    writeFileSync(file, readFileSync(join(shop.files, 'api.pem')))
    chmodSync(file, 0o640)
    const { code, stderr } = await shop.run(['invoice', 'list'], { ...environment, BILLHOOK_KEY_FILE: 'open.pem' })
    assert.equal(code, 0)
    assert.match(stderr, /^Warning: other users may read the private key in open\.pem \(mode 640\)/)
  })

  test('signs a request for another program', async () => {
    const { id } = await shop.json([...CREATE, '--amount', '6'], environment)
    const path = `/api/invoices/${id}/void`
    const signed = await shop.json(['sign', 'POST', path], environment)
    assert.equal(signed.tag, 'POST /api/invoices/:id/void')
    assert.equal((await shop.service.call('POST', path, { headers: signed.headers })).status, 200)

    const text = JSON.stringify({ walletIds: [Shop.wallets.SEP], name: "it's", amount: '7', reference: 'lines' })
    const lines = await shop.program(['sign', 'POST', '/api/invoices', '--body', '-'], environment, text)
    const headers = Object.fromEntries(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(': ')),
    )
    assert.equal((await shop.service.post('/api/invoices', text, headers)).status, 201)
  })

  test('is told what cannot be signed', async () => {
    const { code, stderr } = await shop.run(['sign', 'PATCH', '/api/invoices'])
    assert.equal(code, 2)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'The method must be one of GET, POST, PUT, DELETE, HEAD.',
      'sign needs --key, or BILLHOOK_KEY_FILE.',
    ])
    const wrong = await shop.program(['sign', 'POST', '/api/invoice', '--key', 'api.pem', '--curl', '--body', '-'])
    assert.deepEqual(wrong.stderr.trimEnd().split('\n'), [
      '"POST /api/invoice" is no endpoint of the API: see docs/integrating.md.',
      '--curl needs a body from a file, which curl sends.',
      '--curl needs --url, or BILLHOOK_URL.',
    ])
  })
})

describe('a merchant of a service in the default mode', () => {
  test('needs no key, and --data wins over BILLHOOK_URL', async () => {
    const shop = await Shop.open()
    try {
      const { url } = shop.service
      const { id } = await shop.json([...CREATE, '--amount', '5', '--url', url, '--owner', shop.owner])
      const shown = await shop.run(['invoice', 'get', id, '--url', url])
      assert.match(shown.stdout, new RegExp(`^Page +${url}/pay/${id}$`, 'm'))
      const elsewhere = { BILLHOOK_URL: 'http://127.0.0.1:1', BILLHOOK_KEY_FILE: 'absent.pem' }
      assert.equal((await shop.json(['invoice', 'get', id, '--data', shop.data], elsewhere)).id, id)
    } finally {
      await shop.close()
    }
  })
})

describe('what listens in place of a service', () => {
  let shop: Pick<Shop, 'run' | 'close'>

  before(async () => {
    shop = await Shop.open()
  })

  after(() => shop.close())

  async function told(url: string, environment: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await shop.run(['invoice', 'get', 'x', '--url', url], environment)
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    return stderr.trimEnd()
  }

  test('nothing, or no such name', async () => {
    const closed = await openReceiver()
    await closed.close()
    assert.equal(await told(closed.url), `billhook: ${closed.url} cannot be reached: nothing listens there`)
    assert.match(
      await told('http://no-such-name.invalid'),
      /cannot be reached: its name (is not known|could not be looked up)$/,
    )
  })

  test('a server whose certificate is not accepted, or that does not speak TLS', async () => {
    const server = createTlsServer({ cert: RECEIVER_CERTIFICATE, key: RECEIVER_KEY })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    assert.match(await told(`https://127.0.0.1:${port}`), /its certificate is not accepted \(.+\); NODE_EXTRA_CA_CERTS/)
    assert.match(await told(`http://127.0.0.1:${port}`), /cannot be reached: /)
    server.close()
    server.closeAllConnections()
    const plain = await openReceiver()
    assert.match(await told(plain.url.replace('http:', 'https:')), /cannot be reached: it does not speak TLS/)
    await plain.close()
  })

  test('something that answers otherwise than a service', async () => {
    const answers: readonly (readonly [status: number, headers: Record<string, string>, body: string, told: RegExp])[] =
      [
        [502, {}, '<html>\u001b[2J', / answered 502, and not as this service does: see what else listens there$/],
        [200, {}, '<html>', / did not answer with JSON: see what else listens there$/],
        [500, {}, '{"message":"no"}', / answered 500, and not as this service does/],
        [301, { Location: 'https://pay.example/' }, '', / answered 301 and sends clients to https:\/\/pay\.example\/$/],
        [
          429,
          { 'Retry-After': '7' },
          '{"error":"Too many requests from this address. Try again later.","code":"rate_limited"}',
          /^billhook: Too many requests from this address\. Try again later\. \(rate_limited\) Wait 7 s before the next try\.$/,
        ],
        [503, {}, '{"error":"bad \\u001b[2J","code":"x"}', /^billhook: bad \?\[2J \(x\)$/],
        [
          401,
          { Date: 'Sun, 22 Nov 2020 00:00:00 GMT' },
          '{"error":"Request timestamp is too old or invalid.","code":"invalid_timestamp"}',
          /This machine's clock is \d+ s ahead of the service's\. \(invalid_timestamp\)$/,
        ],
      ]
    for (const [status, headers, body, expected] of answers) {
      const server = await openReceiver((_request, response) => response.writeHead(status, headers).end(body))
      assert.match(await told(server.url), expected)
      await server.close()
    }
  })

  test('something that ends the connection, or does not speak HTTP', async () => {
    for (const [greeting, expected] of [
      ['', /cannot be reached: the connection ended without an answer$/],
      ['220 smtp\r\n', /cannot be reached: /],
    ] as const) {
      const server = await openRawReceiver((socket) => socket.once('data', () => socket.end(greeting)))
      assert.match(await told(server.url), expected)
      await server.close()
    }
  })
})
