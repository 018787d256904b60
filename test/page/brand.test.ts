import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brandMark, brandStyle, contactLine, NO_BRAND } from '../../src/page/brand.js'
import { failurePage } from '../../src/page/failure-page.js'
import { backLink } from '../../src/page/return-link.js'
import { STYLE } from '../../src/page/style.js'
import { frameOf, SHOP, textOf } from './frame.js'

const ENGLISH = frameOf().language

function notFound(brand = SHOP, lang = 'en'): string {
  return failurePage(frameOf({ brand, lang }), { subject: 'invoice', status: 404, retryAfterSeconds: null })
}

describe('the brand', () => {
  test('is a logo with the name as its text, or the name', () => {
    assert.equal(String(brandMark(SHOP, 'shop')), '<p class="brand"><img src="shop/logo/abc.svg" alt="Tea House"></p>')
    assert.equal(String(brandMark({ ...SHOP, logo: null }, 'shop')), '<p class="brand"><bdi>Tea House</bdi></p>')
    assert.equal(brandMark(NO_BRAND, 'shop'), null)
  })

  test('is one banner with the label of the sandbox', () => {
    const html = failurePage(frameOf({ brand: SHOP, isSandbox: true }), {
      subject: 'invoice',
      status: 404,
      retryAfterSeconds: null,
    })
    assert.equal(html.split('<header>').length, 2)
  })

  test('stands in the title', () => assert.ok(notFound().includes('<title>Invoice not found · Tea House</title>')))

  test('links back in the words of the payer', () => {
    const link = '<a href="https://shop.example/cart?order=1&amp;lang=en" target="_top">'
    assert.equal(
      String(backLink(SHOP, SHOP.returnUrl, ENGLISH)),
      `<p class="back">${link}Back to <bdi>Tea House</bdi></a></p>`,
    )
    assert.ok(textOf(notFound(SHOP, 'tr')).includes('Tea House sayfasına dön'))
    assert.equal(backLink(SHOP, null, ENGLISH), null)
    assert.equal(textOf(String(backLink(NO_BRAND, SHOP.returnUrl, ENGLISH))), 'Back to the shop')
  })

  for (const [support, shown] of [
    ['mailto:help@shop.example', 'help@shop.example'],
    ['tel:+49-30-123456', '+49-30-123456'],
    ['https://shop.example/help?a=1&b=2', 'shop.example/help?a=1&b=2'],
  ] as const) {
    test(`says whom to ask at ${support}`, () => {
      const line = String(contactLine({ ...SHOP, support }, ENGLISH))
      assert.equal(textOf(line), `Contact: ${shown}`)
      assert.ok(line.includes(`href="${support.replace('&', '&amp;')}"`), line)
    })
  }

  test('has its shades in the style, and none without an accent', () => {
    const style = brandStyle(SHOP)
    assert.ok(style.includes('solid #ffd600'), style)
    assert.ok(style.includes('(prefers-color-scheme: dark) { :root { --accent: #ffd600; } }'), style)
    assert.equal(style.startsWith(':root { --accent: #ffd600'), false)
    assert.equal(brandStyle(NO_BRAND), '')
  })

  test('and the style hold nothing that HTML would escape', () => {
    assert.equal(/[&<>"']/.test(STYLE + brandStyle(SHOP)), false)
  })

  test('leaves no trace where there is none', () => {
    const html = notFound(NO_BRAND)
    for (const trace of ['<header', 'class="brand"', 'class="back"', 'class="contact"', 'target=']) {
      assert.equal(html.includes(trace), false, trace)
    }
  })

  for (const name of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    '</title>&lt;',
  ]) {
    test(`is text, whatever it holds: ${name}`, () => {
      const tagsOf = (html: string) =>
        [...html.replace(/<(script|style) nonce[\s\S]*?<\/\1>/g, '').matchAll(/<[a-z!/][^>]*>/gi)].map(([tag]) =>
          tag.replace(/alt="[^"]*"/, ''),
        )
      for (const logo of [SHOP.logo, null]) {
        assert.deepEqual(tagsOf(notFound({ ...SHOP, name, logo })), tagsOf(notFound({ ...SHOP, logo })))
      }
    })
  }

  test('cannot turn around what follows it', () => {
    const html = notFound({ ...SHOP, name: 'a\u202eb', logo: null })
    assert.ok(html.includes('<title>Invoice not found · ab</title>'))
    assert.ok(html.includes('<bdi>a\u202eb</bdi>'))
  })
})
