import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { LINE_BYTES_MAX } from '../../src/cli/record-lines.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { validAddress } from '../support/valid-address.js'
import { describeHostileImport, type Line } from './hostile-lines.js'
import { runBillhook } from './shop.js'

const CREATED_MS = 1_700_000_000_000
const FUTURE_MS = 4_000_000_000_000

let made = 0

function wallet(id: string, owner: string | null): object {
  return { id, network: 'TRX-NILE', address: validAddress('TRX-NILE', id), owner }
}

function invoice(change: object = {}): object {
  made += 1
  return {
    ...{ id: made.toString(16).padStart(32, '0'), owner: 'alice', wallet_id: 'w1', wallet_ids: 'w1', name: `n${made}` },
    ...{ description: null, reference: `r${made}`, amount: `1.${made}`, currency: 'USDT', callback_url: null },
    created_at: CREATED_MS + made,
    ...change,
  }
}

const repeated = invoice()
const numbered = invoice({ wallet_ids: null })

/** Each bad line stands among good ones. */
const LINES: readonly Line[] = [
  // With a byte order mark, and behind it CR LF.
  ['added', `\ufeff${JSON.stringify(wallet('w1', 'alice'))}\r`],
  ['added', wallet('w2', 'bob')],
  ['added', wallet('w3', null)],
  ['added', repeated],
  ['known', repeated],
  [/another invoice has its id/, { ...repeated, amount: '9' }],
  [/it is no JSON$/, '{"id":'],
  [/it is no JSON$/, '\0\0\0'],
  [/it is no JSON object/, '[['.repeat(20_000) + ']]'.repeat(20_000)],
  [
    /amount must be a text/,
    JSON.stringify(invoice()).replace(/"amount":"[^"]*"/, `"amount":${'['.repeat(9000)}${']'.repeat(9000)}`),
  ],
  ['added', JSON.stringify(invoice()).replace('{', '{"__proto__":{"owner":"eve"},"constructor":1,"toString":2,')],
  [/it is longer than/, invoice({ name: 'x'.repeat(LINE_BYTES_MAX) })],
  [/it is longer than/, invoice({ name: 'x'.repeat(3_000_000) })],
  [/name is longer than 80 characters/, invoice({ name: 'x'.repeat(200_000) })],
  [
    /no invoice, order, deposit/,
    JSON.stringify({ big: Array.from({ length: 40_000 }, () => 1) }).replaceAll('1', '1e20'),
  ],
  [/it is no UTF-8 text/, Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')])],
  ['added', invoice({ name: 'a\u0000b\u2028c', description: '\u0001 \u0000' })],
  [/created_at must be Unix milliseconds/, invoice({ created_at: `${CREATED_MS}` })],
  [/amount must be a text/, invoice({ amount: 10 })],
  [/created_at is in the future/, invoice({ created_at: FUTURE_MS })],
  [/voided_at is in the future/, invoice({ voided_at: 281474976710655 })],
  [/callback_url must be/, invoice({ callback_url: 'shop.example/hook' })],
  [/callback_url must be/, invoice({ callback_url: 'javascript:alert(1)' })],
  ['added', invoice({ callback_url: 'https://shop.example/hook' })],
  [/reference is longer than 80 characters/, invoice({ reference: 'r'.repeat(2000) })],
  [
    /wallet_ids names more than 50 wallets/,
    invoice({ wallet_ids: Array.from({ length: 20_000 }, (_, i) => `w${i}`).join() }),
  ],
  [/wallet_ids names a wallet twice/, invoice({ wallet_ids: 'w1,w1' })],
  [/a wallet id must have 1 to 128 characters/, invoice({ wallet_id: 'w'.repeat(2000), wallet_ids: null })],
  [/a wallet id must have 1 to 128 characters/, invoice({ wallet_ids: ',,,' })],
  ['added', numbered],
  [/the wallet w2 belongs to another identity/, invoice({ wallet_id: 'w2', wallet_ids: 'w2' })],
  [/the wallet w2 belongs to another identity/, invoice({ wallet_ids: 'w1,w2' })],
  [/the wallet w3 belongs to nobody/, invoice({ wallet_id: 'w3', wallet_ids: 'w3' })],
  [/the wallet w9 is not known/, invoice({ wallet_id: 'w9', wallet_ids: 'w9' })],
  [/the wallet belongs to another identity/, wallet('w2', 'alice')],
  [
    /the wallet \?\]0;pwned\?\?\[31m is not known/,
    invoice({ wallet_id: '\u001b]0;pwned\u0007\u009b[31m', wallet_ids: null }),
  ],
  ['added', invoice({ owner: 'bob', wallet_id: 'w2', wallet_ids: 'w2' })],
  // More than are sent at once.
  ...Array.from({ length: 700 }, (): Line => [/it is no JSON$/, 'garbage']),
  ...Array.from({ length: 700 }, (): Line => [/no invoice, order, deposit/, '{}']),
  ['added', invoice()],
]

test('an import that breaks off tells what was added before', async () => {
  const directory = temporaryDirectory()
  const bodies: { readonly records: readonly unknown[]; readonly ofFormerOwners: boolean }[] = []
  const service = createServer((request, response) => {
    if (request.method === 'HEAD') return void response.end()
    request.toArray().then((chunks: Buffer[]) => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      bodies.push(body)
      if (bodies.length > 1)
        return void response.writeHead(503).end('{"error":"Storage.","code":"storage_unavailable"}')
      response.end(JSON.stringify({ outcomes: body.records.map(() => ({ status: 'added' })) }))
    })
  })
  try {
    service.listen(join(directory.path, 'admin.sock'))
    await once(service, 'listening')
    const file = join(directory.path, 'records')
    writeFileSync(file, '{"a":1e20}\n'.repeat(800))
    const argv = ['import', file, '--former-owners', '--data', directory.path]
    const ended = await runBillhook(argv, { cwd: directory.path })
    assert.deepEqual([ended.code, ended.stdout], [1, '500 added, 0 known already, 0 refused\n'])
    assert.match(ended.stderr, /^billhook: .*storage_unavailable/m)
    assert.deepEqual(
      bodies.map(({ records, ofFormerOwners }) => [records.length, ofFormerOwners]),
      [
        [500, true],
        [300, true],
      ],
    )
  } finally {
    service.close()
    directory.remove()
  }
})

// All that were added but the wallets.
const invoices = LINES.filter(([told]) => told === 'added').length - 3
describeHostileImport('a hostile file', LINES, { invoices })
