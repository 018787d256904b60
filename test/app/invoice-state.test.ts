import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isOpen, type Standing, stateOf } from '../../packages/app/src/invoices/state.js'

function standing(payment: Partial<Standing['payment']> = {}, more: Partial<Omit<Standing, 'payment'>> = {}): Standing {
  const nothing = { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' } as const
  return { voided_at: null, accepted_at: null, expires_at: null, ...more, payment: { ...nothing, ...payment } }
}

describe('how an invoice stands', () => {
  for (const [name, invoice, state, open] of [
    ['nothing has come', standing(), 'open', true],
    ['something is seen', standing({ pending: '0.000001' }), 'seen', true],
    ['a part has come', standing({ received: '5' }), 'seen', true],
    ['zeros are nothing', standing({ pending: '0.00', received: '0' }), 'open', true],
    ['it is paid', standing({ status: 'paid', received: '25' }), 'paid', false],
    ['it is paid though it was void', standing({ status: 'paid' }, { voided_at: 5 }), 'paid', false],
    ['it was accepted', standing({ received: '24' }, { accepted_at: 5 }), 'accepted', false],
    ['it was voided', standing({}, { voided_at: 5, expires_at: 9 }), 'void', false],
    ['it has expired', standing({}, { voided_at: 9, expires_at: 9 }), 'expired', false],
    ['it will have expired by the clock of this device', standing({}, { expires_at: 9 }), 'open', true],
  ] as const) {
    test(`${name}: ${state}`, () => assert.deepEqual([stateOf(invoice), isOpen(invoice)], [state, open]))
  }
})
