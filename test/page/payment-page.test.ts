import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Invoice } from '../../src/domain/invoice.js'
import type { Payment } from '../../src/domain/payment.js'
import { failurePage } from '../../src/page/failure-page.js'
import { type PaymentView, paymentPage } from '../../src/page/payment-page.js'
import { STYLE_SOURCE } from '../../src/page/style.js'

const ID = '018f2a4c5b6d7e8f9012345678abcdef'

const SEP = { network: 'SEP', address: '0x52908400098527886E0F7030069857D2E4169EE7' } as const
const NILE = { network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' } as const
const UNKNOWN = { network: null, address: null }

const UNPAID: Payment = { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0' }
const PAID: Payment = { status: 'paid', received: '25', pending: '0', remaining: '0', overpaid: '0' }

interface Variation extends Partial<Omit<PaymentView, 'invoice'>> {
  readonly invoice?: Partial<Invoice>
}

function render({ invoice, ...rest }: Variation = {}): string {
  return paymentPage({
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
    payment: UNPAID,
    isVoid: false,
    expiresAt: null,
    wallets: [SEP],
    isSandbox: false,
    ...rest,
  })
}

function notFound(isSandbox: boolean): string {
  return failurePage({ status: 404, retryAfterSeconds: null, isSandbox })
}

/** Every tag of a document, without what its text holds. */
function tags(html: string): string[] {
  return [...html.matchAll(/<[a-z!/][^>]*>/gi)].map(([tag]) => tag)
}

describe('the payment page', () => {
  test('shows name, description, amount and the address with its network', () => {
    const html = render()
    for (const text of ['Tea set', 'Six cups', '25.00 USDT', SEP.address, 'SEP (Ethereum Sepolia)']) {
      assert.ok(html.includes(text), text)
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
      assert.ok(render({ invoice: { amount: sent } }).includes(`<p class="amount">${shown} USDT</p>`))
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
      assert.ok(html.includes(`<p class="amount">${text}</p>`), html)
    })
  }

  test('shows every wallet in the order of the invoice', () => {
    const html = render({ wallets: [NILE, SEP] })
    const [nile, sep] = [html.indexOf(NILE.address), html.indexOf(SEP.address)]
    assert.ok(nile > 0 && sep > nile)
    assert.ok(html.includes('<h2>Send 25.00 USDT to one of these addresses</h2>'))
    assert.ok(html.includes('TRX-NILE (TRON Nile)'))
  })

  test('says that an address is not known yet, beside those that are', () => {
    const html = render({ wallets: [UNKNOWN, SEP] })
    assert.ok(html.includes('The address of this wallet is not known yet.'))
    assert.ok(html.includes(SEP.address))
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
      ['25 USDT seen, nothing more to send', 'Waiting for the network to confirm it.'],
      null,
    ],
    [
      'more than all of it is pending',
      { payment: { ...UNPAID, received: '10', remaining: '15', pending: '20' } },
      [
        '30 USDT seen, nothing more to send',
        'Waiting for the network to confirm it.',
        'It is 5 USDT too much. Ask the merchant about the difference.',
      ],
      null,
    ],
    ['it is paid', { payment: PAID }, ['Paid. Nothing more is due.'], null],
    [
      'more was received',
      { payment: { ...PAID, received: '30', overpaid: '5' } },
      ['Paid. 5 USDT too much were received.', 'Ask the merchant about the difference.'],
      null,
    ],
    [
      'more is pending',
      { payment: { ...PAID, pending: '5' } },
      ['Paid. 5 USDT too much were seen.', 'Ask the merchant about the difference.'],
      null,
    ],
    [
      'it is void',
      { isVoid: true },
      ['This invoice is no longer payable.', 'Nothing was received. Ask the merchant if you still want to pay.'],
      null,
    ],
    [
      'it is void and something arrived',
      { isVoid: true, payment: { ...UNPAID, received: '10', pending: '2', remaining: '15' } },
      [
        'This invoice is no longer payable.',
        '10 USDT were received.',
        '2 USDT were seen and wait for confirmation.',
        'Send nothing more, and ask the merchant about it.',
      ],
      null,
    ],
  ]
  for (const [when, view, sentences, instruction] of states) {
    test(`says in words where the payment stands when ${when}`, () => {
      const html = render(view)
      const box = /role="status">(.*?)<\/div>/.exec(html)?.[1] ?? ''
      assert.deepEqual(
        [...box.matchAll(/<p[^>]*>(.*?)<\/p>/g)].map(([, sentence]) => sentence),
        sentences,
      )
      assert.equal(/<h2>(.*?)<\/h2>/.exec(html)?.[1] ?? null, instruction)
      assert.equal(html.includes(SEP.address), instruction !== null)
    })
  }

  test('asks again while a payment is awaited, and no longer', () => {
    const refreshes = (view: Partial<PaymentView>) => {
      const html = render(view)
      const hasLink = html.includes(`<a href="${ID}">Refresh now</a>`)
      assert.equal(html.includes('<meta http-equiv="refresh" content="10">'), hasLink)
      return hasLink
    }
    assert.ok(refreshes({}))
    assert.ok(refreshes({ payment: { ...UNPAID, pending: '25' } }))
    assert.ok(refreshes({ payment: { ...PAID, pending: '5' } }))
    assert.ok(refreshes({ isVoid: true, payment: { ...UNPAID, pending: '5' } }))
    assert.equal(refreshes({ payment: PAID }), false)
    assert.equal(refreshes({ isVoid: true }), false)
  })

  test('warns that different coins are not equal offers, and names the sum with each network', () => {
    const html = render({ invoice: { currency: 'native', amount: '0.015' }, wallets: [SEP, NILE] })
    assert.ok(html.includes('different coins with different values'), html)
    assert.ok(html.includes('<dt>0.015 ETH on SEP (Ethereum Sepolia)'), html)
    assert.ok(html.includes('<dt>0.015 TRX on TRX-NILE (TRON Nile)'), html)
    assert.equal(render({ wallets: [SEP, NILE] }).includes('different coins'), false)
  })

  test('says until when to pay, as long as there is something to send', () => {
    const expiresAt = Date.UTC(2026, 10, 22, 7, 5, 59, 999)
    assert.ok(render({ expiresAt }).includes('<p>Pay before 2026-11-22 07:05 UTC.</p>'))
    assert.equal(render({ expiresAt, payment: PAID }).includes('Pay before'), false)
    assert.equal(render().includes('Pay before'), false)
  })

  test('says beside the name of each test network that it is one', () => {
    const html = render({ wallets: [SEP, NILE] })
    for (const name of ['SEP (Ethereum Sepolia)', 'TRX-NILE (TRON Nile)']) {
      assert.ok(html.includes(`${name} <span class="test">Test network</span>`), html)
    }
  })

  test('says how much is missing exactly, to the last of 18 decimals', () => {
    const html = render({
      invoice: { currency: 'native', amount: '0.012345678901234567' },
      payment: { ...UNPAID, received: '0.01', pending: '0.000000000000000001', remaining: '0.002345678901234567' },
    })
    assert.ok(html.includes('0.010000000000000001 ETH seen, 0.002345678901234566 ETH more to send'), html)
  })

  test('is labelled in the sandbox only', () => {
    const label = 'Sandbox: nothing here is real money'
    assert.ok(render({ isSandbox: true }).includes(label))
    assert.ok(notFound(true).includes(label))
    assert.equal(render().includes(label), false)
    assert.equal(notFound(false).includes(label), false)
  })

  test('writes a long amount smaller', () => {
    assert.ok(render({ invoice: { amount: '9'.repeat(60) } }).includes('class="amount long"'))
  })

  test('carries the style whose hash the policy allows, and no other', () => {
    for (const html of [render(), notFound(true)]) {
      const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text)
      assert.equal(styles.length, 1)
      const hash = createHash('sha256')
        .update(styles[0] ?? '')
        .digest('base64')
      assert.equal(STYLE_SOURCE, `'sha256-${hash}'`)
      assert.equal(/\sstyle=/.test(html), false)
    }
  })

  test('has no script, no handler and nothing that loads or sends', () => {
    for (const html of [render(), render({ payment: PAID }), notFound(true)]) {
      for (const tag of tags(html)) {
        assert.equal(/^<(script|iframe|object|embed|form|img|link|base|svg)\b/i.test(tag), false, tag)
        assert.equal(/\son[a-z]+\s*=/i.test(tag), false, tag)
        assert.equal(/javascript:/i.test(tag), false, tag)
      }
    }
  })

  test('is one card with a language, a heading and description lists that nest well', () => {
    const html = render({ wallets: [SEP, NILE] })
    assert.ok(html.startsWith('<!doctype html>\n<html lang="en">'))
    const open: string[] = []
    const empty = new Set(['meta', '!doctype'])
    for (const tag of tags(html.replace(/<style>[\s\S]*<\/style>/, ''))) {
      const name = /^<\/?([a-z0-9!]+)/i.exec(tag)?.[1] ?? ''
      if (empty.has(name)) continue
      if (tag.startsWith('</')) assert.equal(open.pop(), name)
      else open.push(name)
    }
    assert.deepEqual(open, [])
    for (const name of ['h1', 'main', 'title']) assert.equal(html.split(`<${name}>`).length, 2, name)
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
