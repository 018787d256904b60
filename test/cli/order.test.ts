import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { orderPaymentText } from '../../src/cli/order-text.js'
import { startChild } from './child.js'
import { Shop } from './shop.js'

const main = new URL('../../src/main.js', import.meta.url)
const PUBLIC_URL = 'http://127.0.0.1:9/pages'
const { TRX, SEP } = Shop.wallets

describe('billhook order', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open('sandbox', { BILLHOOK_PUBLIC_URL: PUBLIC_URL })
  })

  after(() => shop.close())

  test('create, get, list and void work through admin.sock', async () => {
    const flags = ['--data', shop.data, '--owner', shop.owner]
    const created = await shop.run([
      ...['order', 'create', ...flags, '--price', '25.00 EUR', '--name', 'Tea set', '--description', 'Blue'],
      ...['--option', `USDT:${TRX},${SEP}`, '--option', `native:${SEP}`, '--option', `0.5 native:${TRX}`],
      ...['--reference', 'shop-1', '--order-number', 'A-7', '--return-url', 'https://shop.example/orders/7'],
      ...['--metadata', 'cart=7', '--expires-in', '3600', '--callback-url', 'http://127.0.0.1:9/hook'],
    ])
    assert.deepEqual([created.code, created.stderr], [0, ''])
    const [first = '', ...lines] = created.stdout.trimEnd().split('\n')
    const id = /^Order {5}([0-9a-f]{32})$/.exec(first)?.[1] ?? assert.fail(created.stdout)
    assert.deepEqual(lines.slice(0, -1), [
      `Page      ${PUBLIC_URL}/order/${id}`,
      'Option 1  27.18 USDT at 0.92 EUR',
      'Option 2  0.008475 native at 2950.1 EUR',
      'Option 3  0.5 native, fixed',
    ])

    const got = await shop.json(['order', 'get', id, '--data', shop.data])
    assert.deepEqual(got.price, { amount: '25.00', currency: 'EUR' })
    assert.deepEqual(
      [got.name, got.description, got.reference, got.orderNumber, got.returnUrl, got.metadata],
      ['Tea set', 'Blue', 'shop-1', 'A-7', 'https://shop.example/orders/7', { cart: '7' }],
    )
    assert.equal(got.expires_at - got.created_at, 3_600_000)
    const invoices = got.options.map(({ invoice }: { invoice: Record<string, string> }) => invoice)
    assert.deepEqual(
      invoices.map((one: Record<string, string>) => [one['wallet_ids'], one['amount'], one['currency']]),
      [
        [`${TRX},${SEP}`, '27.18', 'USDT'],
        [SEP, '0.008475', 'native'],
        [TRX, '0.5', 'native'],
      ],
    )
    assert.equal(invoices[0].callback_url, 'http://127.0.0.1:9/hook')

    const { stdout } = await shop.run(['order', 'get', id, '--data', shop.data])
    const remaining = '27.18 USDT or 0.008475 native or 0.5 native remaining'
    assert.match(stdout, new RegExp(`^Payment +unpaid: 0 of 25\\.00 EUR received, ${remaining}$`, 'm'))
    assert.match(
      stdout,
      new RegExp(`^Option 1 +27\\.18 USDT at 0\\.92 EUR: 0 received, invoice ${invoices[0].id}$`, 'm'),
    )
    assert.match(stdout, new RegExp(`^Page +${PUBLIC_URL}/order/${id}$`, 'm'))

    const names = 'created\tid\tstate\tprice\tcurrency\tpaid\treference\tname\torderNumber'
    const fields = `${id}\tunpaid\t25\\.00\tEUR\t0\tshop-1\tTea set\tA-7`
    for (const filter of [
      ['--reference', 'shop-1'],
      ['--order-number', 'A-7'],
      ['--status', 'unpaid'],
    ]) {
      const listed = await shop.run(['order', 'list', ...flags, ...filter])
      assert.match(listed.stdout, new RegExp(`^${names}\\n[^\\n]*\t${fields}\\n$`))
    }
    assert.equal((await shop.run(['order', 'list', ...flags, '--status', 'paid', '--json'])).stdout, '')

    const voided = await shop.run(['order', 'void', id, '--data', shop.data])
    assert.match(voided.stdout, /^Payment +void: 0 of 25\.00 EUR received$/m)
    assert.match(voided.stdout, /^Option 3 +0\.5 native, fixed: 0 received, void, invoice [0-9a-f]{32}$/m)
    assert.match(voided.stdout, /^Void since /m)
  })

  test('accept takes what has come as enough', async () => {
    const id = await shop.order('29 EUR')
    const { stdout } = await shop.run(['order', 'accept', id, '--data', shop.data])
    assert.match(stdout, /^Payment +accepted as paid: 0 of 29 EUR received$/m)
    assert.match(stdout, /^Accepted /m)
  })

  test('void and accept leave a trace, which says of a repetition that nothing changed', async () => {
    const [one, other] = [await shop.order('41 EUR'), await shop.order('43 EUR')]
    for (const [how, id] of [
      ['void', one],
      ['void', one],
      ['accept', other],
      ['accept', other],
      ['accept', one],
    ] as const) {
      const { code } = await shop.run(['order', how, id, '--data', shop.data])
      assert.equal(code, how === 'accept' && id === one ? 1 : 0)
    }
    const { stdout } = await shop.run(['audit', 'list', '--data', shop.data, '--json'])
    const records = stdout.split('\n').slice(0, 5)
    assert.deepEqual(
      records
        .map((line) => JSON.parse(line))
        .map(({ action, subject, outcome, detail }) => [action, subject, outcome, detail]),
      [
        ['order.accept', one, 'refused', 'order_void'],
        ['order.accept', other, 'done', 'nothing changed'],
        ['order.accept', other, 'done', null],
        ['order.void', one, 'done', 'nothing changed'],
        ['order.void', one, 'done', null],
      ],
    )
  })

  test('create answers with the same order when it is given again with its Idempotency-Key', async () => {
    const first = await shop.order('31 EUR', '--idempotency-key', 'once')
    assert.equal(await shop.order('31 EUR', '--idempotency-key', 'once'), first)
  })

  test('an id of a wallet may have colons, blanks and signs', async () => {
    const wallet = 'eip155:1 = 2'
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    await shop.service.assign('colons', { id: wallet, address, network: 'SEP' })
    const flags = ['--data', shop.data, '--owner', 'colons', '--name', 'Tea', '--price', '5 EUR']
    const { id } = await shop.json(['order', 'create', ...flags, '--option', `7 USDT:${wallet}`])
    const { options } = await shop.json(['order', 'get', id, '--data', shop.data])
    assert.deepEqual([options[0].invoice.wallet_id, options[0].invoice.amount], [wallet, '7'])
  })

  test('list pages through everything, and stops at --limit', async () => {
    const owner = 'many'
    const address = '0xde709f2102306220921060314715629080e2fb77'
    await shop.service.assign(owner, { id: 'wallet-many', address, network: 'SEP' })
    // More than two pages.
    const amounts = Array.from({ length: 201 }, (_, at) => String(at + 1))
    const prices = amounts.map((amount) => ({
      ...{ owner, name: 'Tea', price: { amount, currency: 'EUR' } },
      options: [{ walletIds: ['wallet-many'], currency: 'USDT', amount }],
    }))
    await Promise.all(prices.map((order) => shop.service.post('/api/orders', order)))
    const listed = async (...more: readonly string[]) => {
      const { stdout } = await shop.run(['order', 'list', '--data', shop.data, '--owner', owner, '--json', ...more])
      const lines = stdout.trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line).price.amount)
    }
    assert.deepEqual(
      (await listed()).toSorted((a, b) => a - b),
      amounts,
    )
    for (const limit of [1, 100, 101]) assert.equal((await listed('--limit', `${limit}`)).length, limit)
    const refused = await shop.run(['order', 'list', '--data', shop.data, '--owner', owner, '--status', 'late'])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /\(invalid_query\)/)
  })

  test('a text from others cannot control the terminal', async () => {
    const name = 'a\u001b[31m\u009b2Jb\u202ec'
    const id = await shop.order('77 EUR', '--name', name, '--reference', 'hostile', '--metadata', `key=${name}`)
    for (const argv of [
      ['order', 'get', id],
      ['order', 'list', '--owner', shop.owner],
      ['order', 'get', id, '--json'],
      ['order', 'list', '--owner', shop.owner, '--json'],
    ]) {
      const { stdout } = await shop.run([...argv, '--data', shop.data])
      // Between the fields of a list are tabs.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
      assert.doesNotMatch(stdout, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    }
    assert.equal((await shop.json(['order', 'get', id, '--data', shop.data])).name, name)
  })

  test('a refusal is one line with its code, and says which coin has no rate', async () => {
    const none = await shop.run(['order', 'get', 'f'.repeat(32), '--data', shop.data])
    assert.deepEqual([none.code, none.stdout, none.stderr], [1, '', 'billhook: No such order. (order_not_found)\n'])
    const flags = ['--data', shop.data, '--owner', shop.owner, '--name', 'Tea']
    const create = ['order', 'create', ...flags, '--price', '5 CHF', '--option', `USDT:${TRX}`]
    const { code, stderr } = await shop.run(create)
    assert.equal(code, 1)
    assert.match(stderr, /^billhook: There is no current rate for this currency\. Coin: USDT\. \(rate_unavailable\) /)
  })

  test('a wrong command line is told in full, and nothing is done', async () => {
    const form = '--option must be <currency>:<wallets> or "<amount> <currency>:<wallets>", not'
    const expectations: readonly (readonly [argv: readonly string[], ...lines: string[]])[] = [
      [['order', 'crate'], "unknown command 'crate' (Did you mean create?)"],
      [['order', 'get'], "missing required argument 'order'"],
      [
        ['order', 'create', '--expires-in', '5', '--metadata', 'a'],
        'order create needs --price.',
        'order create needs --option.',
        'order create needs --name.',
        '--expires-in must be an integer from 60 to 31536000, not "5".',
        '--metadata must be key=value, not "a".',
        'The identity is missing: give it with --owner or BILLHOOK_OWNER.',
      ],
      [
        [
          ...['order', 'create', '--price', '25EUR', '--name', 'n', '--owner', 'o'],
          ...['--option', 'USDT', '--option', 'USDT:', '--option', '5 USDT w', '--option', ':w', '--option', 'USDT:w'],
        ],
        '--price must be an amount and a currency, such as "25.00 EUR", not "25EUR".',
        `${form} "USDT".`,
        `${form} "USDT:".`,
        `${form} "5 USDT w".`,
        `${form} ":w".`,
      ],
      [
        [
          ...['order', 'create', '--price', '25 EUR', '--name', 'n', '--owner', 'o'],
          ...Array.from({ length: 11 }, (_, i) => ['--option', `USDT:w${i}`]).flat(),
        ],
        '--option may be given up to 10 times, not 11 times.',
      ],
    ]
    for (const [argv, ...lines] of expectations) {
      const { code, stdout, stderr } = await shop.run(argv)
      assert.deepEqual([code, stdout, stderr.trimEnd().split('\n')], [2, '', lines])
    }
  })
})

