import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchTerms } from '../../src/console/search-terms.js'

const ATOM = 10n ** 18n

for (const [typed, expected] of [
  ['', null],
  [' \n\t', null],
  ['A-7', { text: 'A-7', names: ['A-7', 'a-7'], ids: [], hashes: [], addresses: [], amount: null }],
  [
    ' 0xABcd ',
    {
      text: '0xABcd',
      names: ['0xABcd', '0XABCD', '0xabcd'],
      ids: ['abcd', 'ABCD', 'ABcd'],
      hashes: ['0xABcd', 'abcd', '0xabcd', 'ABCD'],
      addresses: ['0xABcd', '0xabcd'],
      amount: null,
    },
  ],
  [
    'TYdq9',
    {
      text: 'TYdq9',
      names: ['TYdq9', 'TYDQ9', 'tydq9'],
      ids: [],
      hashes: ['TYdq9'],
      addresses: ['TYdq9'],
      amount: null,
    },
  ],
  ['25', { text: '25', names: ['25'], ids: [], hashes: [], addresses: [], amount: 25n * ATOM }],
  ['25.00', { text: '25.00', names: ['25.00'], ids: [], hashes: ['25.00'], addresses: ['25.00'], amount: 25n * ATOM }],
  ['.5', { text: '.5', names: ['.5'], ids: [], hashes: [], addresses: [], amount: ATOM / 2n }],
  ['0', { text: '0', names: ['0'], ids: [], hashes: [], addresses: [], amount: null }],
  ['%_', { text: '%_', names: ['%_'], ids: [], hashes: [], addresses: [], amount: null }],
] as const) {
  test(`${JSON.stringify(typed)} is looked for as what it may be`, () => assert.deepEqual(searchTerms(typed), expected))
}

test('a currency behind an amount is ignored', () => {
  assert.equal(searchTerms('25.00 USDT')?.amount, 25n * ATOM)
  for (const no of ['25 of them all', '1e3', '-5', '2,5', '25.', 'x 25'])
    assert.equal(searchTerms(no)?.amount, null, no)
})

test('a long text is cut, and half a character is no text of a store', () => {
  assert.equal(searchTerms('x'.repeat(1000))?.text.length, 128)
  assert.equal(searchTerms('a\ud800')?.text, 'a\ufffd')
})
