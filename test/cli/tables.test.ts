import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TextTable } from '../../src/cli/text-table.js'
import type { Column } from '../../src/listing/column.js'
import { deliveryColumns } from '../../src/listing/deliveries.js'
import { depositColumns } from '../../src/listing/deposits.js'
import { invoiceColumns } from '../../src/listing/invoices.js'
import { keyColumns } from '../../src/listing/keys.js'
import { orderColumns } from '../../src/listing/orders.js'
import { walletColumns } from '../../src/listing/wallets.js'
import { testKey } from '../support/signing.js'
import { validAddress } from '../support/valid-address.js'
import { Shop } from './shop.js'
import { noTerminal, Terminal } from './terminal.js'

describe('a table on a terminal', () => {
  const columns: readonly Column<{ readonly name: string; readonly count: number | null }>[] = [
    { title: 'Name', of: ({ name }) => name },
    { title: 'Count', kind: 'figure', of: ({ count }) => count?.toString() ?? null },
    { title: 'End', of: () => 'x' },
  ]

  test('aligns words at their beginning and figures at their end, and cannot control the terminal', async () => {
    const printed: string[] = []
    const table = new TextTable(columns, async (text) => void printed.push(text))
    for (const one of [
      { name: 'tea', count: 5 },
      { name: 'a\u001b[2J\nset', count: null },
      { name: '', count: 1234567 },
    ]) {
      await table.add(one)
    }
    assert.deepEqual(printed, [])
    await table.flush()
    assert.equal(
      printed.join(''),
      ['Name         Count  End', 'tea              5  x', 'a?[2J?set        –  x', '           1234567  x', ''].join(
        '\n',
      ),
    )
  })

  test('is printed in pieces, whose columns never become narrower', async () => {
    const printed: string[] = []
    const table = new TextTable(columns, async (text) => void printed.push(text))
    for (let i = 0; i < 250; i += 1) await table.add({ name: i === 0 ? 'wide name' : 'n', count: i })
    assert.equal(printed.length, 2)
    await table.flush()
    const lines = printed.join('').trimEnd().split('\n')
    assert.equal(lines.length, 251)
    assert.equal(new Set(lines.slice(1).map((line) => line.length)).size, 1)
  })
})

test('lists on a terminal have the columns of the console, and the same fields as before in a pipe', {
  skip: noTerminal,
}, async (t) => {
  const shop = await Shop.open()
  t.after(() => shop.close())
  await shop.service.register(shop.owner, testKey('a key of the shop'))
  await shop.invoice('25', '--reference', 'order-1')
  for (const [txHash, currency, amount] of [
    ['first', 'Tether', '5000000'],
    ['second', '#native', '0.125'],
  ]) {
    const deposit = { network: 'SEP', toAddress: validAddress('SEP', 'shop'), txHash, currency, amount }
    const [result] = await shop.service.push({ id: `${txHash}`, type: 'deposit.confirmed', deposit })
    assert.equal(result?.status, 'applied', JSON.stringify(result))
  }
  const seen = async (...argv: readonly string[]) => {
    const { code, text } = await Terminal.start([...argv, '--data', shop.data]).ended
    assert.equal(code, 0, text)
    return text.replaceAll('\r\n', '\n').split('\n')
  }
  const headOf = (columns: Readonly<Record<string, Column<never>>>) => Object.values(columns).map(({ title }) => title)
  for (const [kind, columns, cell] of [
    ['wallets', walletColumns, Shop.wallets.TRX],
    ['deposits', depositColumns({ SEP: { native: 18, USDT: 6 }, 'TRX-NILE': { native: 6, USDT: 6 } }), null],
    ['deliveries', deliveryColumns, null],
    ['keys', keyColumns, 'test'],
  ] as const) {
    const [head = '', ...rows] = await seen(kind, 'list')
    assert.deepEqual(head.split(/ {2,}/), headOf(columns), kind)
    if (cell !== null)
      assert.ok(
        rows.some((row) => row.includes(cell)),
        rows.join('\n'),
      )
    const { stdout } = await shop.run([kind, 'list', '--data', shop.data])
    assert.ok(stdout.split('\n')[0]?.includes('\t'), stdout)
  }
  const { stdout: piped } = await shop.run(['invoice', 'list', '--owner', shop.owner, '--data', shop.data])
  const [names = '', fields = '', ...behind] = piped.split('\n').map((line) => line.split('\t'))
  assert.deepEqual(names, [
    'created',
    'id',
    'state',
    'amount',
    'currency',
    'received',
    'reference',
    'name',
    'orderNumber',
  ])
  assert.deepEqual(fields.slice(2), ['unpaid', '25', 'native', '0', 'order-1', 'Tea', '-'])
  assert.deepEqual(behind, [['']])
  const amounts = (await seen('deposits', 'list')).slice(1, -1).map((row) => row.split(/ {2,}/).slice(2, 6))
  assert.deepEqual(amounts, [
    ['confirmed', '0.125', 'native', 'second'],
    ['confirmed', '5', 'USDT', 'first'],
  ])
  const [head = '', row = ''] = await seen('invoice', 'list', '--owner', shop.owner)
  assert.deepEqual(head.split(/ {2,}/), headOf(invoiceColumns))
  assert.deepEqual(row.split(/ {2,}/).slice(2), ['unpaid', '25', 'native', '0', 'order-1', 'Tea', '–'])
  await shop.order('25.00 EUR', '--reference', 'order-2')
  const [orderHead = '', order = ''] = await seen('order', 'list', '--owner', shop.owner)
  assert.deepEqual(orderHead.split(/ {2,}/), headOf(orderColumns))
  assert.deepEqual(order.split(/ {2,}/).slice(2), ['unpaid', '25.00', 'EUR', '0', 'order-2', 'Tea', '–'])
  const [titles = '', created = ''] = await seen('events', 'list', '--owner', shop.owner)
  assert.deepEqual(titles.split(/ {2,}/), ['At', 'Event', 'Invoice', 'Reference', 'Details', 'Cursor'])
  assert.equal(created.split(/ {2,}/)[1], 'invoice.created')
})