describe('billhook order watch', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
  })

  after(() => shop.close())

  test('prints every change and ends with 0 when two coins have paid the order', async () => {
    const id = await shop.order('25.00 EUR')
    const { options } = await shop.json(['order', 'get', id, '--data', shop.data])
    const [inTokens, inEther] = options.map(({ invoice }: { invoice: { id: string } }) => invoice.id)
    const pay = (invoice: string, amount: string) =>
      shop.json(['sandbox', 'pay', invoice, '--data', shop.data, '--amount', amount])
    const watching = startChild(main, ['order', 'watch', id, '--data', shop.data, '--interval', '1'])
    await watching.wrote('stdout', 'Z unpaid: 0 of 25.00 EUR received, 27.18 USDT or 0.008475 native remaining\n')
    await pay(inTokens, '13.59')
    const half = 'Z partly paid: 0.5 of 25.00 EUR received (13.59 USDT)'
    await watching.wrote('stdout', `${half}, 13.59 USDT or 0.004238 native remaining\n`)
    await pay(inEther, '0.004238')
    const { code, stdout, stderr } = await watching.ended
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /Z paid: 1\.00005\d+ of 25\.00 EUR received \(13\.59 USDT and 0\.004238 native\)\n$/)
    const again = await shop.json(['order', 'watch', id, '--data', shop.data])
    assert.deepEqual([again.id, again.status], [id, 'paid'])
  })

  test('ends with 1 when the order is void, with 3 at the timeout', async () => {
    const id = await shop.order('41 EUR')
    const watch = ['order', 'watch', id, '--data', shop.data, '--interval', '1']
    const late = await shop.run([...watch, '--timeout', '1'])
    assert.deepEqual([late.code, late.stderr], [3, 'billhook: the order was not paid in this time.\n'])
    await shop.json(['order', 'void', id, '--data', shop.data])
    const { code, stdout } = await shop.run(watch)
    assert.equal(code, 1)
    assert.match(stdout, /Z void: 0 of 41 EUR received\n$/)
  })
})

