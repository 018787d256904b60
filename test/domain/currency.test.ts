import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { currencyOfLabel, isCurrency } from '../../src/domain/currency.js'

describe("a deposit's currency label (specification, Currency normalisation)", () => {
  test('stands for an invoice currency', () => {
    assert.equal(currencyOfLabel('Tether'), 'USDT')
    assert.equal(currencyOfLabel('#native'), 'native')
    assert.equal(currencyOfLabel(null), 'native')
    assert.equal(currencyOfLabel(''), 'native')
  })

  for (const label of [
    'tether',
    'TETHER',
    'USDT',
    'native',
    '#Native',
    ' ',
    'Tether ',
    'null',
    'constructor',
    '__proto__',
  ]) {
    test(`'${label}' matches nothing`, () => {
      assert.equal(currencyOfLabel(label), null)
    })
  }
})

test('an invoice currency is native or USDT, exactly', () => {
  assert.deepEqual(['native', 'USDT', 'usdt', 'Native', 'Tether', '#native', '', ' native'].filter(isCurrency), [
    'native',
    'USDT',
  ])
})
