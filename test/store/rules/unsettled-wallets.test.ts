import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { behindPiece, unsettledAgain, unsettledBy } from '../../../src/store/rules/unsettled-wallets.js'

describe('a wallet with open invoices that are not examined', () => {
  const known = { isAgain: false, isAloud: false, examinedTo: 'b' }

  test('is one where a deposit left some of them', () => {
    assert.deepEqual(unsettledBy('a', true), { isAgain: false, isAloud: true, examinedTo: 'a' })
    assert.equal(unsettledBy(null, true), null)
  })

  test('is examined on, and once more when another deposit came meanwhile', () => {
    assert.deepEqual(behindPiece(known, 'c'), { ...known, examinedTo: 'c' })
    assert.equal(behindPiece(known, null), null)
    const again = unsettledAgain(known, false)
    assert.deepEqual(behindPiece(again, 'c'), { ...again, examinedTo: 'c' })
    assert.deepEqual(behindPiece(again, null), { isAgain: false, isAloud: false, examinedTo: null })
  })

  test('is told of when one of its deposits is', () => {
    assert.equal(unsettledAgain(known, true).isAloud, true)
    assert.equal(unsettledAgain({ ...known, isAloud: true }, false).isAloud, true)
    assert.equal(unsettledAgain(known, false).isAloud, false)
  })
})
