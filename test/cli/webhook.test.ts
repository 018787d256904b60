import assert from 'node:assert/strict'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { openReceiver } from '../support/receiver.js'
import { type Child, startChild } from './child.js'
import { Shop } from './shop.js'

const main = new URL('../../src/main.js', import.meta.url)
const SECRET = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)
const SECRET_PATTERN = /[0-9a-f]{64}/
const BODY = '{"reference":"r","status":"confirmed","amount":"5","currency":null}'
const ID = '1'.repeat(32)

describe('billhook webhook', () => {
  let shop: Shop
  let flags: readonly string[]

  before(async () => {
    shop = await Shop.open()
    flags = ['--data', shop.data, '--owner', shop.owner]
  })

  after(() => shop.close())

  test('set, get and rotate print no secret, and write it into a private file on request', async () => {
    const file = join(shop.files, 'secret')
    // Whoever could read the file before cannot read what is written now.
    writeFileSync(file, 'x'.repeat(200))
    chmodSync(file, 0o644)
    const set = await shop.run(['webhook', 'set', 'http://127.0.0.1:9/', ...flags, '--payload', 'with-invoice'])
    assert.deepEqual([set.code, set.stderr], [0, ''])
    assert.doesNotMatch(set.stdout.replace(shop.owner, ''), SECRET_PATTERN)
    const record = await shop.json(['webhook', 'get', ...flags, '--secret-file', 'secret'])
    assert.deepEqual(
      [record.callback_url, record.payload, record.secret],
      ['http://127.0.0.1:9/', 'with-invoice', undefined],
    )
    const secret = readFileSync(file, 'utf8')
    assert.match(secret, /^[0-9a-f]{64}\n$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const kept = await shop.service.get(`/api/users/${shop.owner}/webhook`)
    assert.equal(kept.json.secret, secret.trim())

    const rotated = await shop.json(['webhook', 'rotate', ...flags, '--overlap', '60', '--secret-file', 'secret'])
    assert.equal(rotated.secret, undefined)
    assert.notEqual(readFileSync(file, 'utf8'), secret)
  })

  test('test ends with 0 when the receiver took the webhook, else with 1', async () => {
    for (const [status, code] of [
      [204, 0],
      [500, 1],
    ] as const) {
      const receiver = await openReceiver((_request, response) => response.writeHead(status).end())
      await shop.run(['webhook', 'set', receiver.url, ...flags])
      const tested = await shop.run(['webhook', 'test', ...flags])
      await receiver.close()
      assert.equal(tested.code, code)
      assert.match(
        tested.stdout,
        new RegExp(`^Outcome +${code === 0 ? 'delivered' : 'failed'}: status ${status} after`, 'm'),
      )
    }
  })

  test('test says what a refused address is, and who can allow it', async () => {
    // With a public URL a service is private to its machine no more.
    const shared = await Shop.open('sandbox', { BILLHOOK_PUBLIC_URL: 'https://pay.example' })
    try {
      const of = ['--owner', shared.owner, '--data', shared.data]
      await shared.run(['webhook', 'set', 'http://127.0.0.1:9/', ...of])
      const tested = await shared.run(['webhook', 'test', ...of])
      assert.equal(tested.code, 1)
      assert.match(tested.stdout, /^Outcome +failed: refused_address after \d+ ms\nWhy +.* BILLHOOK_CALLBACK_ALLOW$/m)
    } finally {
      await shared.close()
    }
  })

  test('listen prints each webhook that it verified, and answers others with 401', async () => {
    const listener = startChild(main, ['webhook', 'listen', ...flags])
    const url = await listeningAt(listener)
    await shop.run(['webhook', 'set', url, ...flags])
    const id = await shop.invoice('9', '--reference', 'listen')
    assert.equal((await shop.run(['sandbox', 'pay', id, '--data', shop.data, '--wait'])).code, 0)
    await listener.wrote('stdout', 'verified: confirmed')
    await shop.run(['webhook', 'rotate', ...flags, '--overlap', '0'])
    assert.equal((await shop.run(['webhook', 'test', ...flags])).code, 0)
    assert.equal((await fetch(url, { method: 'POST', body: '\u001b[31m' })).status, 401)
    assert.equal((await fetch(url)).status, 405)
    assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(65_537) })).status, 413)
    await listener.wrote('stdout', 'rejected')
    listener.kill('SIGINT')
    const { code, stdout } = await listener.ended
    assert.equal(code, 0)
    assert.match(stdout, /Z verified: pending 9 #native for listen\b.*\n {2}\{"reference":"listen",/)
    assert.match(stdout, /Z rejected: it has no webhook-signature: \?\[31m\n$/)
  })

  test('listen takes a secret from a file, needs no service then, and prints JSON', async () => {
    writeFileSync(join(shop.files, 'file-secret'), `${SECRET}\n`, { mode: 0o600 })
    const argv = ['webhook', 'listen', '--secret-file', join(shop.files, 'file-secret'), '--json']
    const listener = startChild(main, argv)
    const url = await listeningAt(listener)
    for (const secret of [SECRET, OTHER]) {
      const headers = deliveryHeaders(
        { id: ID, body: Buffer.from(BODY) },
        { current: secret, previous: null },
        Date.now(),
      )
      await fetch(url, { method: 'POST', headers, body: BODY })
    }
    const old = deliveryHeaders(
      { id: ID, body: Buffer.from(BODY) },
      { current: SECRET, previous: null },
      Date.now() - 400_000,
    )
    assert.equal((await fetch(url, { method: 'POST', headers: old, body: BODY })).status, 401)
    await listener.wrote('stdout', 'was sent')
    listener.kill('SIGTERM')
    const { code, stdout } = await listener.ended
    assert.equal(code, 0)
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      records.map(({ id, verified, body }) => [id, verified, body.reference]),
      [
        [ID, true, 'r'],
        [ID, false, 'r'],
        [ID, false, 'r'],
      ],
    )
  })

  test('listen says what is in its way', async () => {
    const none = await shop.run(['webhook', 'listen', '--data', shop.data, '--owner', 'nobody'])
    assert.deepEqual(
      [none.code, none.stderr],
      [1, 'billhook: the identity has no secret yet: billhook webhook set makes one\n'],
    )
    const busy = await openReceiver()
    const { port } = new URL(busy.url)
    const taken = await shop.run(['webhook', 'listen', ...flags, '--port', port])
    await busy.close()
    assert.deepEqual(
      [taken.code, taken.stderr],
      [1, `billhook: port ${port} cannot be listened on: another program uses it\n`],
    )
  })
})