describe('billhook order on a stopped service', () => {
  test('creates, reads and voids, but does not wait for what cannot happen', async () => {
    const shop = await Shop.open()
    try {
      await shop.stop()
      const flags = ['--data', shop.data, '--owner', shop.owner, '--name', 'Tea', '--price', '12 EUR']
      const { id } = await shop.json(['order', 'create', ...flags, '--option', `13 USDT:${TRX}`])
      assert.equal((await shop.json(['order', 'get', id, '--data', shop.data])).status, 'unpaid')
      assert.equal((await shop.json(['order', 'list', '--owner', shop.owner, '--data', shop.data])).id, id)
      const { code, stderr } = await shop.run(['order', 'watch', id, '--data', shop.data])
      assert.equal(code, 1)
      assert.match(stderr, /^billhook: no service runs on the data directory/)
      assert.equal((await shop.json(['order', 'void', id, '--data', shop.data])).status, 'void')
    } finally {
      await shop.close()
    }
  })
})

test('the payment of an order in words', () => {
  const option = (currency: string, own: string, pending: string, remaining: string, voidedAt: number | null) => ({
    ...{ invoice: { currency }, payment: { own, pending }, remaining, voided_at: voidedAt },
  })
  const told = (status: string, part: string, ends: { voided?: number; accepted?: number }, options: unknown[]) => {
    const order = { status, paid_fraction: part, price: { amount: '25', currency: 'EUR' }, options }
    const record = { ...order, voided_at: ends.voided ?? null, accepted_at: ends.accepted ?? null }
    // The fields that the words come from.
    return orderPaymentText(record as unknown as Parameters<typeof orderPaymentText>[0])
  }
  const open = [option('USDT', '10', '5', '15', null), option('native', '0', '0.1', '0.2', null)]
  const half = '0.400000000000000000'
  assert.equal(
    told('partly', half, {}, open),
    'partly paid: 0.4 of 25 EUR received (10 USDT), 5 USDT and 0.1 native pending, 15 USDT or 0.2 native remaining',
  )
  const ended = [option('USDT', '10', '0', '15', 1), option('native', '0', '0', '0.2', 1)]
  assert.equal(told('partly', half, { voided: 1 }, ended), 'partly paid and void: 0.4 of 25 EUR received (10 USDT)')
  assert.equal(told('expired', '0.000000000000000000', { voided: 1 }, []), 'expired: 0 of 25 EUR received')
  assert.equal(told('paid', '10.000000000000000000', {}, []), 'paid: 10 of 25 EUR received')
  assert.equal(
    told('paid', half, { accepted: 1 }, [option('USDT', '10', '0', '0', null)]),
    'accepted as paid: 0.4 of 25 EUR received (10 USDT)',
  )
})
