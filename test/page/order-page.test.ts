import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANGUAGES } from '../../src/page/language.js'
import { orderPage } from '../../src/page/order-page.js'
import { orderVersionOf } from '../../src/page/order-view.js'
import { START_MS } from '../support/manual-clock.js'
import { pageNetworks } from '../support/networks.js'
import { frameOf, SHOP, textOf } from './frame.js'
import {
  cameIn,
  ETHER_WALLET,
  IN_ETHER,
  IN_USDT,
  MINUTE_MS,
  NILE_WALLET,
  ORDER_ID,
  type OrderOfTest,
  orderView,
  PENDING,
  SEP_WALLET,
} from './order-fixture.js'

const FACTS = {
  SEP: { chainId: 11155111, token: '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06', tokenStandard: 'ERC20' },
  'TRX-NILE': { tokenStandard: 'TRC20' },
}

const networks = pageNetworks(FACTS)

/** Without the script, which names what it looks for. */
const html = (order: OrderOfTest = {}, frame = frameOf()) =>
  orderPage(frame, orderView({ networks, ...order })).replace(/(<script[^>]*>)[\s\S]*?(?=<\/script>)/g, '$1')

/** The text of a page with blanks between its blocks. */
const wordsOf = (page: string) => textOf(page.replace(/<\/(p|dt|dd|div|a|h1|h2)>/g, ' ')).trim()
const text = (order: OrderOfTest = {}, frame = frameOf()) => wordsOf(html(order, frame))

const figureOf = (page: string) =>
  textOf(/<p class="amount[^"]*"><span class="unseen">.*?<\/span> (.*?)<\/p>/.exec(page)?.[1] ?? '')
