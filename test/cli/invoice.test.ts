import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runSh } from '../support/shell.js'
import { Shop } from './shop.js'

const main = new URL('../../src/main.js', import.meta.url)
/** On loopback, so that the service stays private to its machine. */
const PUBLIC_URL = 'http://127.0.0.1:9/pages'

describe('billhook invoice', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open('sandbox', { BILLHOOK_PUBLIC_URL: PUBLIC_URL })
  })

  after(() => shop.close())

  test('create, get, list and void work through admin.sock', async () => {
    const { data, owner } = shop
    const flags = ['--data', data, '--owner', owner]
    const { TRX, SEP } = Shop.wallets
    const created = await shop.run([
      ...['invoice', 'create', ...flags, '--amount', '25.00', '--currency', 'USDT', '--wallets', `${TRX},${SEP}`],
      ...['--name', 'Tea set', '--description', 'Blue', '--reference', 'order-1', '--expires-in', '3600'],
      ...['--callback-url', 'http://127.0.0.1:9/hook'],
    ])
    assert.deepEqual([created.code, created.stderr], [0, ''])
    const pattern = new RegExp(`^Invoice {2}([0-9a-f]{32})\\nPage {5}${PUBLIC_URL}/pay/\\1\\n$`)
    const id = pattern.exec(created.stdout)?.[1] ?? assert.fail(created.stdout)

    const got = await shop.json(['invoice', 'get', id, '--data', data])
    assert.deepEqual(
      [got.name, got.description, got.reference, got.amount, got.currency, got.wallet_ids, got.callback_url],
      ['Tea set', 'Blue', 'order-1', '25.00', 'USDT', `${TRX},${SEP}`, 'http://127.0.0.1:9/hook'],
    )
    assert.equal(got.expires_at - got.created_at, 3_600_000)
    const shown = await shop.run(['invoice', 'get', id, '--data', data])
    assert.match(shown.stdout, /^Payment {6}unpaid: 0 USDT received, 25 remaining$/m)
    assert.match(shown.stdout, new RegExp(`^Page +${PUBLIC_URL}/pay/${id}$`, 'm'))

    const listed = await shop.run(['invoice', 'list', ...flags, '--reference', 'order-1'])
    assert.match(
      listed.stdout,
      new RegExp(`^created\t.*\\n.*\t${id}\tunpaid\t25\\.00\tUSDT\t0\torder-1\tTea set\t-\\n$`),
    )

    const voided = await shop.json(['invoice', 'void', id, '--data', data])
    assert.equal(typeof voided.voided_at, 'number')
    assert.match((await shop.run(['invoice', 'get', id, '--data', data])).stdout, /^Payment {6}void: /m)
  })

  test('what an invoice says of its order is sent, shown, and looked for', async () => {
    const order = ['--order-number', 'A-7', '--return-url', 'https://shop.example/orders/7']
    const metadata = ['--metadata', 'cart=c=7', '--metadata', '__proto__=\u001b[31mred', '--metadata', 'empty=']
    const id = await shop.invoice('32', ...order, ...metadata)
    const got = await shop.json(['invoice', 'get', id, '--data', shop.data])
    const expected = JSON.parse('{"cart": "c=7", "__proto__": "\\u001b[31mred", "empty": ""}')
    assert.deepEqual([got.orderNumber, got.returnUrl, got.metadata], ['A-7', 'https://shop.example/orders/7', expected])
    const shown = (await shop.run(['invoice', 'get', id, '--data', shop.data])).stdout
    assert.match(shown, /^Order number +A-7$/m)
    assert.match(shown, /^Return to +https:\/\/shop\.example\/orders\/7$/m)
    assert.match(shown, /^Metadata +cart=c=7, __proto__=\?\[31mred, empty=$/m)
    const list = (number: string) =>
      shop.run(['invoice', 'list', '--data', shop.data, '--owner', shop.owner, '--order-number', number])
    assert.match((await list('A-7')).stdout, new RegExp(`\t${id}\t[^\n]*\tA-7\n$`))
    assert.equal((await list('A-')).stdout.split('\n').length, 2)
  })

  test('accept takes what has come as enough', async () => {
    const { data } = shop
    const id = await shop.invoice('29')
    assert.equal(typeof (await shop.json(['invoice', 'accept', id, '--data', data])).accepted_at, 'number')
    const { stdout } = await shop.run(['invoice', 'get', id, '--data', data])
    assert.match(stdout, /^Payment +accepted as paid: 0 \w+ received, 29 remaining$/m)
    assert.match(stdout, /^Accepted /m)
  })

  test('create answers with the same invoice when it is given again with its Idempotency-Key', async () => {
    const first = await shop.invoice('31', '--idempotency-key', 'once')
    assert.equal(await shop.invoice('31', '--idempotency-key', 'once'), first)
  })

  test('list pages through everything, and stops at --limit', async () => {
    const { data, service } = shop
    const owner = 'many'
    await service.assign(owner, {
      id: 'wallet-many',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      network: 'SEP',
    })
    // More than two pages.
    const amounts = Array.from({ length: 1001 }, (_, at) => String(at + 1))
    await Promise.all(
      amounts.map((amount) => service.post('/api/invoices', { owner, walletIds: ['wallet-many'], name: 'n', amount })),
    )
    const { stdout } = await shop.run(['invoice', 'list', '--data', data, '--owner', owner, '--json'])
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).amount)
    assert.deepEqual(
      listed.toSorted((a, b) => a - b),
      amounts,
    )
    for (const limit of [1, 500, 501]) {
      const some = await shop.run([
        'invoice',
        'list',
        '--data',
        data,
        '--owner',
        owner,
        '--json',
        '--limit',
        `${limit}`,
      ])
      assert.equal(some.stdout.trim().split('\n').length, limit)
    }
  })

  test('list filters by status, currency and time, whatever the number of invoices', async () => {
    const flags = ['invoice', 'list', '--data', shop.data, '--owner', 'many', '--json']
    const rows = async (...more: string[]) => {
      const { stdout } = await shop.run([...flags, ...more])
      return stdout === '' ? 0 : stdout.trim().split('\n').length
    }
    assert.equal(await rows('--status', 'unpaid', '--currency', 'native', '--created-after', '1'), 1001)
    // Nothing matches, so every page is empty and all but the last have a next one.
    assert.equal(await rows('--status', 'paid'), 0)
    assert.equal(await rows('--currency', 'USDT'), 0)
    assert.equal(await rows('--created-before', '1'), 0)
    const refused = await shop.run([...flags, '--status', 'void'])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /"code":"invalid_query"/)
  })

  test('a reader that leaves early, such as head, ends a list quietly', async () => {
    const argv = [main.pathname, 'invoice', 'list', '--data', shop.data, '--owner', 'many']
    const script = 'exec 3>&1; { "$0" "$@"; echo "$?" >&3; } | head -n 1'
    const { stdout, stderr } = await runSh(['-c', script, process.execPath, ...argv], { timeoutMs: 60_000 })
    assert.equal(stderr, '')
    assert.match(stdout, /^created\tid\t[^\n]*\n(141|0)\n$/)
  })

  test('a text from others cannot control the terminal', async () => {
    const name = 'a\u001b[31m\u009b2Jb\u202ec'
    const { data, owner, service } = shop
    const { json } = await service.post('/api/invoices', {
      ...{ owner, walletIds: [Shop.wallets.SEP], name, amount: '77' },
      reference: 'hostile',
    })
    for (const argv of [
      ['invoice', 'get', json.id],
      ['invoice', 'list', '--owner', owner],
      ['invoice', 'get', json.id, '--json'],
      ['invoice', 'list', '--owner', owner, '--json'],
    ]) {
      const { stdout } = await shop.run([...argv, '--data', data])
      // Between the fields of a list are tabs.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
      assert.doesNotMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    }
    const parsed = await shop.json(['invoice', 'get', json.id, '--data', data])
    assert.equal(parsed.name, name)
  })

  test('a refusal is one line with its code, and JSON on request', async () => {
    const { code, stdout, stderr } = await shop.run(['invoice', 'get', 'f'.repeat(32), '--data', shop.data])
    assert.deepEqual([code, stdout, stderr], [1, '', 'billhook: No such invoice. (invoice_not_found)\n'])
    const json = await shop.run(['invoice', 'get', 'f'.repeat(32), '--data', shop.data, '--json'])
    assert.deepEqual(JSON.parse(json.stderr), { error: 'No such invoice.', code: 'invoice_not_found' })
  })

  test('a wrong command line is told in full, and nothing is done', async () => {
    const expectations: readonly (readonly [argv: readonly string[], ...lines: string[]])[] = [
      [['invoice', 'crate'], "unknown command 'crate' (Did you mean create?)"],
      [['invoice', 'get'], "missing required argument 'invoice'"],
      [
        [
          'invoice',
          'create',
          '--amoun=5',
          '--expires-in',
          '5',
          '--url',
          'ftp://x',
          '--data',
          'd',
          '--metadata',
          'a',
          '--metadata',
          'b=1',
          '--metadata',
          'b=2',
        ],
        '"--amoun" is not a flag; did you mean --amount? See billhook --help.',
        'invoice create needs --amount.',
        'invoice create needs --wallets.',
        'invoice create needs --name.',
        '--expires-in must be an integer from 60 to 31536000, not "5".',
        '--metadata must be key=value, not "a".',
        '--metadata names "b" twice.',
        '--url cannot be combined with --data.',
        'The identity is missing: give it with --owner or BILLHOOK_OWNER.',
        '--url must be an absolute http or https URL without query, fragment or credentials, not "ftp://x".',
      ],
      [
        ['invoice', 'list', '--key', 'k', '--owner', 'o', '--limit', '0'],
        '--limit must be an integer from 1 to 1000000000, not "0".',
        '--key needs --url: without a URL nothing is signed.',
      ],
    ]
    for (const [argv, ...lines] of expectations) {
      const { code, stdout, stderr } = await shop.run(argv)
      assert.deepEqual([code, stdout, stderr.trimEnd().split('\n')], [2, '', lines])
    }
    const bare = await shop.run(['invoice'])
    assert.equal(bare.code, 2)
    assert.match(bare.stderr, /^Usage: billhook invoice /)
  })
})

describe('billhook invoice on a stopped service', () => {
  test('reads, creates and voids, but does not wait for what cannot happen', async () => {
    const shop = await Shop.open()
    try {
      await shop.stop()
      const id = await shop.invoice('12')
      for (const pages of ['', PUBLIC_URL]) {
        const shown = await shop.run(['invoice', 'get', id, '--data', shop.data], { BILLHOOK_PUBLIC_URL: pages })
        assert.match(shown.stdout, new RegExp(`^Page +${pages}/pay/${id}$`, 'm'))
      }
      assert.equal((await shop.json(['invoice', 'get', id, '--data', shop.data])).payment.status, 'unpaid')
      assert.equal(typeof (await shop.json(['invoice', 'void', id, '--data', shop.data])).voided_at, 'number')
      for (const command of [
        ['invoice', 'watch', id],
        ['sandbox', 'pay', id],
      ]) {
        const { code, stderr } = await shop.run([...command, '--data', shop.data])
        assert.equal(code, 1)
        assert.match(stderr, /^billhook: no service runs on the data directory/)
      }
      assert.equal(existsSync(join(shop.data, 'admin.sock')), false)
    } finally {
      await shop.close()
    }
  })
})
