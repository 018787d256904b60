import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_BRAND } from '../../src/page/brand.js'
import { returnName } from '../../src/page/return-link.js'

const SHOP = { ...NO_BRAND, name: 'Tea House', returnUrl: 'https://tea.example/orders' }

for (const [of, brand, url, expected] of [
  ['a service without a name', NO_BRAND, 'https://shop.example/7', null],
  ['the service', SHOP, SHOP.returnUrl, 'Tea House'],
  ['an invoice of the shop', SHOP, 'https://tea.example/o/7?a', 'Tea House'],
  ['an invoice that leads elsewhere', SHOP, 'https://evil.example:8443/', 'evil.example:8443'],
  ['another scheme', SHOP, 'http://tea.example/', 'tea.example'],
  ['look-alike letters', SHOP, 'https://te\u0430.example/', 'xn--te-8kc.example'],
  ['a shop without a link of its own', { ...SHOP, returnUrl: null }, 'https://tea.example/', 'tea.example'],
  ['a URL that is none, as of a damaged record', SHOP, 'https://', null],
] as const) {
  test(`the name of the link back of ${of}`, () => assert.equal(returnName(brand, url), expected))
}