const statusOf = (page: string) => wordsOf(/<div class="status.*?<\/div>/s.exec(page)?.[0] ?? '')
const choicesOf = (page: string) =>
  [...page.matchAll(/<a [^>]*data-choice="[^"]*"[^>]*>.*?<\/a>/g)].map(([link]) => link)
const addressesOf = (page: string) => [...page.matchAll(/data-label="Copy address"/g)].length

const HALF_USDT = { ...IN_USDT, deposits: [cameIn('13.59', 1)] }
const HALF_ETHER = { ...IN_ETHER, deposits: [cameIn('0.0042375', 2)] }
const EXPIRED = { expiresAt: START_MS - MINUTE_MS }
const GONE = { voidedAt: START_MS - MINUTE_MS }

describe('the page of an order that nobody has paid', () => {
  test('shows what is bought, its price in the shop’s currency, and what is due in the first coin', () => {
    const page = html({
      order: { description: 'Six cups', fields: { returnUrl: null, orderNumber: 'N-7', metadata: null } },
    })
    for (const part of ['Tea set for six', 'Six cups', 'Order number N-7', 'Price €25.00', 'No payment seen yet']) {
      assert.ok(wordsOf(page).includes(part), part)
    }
    assert.equal(figureOf(page), '27.18 USDT')
  })

  test('offers each coin with its networks as exchanges call them, and says which one is shown', () => {
    const links = choicesOf(html())
    assert.deepEqual(links.map(wordsOf), [
      '27.18 USDT Ethereum Sepolia (ERC20) or TRON Nile (TRC20)',
      '0.008475 ETH Ethereum Sepolia',
    ])
    assert.deepEqual(
      links.map((link) => link.includes('aria-current="true"')),
      [true, false],
    )
    assert.ok(links[1]?.includes('href="?lang=en&amp;option=2"'))
  })

  test('shows the coin that its address asks for, with its own wallets', () => {
    const page = html({ option: 1 })
    assert.equal(figureOf(page), '0.008475 ETH')
    assert.ok(textOf(page).includes(ETHER_WALLET.address))
    assert.equal(textOf(page).includes(NILE_WALLET.address), false)
    assert.ok(page.includes(`ethereum:${ETHER_WALLET.address}@11155111?value=8475000000000000`))
    assert.ok(page.includes(`src="${ORDER_ID}/qr/ether.svg"`))
  })

  test('keeps coin and network in the links to other languages and networks', () => {
    const page = html({ wallet: 1 })
    assert.ok(page.includes('href="?lang=de&amp;option=1&amp;wallet=1"'))
    assert.ok(page.includes('?lang=en&amp;option=1&amp;wallet=0'))
  })

  for (const [what, asked] of [
    ['an option that there is not', { option: 7 }],
    ['a wallet that there is not', { wallet: 9 }],
  ] as const) {
    test(`shows the first one when it is asked for ${what}`, () => {
      assert.equal(figureOf(html(asked)), '27.18 USDT')
      assert.ok(html(asked).includes('value="SEP" checked'))
    })
  }

  test('shows a single option without a choice', () => {
    const page = html({ options: [IN_ETHER] })
    assert.deepEqual(choicesOf(page), [])
    assert.equal(page.includes('option='), false)
    assert.equal(figureOf(page), '0.008475 ETH')
  })

  test('says by which rate it was converted, and how long that holds', () => {
    assert.ok(text().includes('Rate 1 USDT = €0.92'))
    assert.ok(text({ option: 1 }).includes('Rate 1 ETH = €2,950.10'))
    assert.ok(text().includes('The rate holds until then.'))
    assert.ok(html().includes('data-left="840000"'))
    const dearer = { ...IN_USDT, rate: { rate: '0.92', at: 1, spread: 150 } }
    assert.ok(text({ options: [dearer] }).includes('1 USDT = €0.92 + 1.5%'))
  })

  test('says no rate where the shop has fixed the amount', () => {
    const page = text({ options: [{ ...IN_USDT, rate: null }] })
    assert.equal(/rate/i.test(page), false)
    assert.ok(page.includes('Pay before'))
  })

  test('shows a price in no known currency with its code', () => {
    assert.ok(text({ order: { price: { amount: '25.00', currency: 'XYZ' } } }).includes('Price 25.00 XYZ'))
  })

  test('shows neither owner nor reference nor callback URL', () => {
    for (const secret of ['identity-of-the-merchant', 'reference-4711', 'shop.example']) {
      assert.equal(html().includes(secret), false, secret)
    }
  })
})

describe('the page of an order that is paid in part', () => {
  const half = { options: [HALF_USDT, IN_ETHER] }

  test('asks in every coin for what is left of the order, not of its invoice', () => {
    assert.equal(figureOf(html({ ...half, option: 0 })), '13.59 USDT')
    const page = html({ ...half, option: 1 })
    assert.equal(figureOf(page), '0.004238 ETH')
    assert.ok(page.includes('data-copy="0.004238"'))
    assert.ok(page.includes('?value=4238000000000000'))
    assert.equal(textOf(page).includes('0.008475'), false)
    assert.deepEqual(
      choicesOf(page).map((link) => textOf(link).split(' ').slice(0, 2).join(' ')),
      ['13.59 USDT', '0.004238 ETH'],
    )
  })

  test('says what came in which coin, and what more to send of the one that is shown', () => {
    assert.equal(statusOf(html({ ...half, option: 1 })), '13.59 USDT seen, 0.004238 ETH more to send')
    const both = {
      options: [
        { ...IN_USDT, deposits: [cameIn('5', 1)] },
        { ...IN_ETHER, deposits: [cameIn('0.002', 2)] },
      ],
    }
    assert.match(statusOf(html(both)), /^5 USDT and 0\.002 ETH seen, 15\.77 USDT more to send$/)
  })

  test('counts what is not confirmed, so that nobody pays twice', () => {
    const page = html({ options: [{ ...IN_USDT, deposits: [cameIn('13.59', 1, PENDING)] }, IN_ETHER], option: 1 })
    assert.equal(figureOf(page), '0.004238 ETH')
    assert.ok(statusOf(page).includes('The network has not confirmed everything yet.'))
  })

  test('goes on in the coin that something came in, unless it is asked for another', () => {
    assert.equal(figureOf(html({ options: [IN_USDT, HALF_ETHER] })), '0.004238 ETH')
    assert.equal(figureOf(html({ options: [IN_USDT, HALF_ETHER], option: 0 })), '13.59 USDT')
  })

  test('sums up options in one coin', () => {
    const tron = { ...IN_USDT, wallets: [NILE_WALLET], deposits: [cameIn('5', 1, { network: 'TRX-NILE' })] }
    const ether = { ...IN_USDT, wallets: [SEP_WALLET], deposits: [cameIn('6.5', 2)] }
    assert.ok(statusOf(html({ options: [tron, ether] })).startsWith('11.5 USDT seen, 15.68 USDT more to send'))
  })

  test('lives on after its expiry in the coin that something came in, at its rate', () => {
    const page = html({ order: EXPIRED, options: [HALF_USDT, { ...IN_ETHER, ...GONE }] })
    assert.equal(figureOf(page), '13.59 USDT')
    assert.ok(textOf(page).includes('The rate stays the same until the rest is paid.'))
    assert.deepEqual(choicesOf(page), [])
    for (const over of ['Pay before', 'Do not send', 'id="timer"']) assert.equal(page.includes(over), false, over)
  })

  test('lists the transactions of all its options, newest first, each in its coin', () => {
    const list = /<ul class="transactions">.*?<\/ul>/s.exec(
      html({ options: [HALF_USDT, { ...IN_ETHER, deposits: [cameIn('0.001', 2)] }] }),
    )
    assert.deepEqual(
      [...(list?.[0] ?? '').matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, sum]) => sum),
      ['0.001 ETH', '13.59 USDT'],
    )
  })
})

