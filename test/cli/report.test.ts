import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { formatAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import { Shop } from './shop.js'

const FORMULA = '=HYPERLINK("http://evil.example")'
const CONTROL = '\u001b[31m'
const HOUR_MS = 3_600_000

interface Line {
  readonly [field: string]: string | number | null
}

/** A month of a shop in a sandbox, and what its accountant makes of it. */
describe('billhook report', () => {
  let shop: Shop

  before(async () => {
    shop = await Shop.open()
    const first = await shop.order('25.00 EUR', '--order-number', FORMULA, '--reference', `r${CONTROL}`)
    await pay(first, 0, 'whole')
    const second = await shop.order('40.00 USD', '--order-number', '1002')
    await pay(second, 1, 'half', '0.0062375')
    await pay(second, 0, 'rest', '20')
    await shop.service.post('/sandbox/deposits', {
      invoiceId: await shop.invoice('7'),
      kind: 'confirmed',
      txHash: 'plain',
    })
    await shop.service.post('/sandbox/deposits', {
      invoiceId: await shop.invoice('8'),
      kind: 'pending',
      txHash: 'unsure',
    })
  })

  after(() => shop.close())

  const pay = async (id: string, option: number, txHash: string, amount?: string) => {
    const { options } = await shop.json(['order', 'get', id, '--data', shop.data])
    const deposit = {
      invoiceId: options[option].invoice.id,
      kind: 'confirmed',
      txHash,
      ...(amount === undefined ? {} : { amount }),
    }
    const { status, text } = await shop.service.post('/sandbox/deposits', deposit)
    assert.equal(status, 200, text)
  }
  const day = (offsetMs = 0) => new Date(Date.now() + offsetMs).toISOString().slice(0, 10)
  /** Yesterday and tomorrow belong to it: the day may change while the test runs. */
  const days = () => ['--from', day(-24 * HOUR_MS), '--to', day(24 * HOUR_MS)]
  const lines = async (name: string, ...more: readonly string[]): Promise<readonly Line[]> => {
    const { code, stdout } = await shop.run(['report', name, '--data', shop.data, ...days(), '--json', ...more])
    assert.equal(code, 0)
    return stdout
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  const sum = (all: readonly Line[], field: string) =>
    formatAmount(all.reduce((atoms, line) => atoms + (parseInvoiceAmount(String(line[field])) ?? assert.fail()), 0n))

  test('says what was received, and agrees with the export of deposits', async () => {
    const received = await lines('received')
    assert.deepEqual(
      received.map((line) =>
        ['tx_hash', 'network', 'coin', 'amount', 'price', 'price_currency', 'rate', 'value'].map((name) => line[name]),
      ),
      [
        ['whole', 'TRX-NILE', 'USDT', '27.18', '25.00', 'EUR', '0.92', '25.01'],
        ['half', 'SEP', 'ETH', '0.0062375', '40.00', 'USD', '3206.63', '20.00'],
        ['rest', 'TRX-NILE', 'USDT', '20', '40.00', 'USD', '1', '20.00'],
        ['plain', 'TRX-NILE', 'TRX', '7', null, null, null, null],
      ],
    )
    const exported = (await shop.run(['export', 'deposits', '--data', shop.data])).stdout
    const confirmed = exported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'confirmed')
    const raw = confirmed
      .filter(({ currency }) => currency === 'Tether')
      .reduce((all, { amount }) => all + BigInt(amount), 0n)
    assert.equal(raw, 47_180_000n)
    assert.equal(
      sum(
        received.filter(({ coin }) => coin === 'USDT'),
        'amount',
      ),
      '47.18',
    )
    assert.equal(confirmed.length, received.length)
  })

  test('adds up days, and says on standard error what is left out', async () => {
    const daily = await lines('daily')
    assert.deepEqual(
      daily.map((line) =>
        ['network', 'coin', 'deposits', 'amount', 'currency', 'value', 'value_exact'].map((name) => line[name]),
      ),
      [
        ['SEP', 'ETH', 1, '0.0062375', 'USD', '20.00', '20.001354625'],
        ['TRX-NILE', 'TRX', 1, '7', null, null, null],
        ['TRX-NILE', 'USDT', 1, '27.18', 'EUR', '25.01', '25.0056'],
        ['TRX-NILE', 'USDT', 1, '20', 'USD', '20.00', '20'],
      ],
    )
    const { stderr } = await shop.run(['report', 'daily', '--data', shop.data, ...days()])
    assert.equal(stderr, 'Deposits of this period that are not confirmed yet, and are left out: 1.\n')
  })

  test('lists the orders of the period, newest first, and those of one owner', async () => {
    const orders = await lines('orders', '--owner', shop.owner)
    assert.deepEqual(
      orders.map((line) => ['order_number', 'price', 'price_currency', 'status', 'overpaid'].map((name) => line[name])),
      [
        ['1002', '40.00', 'USD', 'paid', null],
        [FORMULA, '25.00', 'EUR', 'paid', null],
      ],
    )
    assert.match(
      String(orders[0]?.['options']),
      /^40\.00 USDT at 1: 20 received \| 0\.012475 ETH at 3206\.63: 0\.0062375 received$/,
    )
    assert.deepEqual(await lines('orders', '--owner', 'nobody'), [])
    assert.deepEqual(await lines('received', '--owner', 'nobody'), [])
  })

  test('is CSV with a head, without formulas and what a terminal obeys, also of nothing', async () => {
    const { stdout } = await shop.run(['report', 'received', '--data', shop.data, ...days()])
    const [head = '', first = ''] = stdout.split('\n')
    assert.match(head, /^day,time,received_at,confirmed_at,network,coin,amount,tx_hash,index,.*,value,value_exact$/)
    assert.ok(first.includes(`"'=HYPERLINK(""http://evil.example"")",r\\u001b[31m,25.00,EUR,0.92,`), first)
    assert.doesNotMatch(stdout, /(?![\n\t])[\p{Cc}\p{Bidi_C}]/u)
    const empty = await shop.run([
      'report',
      'received',
      '--data',
      shop.data,
      '--from',
      '2020-01-01',
      '--to',
      '2020-12-31',
    ])
    assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, `${head}\n`, ''])
  })

  test('names every flag that is wrong', async () => {
    for (const [flags, problems] of [
      [[], ['report needs --from.', 'report needs --to.']],
      [['--from', '2026-11-31', '--to', '2026-12-01'], ['--from must be a day such as 2026-11-01, not "2026-11-31".']],
      [
        ['--from', '2026-11-02', '--to', '2026-11-01'],
        ['--to must be a day such as 2026-11-30, and not before --from, not "2026-11-01".'],
      ],
      [
        ['--from', '2026-11-01', '--to', '2026-11-01', '--zone', 'Berlin'],
        ['--zone must be a time zone such as Europe/Berlin, not "Berlin".'],
      ],
      [['--form', '2026-11-01'], ['"--form" is not a flag']],
    ] as const) {
      const { code, stdout, stderr } = await shop.run(['report', 'received', '--data', shop.data, ...flags])
      assert.deepEqual([code, stdout], [2, ''])
      for (const problem of problems) assert.ok(stderr.includes(problem), stderr)
    }
  })

  test('is the same without a running service', async () => {
    const argv = ['report', 'received', '--data', shop.data, ...days()]
    const served = await shop.run(argv)
    await shop.stop()
    assert.deepEqual(await shop.run(argv), served)
  })
})
