import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../src/domain/invoice.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { Payment, QualifyingDeposit } from '../../src/domain/payment.js'
import { failurePage } from '../../src/page/failure-page.js'
import { LANGUAGES } from '../../src/page/language.js'
import type { PageFrame } from '../../src/page/layout.js'
import { type PaymentView, paymentPage } from '../../src/page/payment-page.js'
import { pageNetworks } from '../support/networks.js'
import { frameOf, LATE_MS, SHOP, textOf } from './frame.js'

const ID = '018f2a4c5b6d7e8f9012345678abcdef'

const SEP = { id: 'w1', network: 'SEP', address: '0x52908400098527886E0F7030069857D2E4169EE7' } as const
const NILE = { id: 'w2', network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' } as const
const UNKNOWN = { id: 'w3', network: null, address: null }

const UNPAID: Payment = { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' }
const PAID: Payment = { status: 'paid', received: '25', pending: '0', remaining: '0', overpaid: '0', own: '25' }

/** A minute before the page is made. */
const VOIDED_AT = 1_699_999_940_000

const FACTS = {
  SEP: {
    chainId: 11155111,
    token: '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06',
    explorer: 'https://sep.example/tx/{txHash}',
    confirmations: 12,
  },
  'TRX-NILE': { explorer: 'https://nile.example/#/tx/{txHash}' },
}

const STRAY = { network: 'TRX-NILE', txHash: '0x2', currency: 'native', amount: '90' } as const

function deposit(network: string, isConfirmed: boolean): QualifyingDeposit {
  return { network, txHash: '0x1', index: 0, receivedAt: 1, amount: '1', isConfirmed, confirmations: null }
}

interface Variation extends Partial<Omit<PaymentView, 'invoice'>> {
  readonly invoice?: Partial<Invoice>
}

function render({ invoice, ...rest }: Variation = {}, frame: PageFrame = frameOf()): string {
  return paymentPage(frame, {
    invoice: {
      id: ID,
      owner: 'identity-of-the-merchant',
      wallet_id: 'w1',
      wallet_ids: 'w1',
      name: 'Tea set',
      description: 'Six cups',
      reference: 'order-4711',
      amount: '25.00',
      currency: 'USDT',
      callback_url: 'https://shop.example/hook',
      created_at: 1_700_000_000_000,
      ...invoice,
    },
    order: NO_ORDER_FIELDS,
    payment: UNPAID,
    voidedAt: null,
    acceptedAt: null,
    strays: [],
    expiresAt: null,
    wallets: [SEP],
    chosen: 0,
    deposits: [],
    hasMoreDeposits: false,
    networks: pageNetworks(FACTS),
    nowMs: 1_700_000_000_000,
    lateMs: LATE_MS,
    ...rest,
  })
}

function notFound(isSandbox: boolean): string {
  return failurePage(frameOf({ isSandbox }), { subject: 'invoice', status: 404, retryAfterSeconds: null })
}

const FIGURE = /<p class="amount[^"]*"><span class="unseen">(.*?)<\/span> (.*?)<\/p>/

/** The one figure of a page. */
function figureOf(html: string): string {
  return textOf(FIGURE.exec(html)?.[2] ?? '')
}

/** What a screen reader says before it. */
function labelOf(html: string): string {
  return textOf(FIGURE.exec(html)?.[1] ?? '')
}

/** Every tag of a document, without what its text holds. */
function tags(page: string): string[] {
  const html = page.replace(/(<script nonce="[^"]*">)[\s\S]*?(?=<\/script>)/, '$1')
  return [...html.matchAll(/<[a-z!/][^>]*>/gi)].map(([tag]) => tag)
}

describe('the payment page', () => {
  test('shows name, description, amount and the address with its network', () => {
    const text = textOf(render())
    for (const part of ['Tea set', 'Six cups', '25.00 USDT', SEP.address, 'Ethereum Sepolia Test network']) {
      assert.ok(text.includes(part), part)
    }
  })

  test('shows neither owner nor reference nor callback URL', () => {
    for (const payment of [UNPAID, PAID]) {
      const html = render({ payment })
      for (const text of ['identity-of-the-merchant', 'order-4711', 'shop.example']) {
        assert.equal(html.includes(text), false, text)
      }
    }
  })

  for (const [sent, shown] of [
    ['25.00', '25.00'],
    ['0.10', '0.10'],
    ['.5', '0.5'],
    ['007', '7'],
    [`1.${'0'.repeat(30)}`, '1'],
  ] as const) {
    test(`shows the amount ${sent.slice(0, 8)} as ${shown}`, () => {
      assert.equal(figureOf(render({ invoice: { amount: sent } })), `${shown} USDT`)
    })
  }

  const native: readonly [string, PaymentView['wallets'], string][] = [
    ['ETH on SEP', [SEP], '0.5 ETH'],
    ['TRX on TRX-NILE', [NILE], '0.5 TRX'],
    ['both coins where the wallets differ', [SEP, NILE], '0.5 ETH or TRX'],
    ['one coin where the wallets agree', [NILE, NILE], '0.5 TRX'],
    ['the coin that is known', [UNKNOWN, NILE], '0.5 TRX'],
    ['no coin while no network is known', [UNKNOWN], '0.5 native coin'],
  ]
  for (const [what, wallets, text] of native) {
    test(`names a native amount as ${what}`, () => {
      const html = render({ invoice: { currency: 'native', amount: '.50' }, wallets })
      assert.equal(figureOf(html), text)
    })
  }

  test('shows every wallet in the order of the invoice', () => {
    const text = textOf(render({ wallets: [NILE, SEP] }))
    const [nile, sep] = [text.indexOf(NILE.address), text.indexOf(SEP.address)]
    assert.ok(nile > 0 && sep > nile)
    assert.equal(text.split('Send 25.00 USDT to this address').length - 1, 2)
  })

  test('says that an address is not known yet, beside those that are', () => {
    const html = render({ wallets: [UNKNOWN, SEP] })
    assert.ok(html.includes('The address of this wallet is not known yet.'))
    assert.ok(textOf(html).includes(SEP.address))
  })

  const states: readonly [string, Partial<PaymentView>, readonly string[], string | null][] = [
    ['nothing was seen', {}, ['No payment seen yet'], 'Send 25.00 USDT to this address'],
    [
      'a part is pending',
      { payment: { ...UNPAID, pending: '10' } },
      ['10 USDT seen, 15 USDT more to send', 'The network has not confirmed everything yet.'],
      'Send 15 USDT to this address',
    ],
    [
      'a part was received',
      { payment: { ...UNPAID, received: '10', remaining: '15' } },
      ['10 USDT seen, 15 USDT more to send'],
      'Send 15 USDT to this address',
    ],
    [
      'all of it is pending',
      { payment: { ...UNPAID, pending: '25' } },
      ['25 USDT seen, nothing more to send', 'Waiting for the network to confirm it. You can close this page.'],
      null,
    ],
    [
      'more than all of it is pending',
      { payment: { ...UNPAID, received: '10', remaining: '15', pending: '20' } },
      [
        '30 USDT seen, nothing more to send',
        'Waiting for the network to confirm it. You can close this page.',
        'It is 5 USDT too much.',
        'Ask the merchant about the difference.',
      ],
      null,
    ],
    ['it is paid', { payment: PAID }, ['Paid. Nothing more is due.'], null],
    [
      'more was received',
      { payment: { ...PAID, received: '30', overpaid: '5' } },
      ['Paid. 5 USDT too much was received.', 'Ask the merchant about the difference.'],
      null,
    ],
    [
      'more is pending',
      { payment: { ...PAID, pending: '5' } },
      ['Paid. 5 USDT too much was seen.', 'Ask the merchant about the difference.'],
      null,
    ],
    [
      'it is void',
      { voidedAt: VOIDED_AT },
      [
        'This invoice is no longer payable.',
        'Nothing was received. Ask the merchant if you still want to pay.',
        'If something is still on its way, this page will show it.',
      ],
      null,
    ],
    [
      'it has expired',
      { voidedAt: VOIDED_AT, expiresAt: VOIDED_AT },
      [
        'This invoice is no longer payable.',
        'The time to pay is over.',
        'Nothing was received. Ask the merchant if you still want to pay.',
        'If something is still on its way, this page will show it.',
      ],
      null,
    ],
    [
      'it was voided before it would have expired, and another coin arrived',
      { voidedAt: VOIDED_AT, expiresAt: VOIDED_AT + 1, strays: [STRAY] },
      [
        'This invoice is no longer payable.',
        'If something is still on its way, this page will show it.',
        '90 TRX arrived on TRON Nile. This invoice asks for USDT, so it does not count. Ask the merchant about it.',
      ],
      null,
    ],
    [
      'it is void and something arrived',
      { voidedAt: VOIDED_AT, payment: { ...UNPAID, received: '10', pending: '2', remaining: '15' } },
      [
        'This invoice is no longer payable.',
        '10 USDT was received.',
        '2 USDT was seen and waits for confirmation.',
        'Send nothing more, and ask the merchant about it.',
      ],
      null,
    ],
  ]
  for (const [when, view, sentences, instruction] of states) {
    test(`says in words where the payment stands when ${when}`, () => {
      const html = render(view)
      const box = /id="status" role="status" tabindex="-1">(.*?)<\/div>/.exec(html)?.[1] ?? ''
      assert.deepEqual(
        [...box.matchAll(/<p[^>]*>(.*?)<\/p>/g)].map(([, sentence = '']) => textOf(sentence)),
        sentences,
      )
      const heading = /<div class="panel">\n.*\n<h2[^>]*>(.*?)<\/h2>/.exec(html)?.[1]
      assert.equal(heading === undefined ? null : textOf(heading), instruction)
      assert.equal(textOf(html).includes(SEP.address), instruction !== null)
    })
  }

  test('asks again while something is awaited, and no longer', () => {
    const refreshes = (view: Partial<PaymentView>) => {
      const html = render(view)
      const seconds = /<noscript><meta http-equiv="refresh" content="(\d+)"><\/noscript>/.exec(html)?.[1] ?? null
      assert.equal(html.includes('<a href="">Refresh now</a>'), seconds !== null)
      assert.equal(html.includes(`<main data-events="${ID}/events" data-version="`), seconds !== null)
      assert.equal(html.includes('id="lost"'), seconds !== null)
      return seconds
    }
    assert.equal(refreshes({}), '10')
    assert.equal(refreshes({ payment: { ...UNPAID, pending: '25' } }), '10')
    assert.equal(refreshes({ payment: { ...PAID, pending: '5' } }), '10')
    assert.equal(refreshes({ voidedAt: VOIDED_AT, payment: { ...UNPAID, pending: '5' } }), '10')
    assert.equal(refreshes({ payment: PAID }), null)
    assert.equal(refreshes({ voidedAt: VOIDED_AT }), '60')
    assert.equal(refreshes({ voidedAt: VOIDED_AT - LATE_MS }), null)
  })

  test('warns that different coins are not equal offers, and names the sum with each network', () => {
    const text = textOf(render({ invoice: { currency: 'native', amount: '0.015' }, wallets: [SEP, NILE] }))
    assert.ok(text.includes('ETH and TRX are different coins with different values'), text)
    for (const coin of ['ETH', 'TRX']) assert.ok(text.includes(`Send 0.015 ${coin} to this address`), text)
    const token = render({
      wallets: [SEP, NILE],
      networks: pageNetworks({ ...FACTS, 'TRX-NILE': { tokenSymbol: 'USDT0' } }),
    })
    assert.equal(figureOf(token), '25.00 USDT')
    assert.equal(token.includes('different coins'), false)
  })

  test('says of a token with another name what exchanges call it, where its contract is known', () => {
    const text = (token: string | null, tokenSymbol: string, currency: 'USDT' | 'native' = 'USDT') =>
      textOf(render({ invoice: { currency }, networks: pageNetworks({ SEP: { token, tokenSymbol } }) }))
    const contract = '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06'
    const said = 'Exchanges and wallets may show USDT instead of USDT0. What counts is the token contract below.'
    assert.ok(text(contract, 'USDT0').includes(said))
    assert.equal(text(contract, 'USDT').includes('Exchanges and wallets'), false)
    assert.equal(text(null, 'USDT0').includes('Exchanges and wallets'), false)
    assert.equal(text(contract, 'USDT0', 'native').includes('Exchanges and wallets'), false)
  })

  test('says what alone may be sent before anything to send it to', () => {
    const text = textOf(render())
    const places = [
      'Send 25.00 USDT to this address',
      'Send only USDT, and only on',
      SEP.address,
      'must receive the full',
    ]
    const found = places.map((place) => text.indexOf(place))
    assert.ok(
      found.every((place, i) => place > (found[i - 1] ?? 0)),
      String(found),
    )
  })

  test('says how long the wait is next to what is waited for, before what is too much', () => {
    const networks = pageNetworks({ SEP: { confirmationMinutes: 3 } })
    const view = { payment: { ...UNPAID, pending: '30' }, deposits: [deposit('SEP', false)], networks }
    const text = textOf(render(view))
    const found = ['Waiting for the network', 'takes about 3 minutes', 'too much'].map((said) => text.indexOf(said))
    assert.ok(
      found.every((place, i) => place > (found[i - 1] ?? 0)),
      String(found),
    )
  })

  test('prints whom to ask once on a receipt, and on paper without one', () => {
    const line = '<p class="contact">'
    const box = (view: Variation) =>
      new RegExp(`<div( class="screen")?>${line}`).exec(render(view, frameOf({ brand: SHOP })))
    assert.equal(box({ payment: PAID })?.[1], ' class="screen"')
    assert.deepEqual([box({}) === null, box({})?.[1]], [false, undefined])
  })

  test('says until when to pay, as long as there is something to send', () => {
    const expiresAt = Date.UTC(2026, 10, 22, 7, 5, 59, 999)
    assert.ok(textOf(render({ expiresAt })).includes('Pay before November 22, 2026 at 7:05 AM UTC.'))
    assert.ok(render({ expiresAt }).includes('<time datetime="2026-11-22T07:05:59.999Z">'))
    assert.ok(render({ expiresAt, nowMs: expiresAt - 60_000 }).includes('role="timer" data-left="60000"'))
    assert.ok(render({ expiresAt, nowMs: expiresAt + 1 }).includes('role="timer" data-left="0"'))
    assert.equal(render({ expiresAt, payment: PAID }).includes('Pay before'), false)
    assert.equal(render().includes('Pay before'), false)
  })

  test('sets each of two coins apart, so that the word between them may run the other way', () => {
    const html = render({ invoice: { currency: 'native', amount: '0.015' }, wallets: [SEP, NILE] })
    assert.ok(html.includes('<bdi>0.015 ETH</bdi> or <bdi>TRX</bdi>'), html)
  })

  test('says beside the name of each test network that it is one', () => {
    const html = render({ wallets: [SEP, NILE] })
    for (const name of ['Ethereum Sepolia', 'TRON Nile']) {
      assert.ok(html.includes(`${name}</bdi> <span class="test">Test network</span></span>`), html)
    }
  })

  test('says how much is missing exactly, to the last of 18 decimals', () => {
    const html = render({
      invoice: { currency: 'native', amount: '0.012345678901234567' },
      payment: { ...UNPAID, received: '0.01', pending: '0.000000000000000001', remaining: '0.002345678901234567' },
    })
    assert.ok(textOf(html).includes('0.010000000000000001 ETH seen, 0.002345678901234566 ETH more to send'), html)
  })

  test('is labelled in the sandbox only', () => {
    const label = 'Sandbox: nothing here is real money'
    assert.ok(render({}, frameOf({ isSandbox: true })).includes(label))
    assert.ok(notFound(true).includes(label))
    assert.equal(render().includes(label), false)
    assert.equal(notFound(false).includes(label), false)
  })

  test('writes a long amount smaller', () => {
    assert.ok(render({ invoice: { amount: '9'.repeat(60) } }).includes('class="amount long"'))
  })

  test('carries one style and one script with the nonce of the policy, and no other', () => {
    for (const html of [render(), notFound(true)]) {
      assert.deepEqual(
        tags(html).filter((tag) => /^<(style|script)/.test(tag)),
        ['<style nonce="bm9uY2U=">', '<script nonce="bm9uY2U=">'],
      )
      assert.equal(/\sstyle=/.test(html), false)
    }
  })

  test('has no other script, no handler, nothing that sends, and loads nothing but the codes of its addresses', () => {
    for (const html of [render(), render({ payment: PAID }), notFound(true)]) {
      for (const tag of tags(html)) {
        // No icon, so that browsers do not ask for one.
        if (tag === '<link rel="icon" href="data:,">') continue
        assert.equal(/^<(script (?!nonce="bm9uY2U=">)|iframe|object|embed|form|link|base|svg)\b/i.test(tag), false, tag)
        assert.equal(/\son[a-z]+\s*=/i.test(tag), false, tag)
        assert.equal(/javascript:/i.test(tag), false, tag)
        if (tag.startsWith('<img')) assert.ok(tag.includes(` src="${ID}/qr/w1.svg"`), tag)
      }
    }
  })

  test('is one card with a language, a heading and elements that nest well', () => {
    const html = render({ wallets: [SEP, NILE] })
    assert.ok(html.startsWith('<!doctype html>\n<html lang="en" dir="ltr">'))
    const open: string[] = []
    const empty = new Set(['meta', 'link', '!doctype', 'img', 'input'])
    for (const tag of tags(html.replace(/<(style|script) nonce[\s\S]*?<\/\1>/g, ''))) {
      const name = /^<\/?([a-z0-9!]+)/i.exec(tag)?.[1] ?? ''
      if (empty.has(name)) continue
      if (tag.startsWith('</')) assert.equal(open.pop(), name)
      else open.push(name)
    }
    assert.deepEqual(open, [])
    for (const name of ['h1', 'main', 'title']) assert.equal(html.split(new RegExp(`<${name}[ >]`)).length, 2, name)
  })

  test('shows what is left as the one figure, and of which amount', () => {
    const html = render({ payment: { ...UNPAID, pending: '10' } })
    assert.equal(figureOf(html), '15 USDT')
    assert.ok(html.includes('<p class="quiet">of <bdi>25.00 USDT</bdi></p>\n<button type="button" class="copy"'), html)
    for (const payment of [UNPAID, PAID]) {
      assert.equal(figureOf(render({ payment })), '25.00 USDT')
      assert.equal(render({ payment }).includes('<p class="quiet">of '), false)
    }
  })

  test('says to a screen reader what the figure is: what is due, or the amount when nothing is', () => {
    const part = { payment: { ...UNPAID, pending: '10' } }
    for (const view of [{}, part]) assert.equal(labelOf(render(view)), 'Amount due')
    const seen = { payment: { ...UNPAID, pending: '25.00' } }
    for (const view of [seen, { payment: PAID }, { voidedAt: VOIDED_AT }])
      assert.equal(labelOf(render(view)), 'Invoice amount')
    assert.equal(labelOf(render(part, frameOf({ lang: 'de' }))), 'Zu zahlender Betrag')
  })

  test('shows the panel of one network at a time, the first one without a choice', () => {
    const html = render({ wallets: [NILE, SEP] })
    const inputs = tags(html).filter((tag) => tag.startsWith('<input'))
    assert.deepEqual(inputs, [
      '<input type="radio" name="network" id="wallet-0" value="TRX-NILE" checked>',
      '<input type="radio" name="network" id="wallet-1" value="SEP">',
    ])
    for (const index of [0, 1]) {
      assert.match(
        html,
        new RegExp(`id="wallet-${index}"[^>]*>\\n<label for="wallet-${index}">.*</label>\\n<div class="panel">`),
      )
    }
    assert.equal(render().includes('<input'), false)
  })

  test('tells wallets on one network apart by the end of their addresses', () => {
    const other = { ...SEP, id: 'w4', address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' }
    const text = textOf(render({ wallets: [SEP, other, NILE] }))
    for (const label of ['Ethereum Sepolia …9EE7', 'Ethereum Sepolia …070D', 'TRON Nile Test']) {
      assert.ok(text.includes(label), text)
    }
  })

  test('groups an address for reading without a character between the groups', () => {
    for (const [wallet, first] of [
      [SEP, '<span>0x5290</span><span>8400</span>'],
      [NILE, '<span>TXYZ</span><span>opYR</span>'],
    ] as const) {
      const code = /<code class="address" dir="ltr" translate="no">(.*?)<\/code>/.exec(
        render({ wallets: [wallet] }),
      )?.[1]
      assert.ok(code?.startsWith(first), code)
      assert.equal(code?.replace(/<\/?span>/g, ''), wallet.address)
    }
  })

  test('asks for any token of the network by its name, with its letter, contract and decimals', () => {
    const facts = pageNetworks(FACTS)
    const contract = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'
    const networks = (id: string) => {
      const tokens = facts(id).tokens.map((token) => (token.currency === 'USDC' ? { ...token, contract } : token))
      return { ...facts(id), tokens }
    }
    const html = render({ invoice: { currency: 'USDC', amount: '33.3333335' }, networks })
    assert.match(html, /<h2 class="coin send" data-letter="U">/)
    assert.match(textOf(html), /Send 33\.333334 USDC to this address/)
    assert.ok(textOf(html).includes(contract), html)
    assert.ok(!html.includes('ethereum:'), 'EIP-681 is for coins')
    const pay = /data-pay="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? assert.fail('no wallet is asked')
    const { token, raw, decimals, coin } = JSON.parse(pay)
    assert.deepEqual([token, raw, decimals, coin], [contract, '33333334', 6, 'USDC'])
  })

  test('warns to send nothing else, and names the contract of the token where it is configured', () => {
    const sep = textOf(render())
    assert.ok(sep.includes('Send only USDT, and only on Ethereum Sepolia. Anything else may be lost.'), sep)
    assert.ok(sep.includes('The address must receive the full 25.00 USDT.'), sep)
    assert.ok(sep.includes('Token contract of USDT on Ethereum Sepolia'), sep)
    assert.ok(sep.includes(FACTS.SEP.token), sep)
    assert.equal(render({ wallets: [NILE] }).includes('Token contract'), false)
    assert.equal(render({ invoice: { currency: 'native' } }).includes('Token contract'), false)
  })

  test('links to wallets for native coins of EVM networks, in the smallest unit of what is left', () => {
    const native = { currency: 'native', amount: '0.015' } as const
    const payment = { ...UNPAID, received: '0.01', remaining: '0.005' }
    const link = (view: Variation) => /<a href="(ethereum:[^"]*)"/.exec(render(view))?.[1]
    assert.equal(link({ invoice: native }), `ethereum:${SEP.address}@11155111?value=15000000000000000`)
    assert.equal(link({ invoice: native, payment }), `ethereum:${SEP.address}@11155111?value=5000000000000000`)
    assert.equal(link({ invoice: native, wallets: [NILE] }), undefined)
    assert.equal(link({}), undefined)
  })

  test('copies the address and the exact amount that is left, as plain digits', () => {
    const payment = { ...UNPAID, received: '0.5', remaining: '1234.5' }
    const copied = (html: string) => [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text)
    const german = render({ invoice: { amount: '1235.00' }, payment }, frameOf({ lang: 'de' }))
    assert.deepEqual(copied(german), ['1234.5', SEP.address])
    assert.deepEqual(copied(render({ payment: PAID })), [])
  })

  test('has another version for everything that it shows differently', () => {
    const views: readonly Variation[] = [
      {},
      { payment: { ...UNPAID, pending: '10' } },
      { payment: { ...UNPAID, received: '10', remaining: '15' } },
      { payment: { ...PAID, pending: '10' } },
      { voidedAt: VOIDED_AT },
      { wallets: [UNKNOWN] },
      { strays: [{ network: 'SEP', txHash: '0x1', currency: 'native', amount: '1' }] },
    ]
    const versions = views.map((view) => /data-version="([\w-]{16})"/.exec(render(view))?.[1] ?? 'none')
    // A void page is not live.
    assert.equal(new Set(versions).size, views.length)
    assert.deepEqual(/data-version="([\w-]{16})"/.exec(render({ nowMs: 5, expiresAt: 10 }))?.[1], versions[0])
  })

  test('writes from right to left where the language does, with addresses and amounts from left to right', () => {
    const html = render({}, frameOf({ lang: 'ar' }))
    assert.ok(html.includes('<html lang="ar" dir="rtl">'))
    assert.ok(html.includes('<code class="address" dir="ltr"'))
    assert.ok(html.includes('<bdi>25.00 USDT</bdi>'))
  })

  test('writes amounts in every language as wallets take them, without separators and with a point', () => {
    const payment = { ...UNPAID, remaining: '1234.50' }
    for (const { code } of LANGUAGES) {
      const html = render({ invoice: { amount: '1234.50' }, payment }, frameOf({ lang: code }))
      assert.equal(figureOf(html), '1234.50 USDT')
      assert.ok(html.includes('data-copy="1234.50"'), code)
    }
  })

  test('calls a network as exchanges do beside its own name, where a token is asked for', () => {
    const networks = pageNetworks({ ...FACTS, 'TRX-NILE': { tokenStandard: 'TRC20' } })
    const token = textOf(render({ networks, wallets: [NILE, SEP] }))
    assert.ok(token.includes('TRON Nile (TRC20) Test network'), token)
    assert.ok(token.includes('Send only USDT, and only on TRON Nile (TRC20).'), token)
    assert.ok(token.includes('only on Ethereum Sepolia.'), token)
    const coin = textOf(render({ networks, wallets: [NILE], invoice: { currency: 'native' } }))
    assert.equal(coin.includes('TRC20'), false, coin)
  })

  test('says which coin the fee takes, and about how long a confirmation does', () => {
    const networks = pageNetworks({ SEP: { confirmationMinutes: 3 }, 'TRX-NILE': { confirmationMinutes: 1 } })
    const fee = 'A wallet of your own also needs a little ETH for the fee of the network.'
    const takes = 'The network takes about 3 minutes to confirm a payment.'
    const due = textOf(render({ networks }))
    assert.ok(due.includes(fee) && due.includes(takes), due)
    assert.equal(textOf(render({ networks, invoice: { currency: 'native' } })).includes('for the fee'), false)
    assert.equal(textOf(render()).includes('takes about'), false)
    const deposits = [deposit('SEP', false), deposit('TRX-NILE', false), deposit('SEP', true)]
    const pending = { networks, payment: { ...UNPAID, pending: '25' } }
    assert.ok(textOf(render({ ...pending, deposits })).includes(takes))
    // The slower network is confirmed already.
    const rest = textOf(render({ ...pending, deposits: deposits.slice(1) }))
    assert.ok(rest.includes('The network takes about 1 minute to confirm a payment.'), rest)
  })

  test('asks for no amount that a coin cannot carry, and is content with the one that it asks for', () => {
    const invoice = { amount: '33.333333333333336' }
    const payment = { ...UNPAID, remaining: invoice.amount }
    const asked = render({ invoice, payment })
    assert.equal(figureOf(asked), '33.333334 USDT')
    assert.ok(asked.includes('data-copy="33.333334"'), asked)
    assert.ok(textOf(asked).includes('must receive the full 33.333334 USDT'), asked)
    const paid = { ...PAID, received: '33.333334', overpaid: '0.000000666666664' }
    assert.equal(figureOf(render({ invoice, payment: paid })), '33.333334 USDT')
    assert.ok(textOf(render({ invoice, payment: paid })).includes('Paid. Nothing more is due.'))
  })

  test('asks on each network for what its coin carries, where they differ, and lets copy that', () => {
    const invoice = { currency: 'native', amount: '0.0123456789' } as const
    const payment = { ...UNPAID, remaining: invoice.amount }
    const html = render({ invoice, payment, wallets: [SEP, NILE] })
    assert.equal(figureOf(html), '0.012346 ETH or TRX')
    const text = textOf(html)
    assert.ok(text.includes('Send 0.0123456789 ETH to this address'), text)
    assert.ok(text.includes('Send 0.012346 TRX to this address'), text)
    const copied = [...html.matchAll(/data-copy="([^"]*)"/g)].map(([, copy]) => copy)
    assert.deepEqual(copied, ['0.0123456789', SEP.address, '0.012346', NILE.address])
  })

  test('calls a halt in the last two minutes, and asks no wallet any more', () => {
    const expiresAt = 1_700_003_600_000
    const before = render({ expiresAt, nowMs: expiresAt - 120_001 })
    assert.equal(textOf(before).includes('Do not send anything'), false)
    assert.ok(before.includes('data-pay='), before)
    const last = render({ expiresAt, nowMs: expiresAt - 120_000 })
    assert.ok(textOf(last).includes('Do not send anything any more.'), last)
    assert.equal(last.includes('data-pay='), false)
    assert.equal(render().includes('id="last-call"'), false)
  })

  test('offers browser wallets what is left, on networks that they reach', () => {
    const offered = (view: Variation, frame?: PageFrame) =>
      [...render(view, frame).matchAll(/data-pay="([^"]*)"/g)].map(([, json = '']) => {
        const { chainId, raw } = JSON.parse(json.replaceAll('&quot;', '"'))
        return [chainId, raw]
      })
    const part = { payment: { ...UNPAID, received: '10', remaining: '15' } }
    assert.deepEqual(offered({ wallets: [NILE, SEP] }), [['0xaa36a7', '25000000']])
    assert.deepEqual(offered(part), [['0xaa36a7', '15000000']])
    assert.deepEqual(offered({ payment: PAID }), [])
    assert.deepEqual(offered({ voidedAt: VOIDED_AT }), [])
    assert.deepEqual(offered({}, frameOf({ isSandbox: true })), [])
  })

  test('names the script for wallets where something is due, in its language', () => {
    const path = (view: Variation, lang = 'en') => /data-wallets="([^"]*)"/.exec(render(view, frameOf({ lang })))?.[1]
    assert.match(path({}) ?? '', /^shop\/wallet\/en-[\w-]{12}\.js$/)
    assert.match(path({}, 'de') ?? '', /^shop\/wallet\/de-[\w-]{12}\.js$/)
    assert.equal(path({ voidedAt: VOIDED_AT }), undefined)
    assert.equal(path({ payment: { ...UNPAID, pending: '25' } }), undefined)
  })

  test('tells of another coin that arrived, and whom to ask about it', () => {
    const strays = [
      { network: 'TRX-NILE', txHash: 'a1', currency: 'native', amount: '90' },
      { network: 'SEP', txHash: '0x1', currency: 'native', amount: '0.5' },
    ] as const
    const html = render({ wallets: [NILE, SEP], strays }, frameOf({ brand: SHOP }))
    const box = textOf(/id="status"[\s\S]*?<\/div>/.exec(html)?.[0] ?? '')
    for (const sum of ['90 TRX arrived on TRON Nile', '0.5 ETH arrived on Ethereum Sepolia']) {
      assert.ok(
        box.includes(`${sum}. This invoice asks for USDT, so it does not count. Ask the merchant about it.`),
        box,
      )
    }
    assert.ok(box.includes('Contact: help@shop.example'), box)
    assert.equal(html.split('class="contact"').length, 2)
  })

  test('says in every state whom to ask, once', () => {
    for (const view of [{}, { payment: PAID }, { payment: { ...UNPAID, pending: '25' } }, { voidedAt: VOIDED_AT }]) {
      const html = render(view, frameOf({ brand: SHOP }))
      assert.equal(html.split('class="contact"').length, 2, JSON.stringify(view))
    }
  })
})

