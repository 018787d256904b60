import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { beginningOfIds } from '../../../src/domain/id.js'
import { storeIdOf } from '../../../src/store/rules/store-id.js'

const created_at = 1_700_000_000_123
const own = `${beginningOfIds(created_at)}0123456789abcdef0123`

describe('the id under which a store has an invoice', () => {
  test('is its own where that begins with the time of its creation', () => {
    assert.equal(storeIdOf({ id: own, created_at }), own)
  })

  const others = {
    'begins with another time': { id: own, created_at: created_at + 1 },
    'has capital letters': { id: own.toUpperCase(), created_at },
  }
  for (const [of, invoice] of Object.entries(others)) {
    test(`begins with the time of one whose id ${of}, and follows from that id`, () => {
      const id = storeIdOf(invoice) ?? ''
      assert.match(id, new RegExp(`^${beginningOfIds(invoice.created_at)}[0-9a-f]{20}$`))
      assert.notEqual(id, invoice.id)
      assert.equal(storeIdOf({ ...invoice }), id)
    })
  }

  test('is none where the invoice has no id', () => {
    for (const id of ['none', `${own}0`, own.replace('0', 'g')]) assert.equal(storeIdOf({ id, created_at }), undefined)
  })
})
