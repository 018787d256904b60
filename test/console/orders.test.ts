import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConsoleFixture, OWNER, tablesOf, WALLET } from './console-fixture.js'

const HOSTILE = '"><script>alert(1)</script>\u202e'
const FORMULA = '=1+1'
/** So many that one of them has an id for the test. */
const ORDERS_TRIED_MAX = 500

/** A shop with an order of 25 USDT, or half an ether, on one wallet. */
async function withShop(t: Parameters<typeof ConsoleFixture.start>[0]) {
  const console = await ConsoleFixture.start(t)
  await console.service.assign(OWNER, WALLET)
  const order = async (more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const options = [
      { walletIds: [WALLET.id], currency: 'USDT' },
      { walletIds: [WALLET.id], currency: 'native', amount: '0.5' },
    ]
    const body = { owner: OWNER, price: { amount: '25.00', currency: 'USDT' }, options, name: 'Tea', ...more }
    const created = await console.service.post('/api/orders', body)
    assert.equal(created.status, 201, created.text)
    return created.json.id
  }
  return { console, order }
}

describe('the orders of the console', () => {
  test('are listed, found by number, reference, id and state, and had as CSV', async (t) => {
    const { console, order } = await withShop(t)
    const first = await order({ orderNumber: FORMULA, reference: 'o-1' })
    await console.deposit('0x1', '25000000')
    const second = await order({ orderNumber: 'N-2', reference: 'o-2' })
    const found = async (query: string) => {
      const { html } = await console.page(`/console/orders${query}`)
      return [...html.matchAll(/href="\/console\/orders\/([0-9a-f]{32})"/g)].map(([, id]) => id)
    }
    assert.deepEqual(await found(''), [second, first])
    assert.deepEqual(await found(`?owner=${OWNER}&name=&state=`), [second, first])
    assert.deepEqual(await found('?state=paid'), [first])
    assert.deepEqual(await found('?state=unpaid'), [second])
    assert.deepEqual(await found('?name=N-2'), [second])
    assert.deepEqual(await found('?name=o-1'), [first])
    assert.deepEqual(await found(`?name=${first}`), [first])
    assert.deepEqual(await found('?name=o-1&state=unpaid'), [])
    assert.deepEqual(await found('?name=o-1&owner=other'), [])
    assert.deepEqual(await found('?name=N'), [])
    assert.deepEqual(await found('?owner=nobody'), [])
    const csv = await console.visit('/console/csv/orders?state=paid')
    const [head, line = '', ...more] = csv.html.trimEnd().split('\n')
    assert.equal(head, 'Created,Order,State,Price,Currency,Paid part,Reference,Name,Order number')
    assert.ok(line.includes(`,${first},paid,25.00,USDT,1,o-1,Tea,'=1+1`), line)
    assert.deepEqual(more, [])
    assert.match((await console.page('/console')).html, /href="\/console\/orders"/)
  })

  test('have a page with price, options, rates, deposits and a timeline, on which their texts are inert', async (t) => {
    const { console, order } = await withShop(t)
    const id = await order({ orderNumber: HOSTILE, metadata: { key: HOSTILE }, returnUrl: 'https://shop.example/' })
    await console.deposit('0x1', '26000000')
    const { html, text } = await console.page(`/console/orders/${id}`)
    assert.ok(!html.includes('<script>'))
    const rowsOf = (caption: string) => tablesOf(html).find((one) => one.caption.startsWith(caption))?.rows ?? []
    assert.deepEqual(
      rowsOf('What each option asks').map(([, amount, rate, , , received, , remaining]) => [
        amount,
        rate,
        received,
        remaining,
      ]),
      [
        ['25.00 USDT', '1', '26', '0'],
        ['0.5 ETH', 'fixed', '0', '0'],
      ],
    )
    assert.deepEqual(
      rowsOf('All, newest first').map(([, network, state, , amount]) => [network, state, amount]),
      [['SEP', 'confirmed', '26 USDT']],
    )
    assert.deepEqual(
      rowsOf('Oldest first').map(([, what]) => what),
      ['Created for 25.00 USDT', '26 USDT received on SEP', '26 USDT confirmed', 'The price was complete'],
    )
    assert.match(text, /Price 25\.00 USDT/)
    assert.match(text, /Overpaid 1 USDT/)
    assert.ok(html.includes(`/order/${id}"`))
    const [, invoice = ''] = /href="(\/console\/invoices\/[0-9a-f]{32})"/.exec(html) ?? []
    assert.ok((await console.page(invoice)).html.includes(`href="/console/orders/${id}"`))
    assert.equal((await console.visit(`/console/orders/${'0'.repeat(32)}`)).status, 404)
  })

  test('are found by the beginning of an id of which nothing but the highest digit is left out', async (t) => {
    const { console, order } = await withShop(t)
    let id = ''
    // One of sixteen ids ends so.
    for (let n = 0; n < ORDERS_TRIED_MAX && !id.endsWith('f'); n += 1) {
      id = await order({ reference: `ref-${n}` })
      const ended = await console.service.post(`/api/orders/${id}/void`, { owner: OWNER })
      assert.equal(ended.status, 200, ended.text)
    }
    assert.match(id, /f$/)
    const { html } = await console.page(`/console/search?q=${id.slice(0, 31)}`)
    const [row = []] = tablesOf(html)[0]?.rows ?? []
    assert.deepEqual([row[0], row[1]?.split(', ')[0]], ['Order', 'order id'])
    assert.ok(html.includes(`/console/orders/${id}"`))
  })

  test('are found by the search before their invoices, and deposits are told in the symbol of their coin', async (t) => {
    const { console, order } = await withShop(t)
    const id = await order({ orderNumber: 'N-7', reference: 'ref-7' })
    const found = async (typed: string) => {
      const { html } = await console.page(`/console/search?q=${encodeURIComponent(typed)}`)
      return (tablesOf(html)[0]?.rows ?? []).map(([what = '', matched = '', name = '', , amount = '']) => [
        what,
        matched,
        name,
        amount,
      ])
    }
    const hit = (matched: string) => ['Order', matched, 'N-7', '25.00 USDT']
    assert.deepEqual((await found('n-7'))[0], hit('order number'))
    assert.deepEqual((await found('N-'))[0], hit('order number'))
    assert.deepEqual((await found('ref-7'))[0], hit('reference'))
    assert.deepEqual(
      (await found('ref-7')).map(([what]) => what),
      ['Order', 'Invoice', 'Invoice'],
    )
    for (const text of [id, id.toUpperCase(), id.slice(0, 31)]) {
      // Ids of one moment may begin alike, and then its invoices are found, too.
      const [what, matched, name] = (await found(text))[0] ?? []
      assert.deepEqual([what, matched?.split(', ')[0], name], ['Order', 'order id', 'N-7'], text)
    }
    const coin = {
      network: 'SEP',
      txHash: `0x${'c'.repeat(64)}`,
      toAddress: WALLET.address,
      currency: '#native',
      amount: '90',
    }
    const event = { id: 'coin', type: 'deposit.pending', deposit: { ...coin, receivedAt: Date.now() + 1000 } }
    await console.service.push(event)
    assert.deepEqual((await found(coin.txHash))[0]?.at(3), '90 ETH on SEP')
  })
})