describe('text of the merchant', () => {
  const payloads: readonly [string, string][] = [
    ['a script', '<script>alert(1)</script>'],
    ['an image with a handler', '<img src=x onerror=alert(1)>'],
    ['an end of the title', '</title></style><script>alert(1)</script>'],
    ['quotes that leave an attribute', '" onmouseover="alert(1)" x=\''],
    ['entities', '&lt;script&gt; &amp; &#x3c;'],
    ['a comment', '<!-- --><!--'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the payload is the text of a template.
    ['a template', '{{constructor.constructor("alert(1)")()}} ${process.exit(1)} `'],
    ['replacement patterns', "$& $1 $` $'"],
    ['80 astral characters', '𝕏'.repeat(80)],
    ['a word without a break', 'x'.repeat(80)],
  ]
  const escaped = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')

  const harmless = tags(render())
  for (const [what, text] of payloads) {
    test(`changes nothing of the page around it: ${what}`, () => {
      const html = render({ invoice: { name: text, description: text } })
      assert.deepEqual(tags(html), harmless)
      assert.ok(html.includes(`<h1><bdi>${escaped(text)}</bdi></h1>`), html)
      assert.ok(html.includes(`<p class="description"><bdi>${escaped(text)}</bdi></p>`), html)
      assert.ok(html.includes(`<title>Payment: ${escaped(text)}</title>`), html)
    })
  }

  test('cannot turn around what follows it', () => {
    const override = '\u202egnp.exe\u2069\u2069\u202e'
    const html = render({ invoice: { name: override, description: override } })
    // Each text is alone in its block, so that an override which leaves `<bdi>` ends with the block.
    assert.ok(html.includes(`<h1><bdi>${override}</bdi></h1>`))
    assert.ok(html.includes(`<p class="description"><bdi>${override}</bdi></p>`))
    assert.ok(html.includes('<title>Payment: gnp.exe</title>'))
    assert.equal(html.split('\u202e').length - 1, 4)
  })

  test('keeps its line breaks and is left out when there is none', () => {
    assert.ok(render({ invoice: { description: 'one\ntwo' } }).includes('<bdi>one\ntwo</bdi>'))
    assert.equal(render({ invoice: { description: null } }).includes('class="description"'), false)
  })
})

describe('what an invoice says of its order', () => {
  const order = {
    returnUrl: 'https://shop.example/orders/7?a=1&b="',
    orderNumber: '<b>A-7\u202e',
    metadata: { 'shop-secret': 'confidential' },
  }

  test('is on its page, escaped: the order number, and the link back; never the metadata', () => {
    for (const state of [{}, { voidedAt: 1_700_000_000_000 }]) {
      const html = render({ order, ...state })
      assert.match(html, /Order number <bdi>&lt;b&gt;A-7\u202e<\/bdi>/)
      const link = '<a href="https://shop.example/orders/7?a=1&amp;b=&quot;" target="_top">'
      assert.ok(html.includes(`${link}Back to the shop</a>`), html)
      assert.doesNotMatch(html, /shop-secret|confidential/)
    }
  })

  test('leaves no trace where there is none', () => {
    assert.doesNotMatch(render(), /Order number|class="back"/)
  })
})