describe('billhook webhook verify', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
    await shop.stop()
    writeFileSync(join(shop.files, 'secret'), SECRET)
    writeFileSync(join(shop.files, 'body'), BODY)
  })

  after(() => shop.close())

  const FILES = ['webhook', 'verify', '--body', 'body', '--headers', 'headers', '--secret-file', 'secret']

  function save(headers: Readonly<Record<string, string | undefined>>): void {
    const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    writeFileSync(join(shop.files, 'headers'), ['POST /hook HTTP/1.1', ...lines, '', ''].join('\r\n'))
  }

  function sent(secrets: { current: string; previous: string | null }, nowMs = Date.now()) {
    return deliveryHeaders({ id: ID, body: Buffer.from(BODY) }, secrets, nowMs)
  }

  const NOW = { current: SECRET, previous: null }
  const cases: readonly (readonly [
    name: string,
    headers: () => Record<string, string | undefined>,
    told: RegExp,
    code: 0 | 1,
  ])[] = [
    ['what the service sent', () => sent(NOW), /^Verified, sent \d s ago\.$/, 0],
    [
      'the new secret in a rotation',
      () => sent({ current: SECRET, previous: OTHER }),
      /^Verified, .*another secret/,
      0,
    ],
    [
      'the old secret in a rotation',
      () => sent({ current: OTHER, previous: SECRET }),
      /^Verified, sent \d s ago\.$/,
      0,
    ],
    [
      'another secret',
      () => sent({ current: OTHER, previous: null }),
      /^billhook: not verified: webhook-signature does not fit/,
      1,
    ],
    [
      'an old one',
      () => sent(NOW, Date.now() - 301_500),
      /not verified: it was sent 30\d s ago, and 300 s are tolerated/,
      1,
    ],
    ['one of the future', () => sent(NOW, Date.now() + 400_000), /not verified: it was sent \d+ s in the future/, 1],
    ['another time', () => ({ ...sent(NOW), 'webhook-timestamp': '1' }), /webhook-signature does not fit/, 1],
    ['another id', () => ({ ...sent(NOW), 'webhook-id': '2' }), /webhook-signature does not fit/, 1],
    [
      'no time',
      () => ({ ...sent(NOW), 'webhook-timestamp': undefined }),
      /stands without a webhook-id and a webhook-timestamp/,
      1,
    ],
    [
      'only X-Service-Signature',
      () => ({ 'X-Service-Signature': sent(NOW)['X-Service-Signature'] }),
      /not verified: it has no webhook-signature\.$/,
      1,
    ],
    ['nothing', () => ({}), /not verified: it has no webhook-signature/, 1],
  ]
  for (const [name, headers, told, code] of cases) {
    test(`${code === 0 ? 'accepts' : 'refuses'} ${name}`, async () => {
      save(headers())
      const ended = await shop.run(FILES)
      assert.equal(ended.code, code)
      assert.match((code === 0 ? ended.stdout : ended.stderr).trimEnd(), told)
    })
  }

  test('takes X-Service-Signature alone on request', async () => {
    save({ 'X-Service-Signature': sent(NOW)['X-Service-Signature'] })
    const { code, stdout } = await shop.run([...FILES, '--accept-untimed'])
    assert.deepEqual([code, stdout.startsWith('Verified; it has no webhook-signature')], [0, true])
  })

  test('takes one of the three from standard input, and --tolerance', async () => {
    save(sent(NOW, Date.now() - 1_000_000))
    const argv = [...FILES.slice(0, -1), '-', '--tolerance', '2000', '--json']
    const { code, stdout } = await shop.program(argv, {}, `${SECRET}\n`)
    assert.equal(code, 0)
    const { verified, flaw, note, ageSeconds } = JSON.parse(stdout)
    assert.deepEqual([verified, flaw, note, ageSeconds >= 1000], [true, null, null, true])
    const changed = await shop.program(['webhook', 'verify', '--body', '-', ...FILES.slice(4)], {}, `${BODY} `)
    assert.equal(changed.code, 1)
  })

  test('is told what is wrong with its files', async () => {
    const { code, stderr } = await shop.program([
      'webhook',
      'verify',
      '--body',
      '-',
      '--headers',
      '-',
      '--tolerance',
      'x',
    ])
    assert.equal(code, 2)
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      'webhook verify needs --secret-file.',
      '--tolerance must be an integer from 1 to 315360000, not "x".',
      'Only one of --body, --headers and --secret-file can be standard input.',
    ])
    const short = await shop.run([...FILES.slice(0, -1), 'body'])
    assert.match(short.stderr, /^billhook: body holds no webhook secret/)
    const absent = await shop.run([...FILES.slice(0, -1), 'absent'])
    assert.match(absent.stderr, /^billhook: absent cannot be read: ENOENT/)
  })
})

async function listeningAt(listener: Child): Promise<string> {
  const told = await listener.wrote('stderr', 'ctrl-c')
  return /http:\S+\//.exec(told)?.[0] ?? assert.fail(told)
}
