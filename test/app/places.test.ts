import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { placeOf } from '../../packages/app/src/place.js'
import { basePathOf } from '../../packages/app/src/session/base-path.js'

describe('a place in the app', () => {
  for (const [fragment, screen, list, id] of [
    ['', 'invoices', 'invoices', ''],
    ['#/', 'invoices', 'invoices', ''],
    ['#/invoices', 'invoices', 'invoices', ''],
    ['#/invoices/new', 'create-invoice', 'invoices', ''],
    ['#/invoices/0190a', 'invoice', 'invoices', '0190a'],
    ['#/orders/0190a', 'order', 'orders', '0190a'],
    ['#/orders/new', 'create-order', 'orders', ''],
    ['#/till', 'till', 'till', ''],
    ['#/till/new', 'till', 'till', ''],
    ['#/wallets', 'wallets', 'wallets', ''],
    ['#/unknown', 'invoices', 'invoices', ''],
    ['#/__proto__/new', 'invoices', 'invoices', ''],
    ['#/invoices/<script>', 'invoices', 'invoices', ''],
    ['#/invoices/../../api', 'invoices', 'invoices', ''],
    [`#/invoices/${'a'.repeat(65)}`, 'invoices', 'invoices', ''],
  ] as const) {
    test(`${fragment.slice(0, 30)} is ${screen}`, () => assert.deepEqual(placeOf(fragment), { screen, list, id }))
  }
})

test('the path of a service is what stands before its app', () => {
  const paths = [
    '/app',
    '/app/keys-1.js',
    '/shop/app',
    '/shop/app/keys-1.js',
    '/app/app',
    '/app/app/keys-1.js',
    '/other',
  ]
  assert.deepEqual(paths.map(basePathOf), ['', '', '/shop', '/shop', '/app', '/app', ''])
})