describe('the page of an order', () => {
  const nothingAsked = (page: string) => {
    assert.equal(addressesOf(page), 0)
    for (const part of ['class="qr"', 'data-pay', 'ethereum:', 'Copy amount', 'data-choice', SEP_WALLET.address]) {
      assert.equal(page.includes(part), false, part)
    }
    assert.equal(figureOf(page), '€25.00')
  }

  test('asks for nothing once all of it is seen, in whatever coins', () => {
    const page = html({
      options: [
        { ...HALF_USDT, deposits: [cameIn('13.59', 1, PENDING)] },
        { ...IN_ETHER, deposits: [cameIn('0.004238', 2)] },
      ],
    })
    nothingAsked(page)
    assert.ok(statusOf(page).startsWith('13.59 USDT and 0.004238 ETH seen, nothing more to send'))
  })

  test('that is paid asks for nothing and is a receipt with its price, rates and sums', () => {
    const page = html({ options: [HALF_USDT, { ...IN_ETHER, ...GONE, deposits: [cameIn('0.004238', 2)] }] })
    nothingAsked(page)
    assert.equal(statusOf(page), 'Paid. Nothing more is due.')
    const receipt = wordsOf(/<section class="receipt">.*?<\/section>/s.exec(page)?.[0] ?? '')
    for (const part of [
      `Order ID ${ORDER_ID}`,
      'Price €25.00',
      'Rate 1 USDT = €0.92',
      'Rate 1 ETH = €2,950.10',
      'Amount received 13.59 USDT and 0.004238 ETH',
    ]) {
      assert.ok(receipt.includes(part), `${part} in ${receipt}`)
    }
    assert.equal(page.includes('data-events'), false)
  })

  test('that is accepted is paid, whatever has come, and what fills the gap is not too much', () => {
    const accepted = { acceptedAt: START_MS - 1 }
    nothingAsked(html({ order: accepted, options: [HALF_USDT, IN_ETHER] }))
    for (const options of [
      [HALF_USDT, IN_ETHER],
      [IN_USDT, IN_ETHER],
      [{ ...IN_USDT, ...GONE, deposits: [cameIn('5', 1, PENDING)] }, IN_ETHER],
    ]) {
      assert.equal(statusOf(html({ order: accepted, options })), 'Paid. Nothing more is due.')
    }
  })

  test('that is overpaid says so in the coin that was overpaid and in no other', () => {
    const page = html({
      options: [
        { ...IN_USDT, deposits: [cameIn('13.59', 1)] },
        { ...IN_ETHER, ...GONE, deposits: [cameIn('0.005238', 2)] },
      ],
    })
    assert.equal(statusOf(page), 'Paid. 0.001 ETH too much was received. Ask the merchant about the difference.')
    const alone = html({
      options: [
        { ...IN_USDT, deposits: [cameIn('30', 1)] },
        { ...IN_ETHER, ...GONE },
      ],
    })
    assert.equal(statusOf(alone), 'Paid. 2.82 USDT too much was received. Ask the merchant about the difference.')
    nothingAsked(page)
  })

  test('tells of what came late for an option that another one made void', () => {
    const late = (more = {}) => ({
      options: [
        { ...IN_USDT, deposits: [cameIn('27.18', 1)] },
        { ...IN_ETHER, ...GONE, deposits: [cameIn('0.0012345', 9, more)] },
      ],
    })
    assert.ok(statusOf(html(late())).startsWith('Paid. 0.0012345 ETH too much was received.'))
    const pending = html(late(PENDING))
    assert.ok(statusOf(pending).startsWith('Paid. 0.0012345 ETH too much was seen.'))
    assert.ok(pending.includes('data-events'))
  })

  test('does not offer an option that is void while another is not', () => {
    const page = html({ options: [IN_USDT, { ...IN_ETHER, ...GONE }], option: 1 })
    assert.equal(figureOf(page), '27.18 USDT')
    assert.equal(page.includes(ETHER_WALLET.address), false)
    assert.deepEqual(choicesOf(page), [])
  })

  const both = [
    { ...IN_USDT, ...GONE },
    { ...IN_ETHER, ...GONE },
  ]

  test('that has expired shows no address and leads to the shop for a new price', () => {
    const page = html({
      order: { ...EXPIRED, fields: { returnUrl: 'https://shop.example/cart', orderNumber: null, metadata: null } },
      options: both,
    })
    nothingAsked(page)
    assert.equal(
      statusOf(page),
      'This order can no longer be paid. The time to pay is over. Nothing was received. Order again in the shop to get a new price. If something is still on its way, this page will show it.',
    )
    assert.ok(page.includes('<a class="button" href="https://shop.example/cart" target="_top">Order again</a>'))
    assert.equal(page.includes('Back to'), false)
    assert.ok(
      html({ order: EXPIRED, options: both }, frameOf({ brand: SHOP })).includes(
        'Order again at <bdi>Tea House</bdi></a>',
      ),
    )
    assert.equal(html({ order: EXPIRED, options: both }).includes('class="button"'), false)
  })

  test('that has expired and got something late says what, and does not invite to order again', () => {
    const page = html(
      {
        order: EXPIRED,
        options: [
          { ...IN_USDT, ...GONE, deposits: [cameIn('5', 30)] },
          { ...IN_ETHER, ...GONE, deposits: [cameIn('0.001', 31, PENDING)] },
        ],
      },
      frameOf({ brand: SHOP }),
    )
    nothingAsked(page)
    const status = statusOf(page)
    for (const part of [
      '5 USDT was received.',
      '0.001 ETH was seen and waits for confirmation.',
      'Send nothing more',
    ]) {
      assert.ok(status.includes(part), status)
    }
    assert.equal(page.includes('class="button"'), false)
  })

  test('that was voided says so, and nothing of a time', () => {
    const page = html({ order: { voidedAt: START_MS - MINUTE_MS }, options: both }, frameOf({ brand: SHOP }))
    nothingAsked(page)
    assert.ok(statusOf(page).startsWith('This order can no longer be paid. Nothing was received. Ask the merchant'))
    assert.equal(page.includes('class="button"'), false)
  })

  test('shows in the last minutes that nothing should be sent any more', () => {
    const page = html({ order: { expiresAt: START_MS + MINUTE_MS } })
    assert.ok(textOf(page).includes('Do not send anything any more.'))
    assert.equal(page.includes('data-pay='), false)
  })

  test('tells of another coin that came', () => {
    const stray = { network: 'TRX-NILE', txHash: '0x2', currency: 'native', amount: '90' } as const
    assert.ok(
      statusOf(html({ strays: [stray] })).includes(
        '90 TRX arrived on TRON Nile. This order asks for USDT or ETH, so it does not count.',
      ),
    )
  })

  test('asks for no more decimals than each coin carries', () => {
    const odd = { ...IN_USDT, amount: '27.1234567', decimals: 6 }
    assert.equal(figureOf(html({ options: [odd] })), '27.123457 USDT')
    const part = html({
      options: [
        { ...odd, deposits: [cameIn('10.1', 1)] },
        { ...IN_ETHER, amount: '0.333333333333333333', decimals: 6 },
      ],
      option: 1,
    })
    assert.equal(figureOf(part), '0.20921 ETH')
    assert.ok(part.includes('?value=209210000000000000'))
    const coarse = pageNetworks({ SEP: { decimals: 0 } })
    assert.equal(figureOf(html({ networks: coarse, options: [{ ...IN_USDT, wallets: [SEP_WALLET] }] })), '28 USDT')
    const raw =
      /data-pay="([^"]*)"/.exec(
        html({ options: [{ ...IN_USDT, wallets: [SEP_WALLET], deposits: [cameIn('13.595', 1)] }] }),
      )?.[1] ?? ''
    assert.deepEqual(
      [/raw&quot;:&quot;(\d+)/.exec(raw)?.[1], /amount&quot;:&quot;([\d.]+)/.exec(raw)?.[1]],
      ['13590000', '13.59'],
    )
  })

  test('finds logo and wallet script where the pages of invoices have them', () => {
    const page = html({}, frameOf({ brand: SHOP, shopPath: '../pay/shop' }))
    assert.ok(page.includes('src="../pay/shop/logo/abc.svg"'))
    assert.match(page, /data-wallets="\.\.\/pay\/shop\/wallet\/en-/)
    assert.ok(page.includes(`data-events="${ORDER_ID}/events"`))
  })

  test('speaks every language, without a placeholder left', () => {
    for (const { code } of LANGUAGES) {
      for (const order of [
        {},
        { options: [HALF_USDT, HALF_ETHER] },
        { order: EXPIRED, options: both },
        { options: [HALF_USDT, IN_ETHER] },
      ]) {
        const page = html(order, frameOf({ lang: code, brand: SHOP }))
        assert.equal(/\{[a-z]+\}/.test(textOf(page)), false, code)
        assert.ok(page.includes(`<html lang="${code}"`))
      }
    }
  })

  test('has inert text of merchants, and a title that does not turn around', () => {
    const name = '<script>x</script>\u202e'
    const page = html({ order: { name, price: { amount: '1', currency: 'XYZ' } } })
    assert.equal(page.includes('<script>x'), false)
    assert.ok(page.includes('<title>Payment: &lt;script&gt;x&lt;/script&gt;</title>'))
  })
})

describe('the version of the page of an order', () => {
  const versionOf = (order: OrderOfTest) => orderVersionOf(orderView(order))
  const before = versionOf({})

  test('does not depend on the option that is shown, nor on the time', () => {
    assert.equal(versionOf({ option: 1, wallet: 1, nowMs: START_MS + 5 }), before)
  })

  for (const [what, order] of [
    ['a deposit to any option', { options: [IN_USDT, { ...IN_ETHER, deposits: [cameIn('0.001', 1, PENDING)] }] }],
    ['the end of an option', { options: [IN_USDT, { ...IN_ETHER, ...GONE }] }],
    ['an acceptance', { order: { acceptedAt: 1 } }],
    ['another coin', { strays: [{ network: 'SEP', txHash: 'a', currency: 'native', amount: '1' }] }],
  ] as const) {
    test(`changes with ${what}`, () => assert.notEqual(versionOf(order), before))
  }
})
