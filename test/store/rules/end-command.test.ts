import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { doneEnd } from '../../../src/domain/audit.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { Order } from '../../../src/domain/order.js'
import type { OrderWithOptions } from '../../../src/store/orders.js'
import type { InvoiceWithPayment } from '../../../src/store/reading.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import type { AuditWork } from '../../../src/store/rules/audit.js'
import { type EndCommand, type EndCommandWork, endAsAsked } from '../../../src/store/rules/end-command.js'
import type { EndOrderWork } from '../../../src/store/rules/end-order.js'
import type { OptionRow, OrderWork } from '../../../src/store/rules/order-work.js'
import type { EndWork } from '../../../src/store/rules/void-invoice.js'

const NOW = 1000
const NAME = 'the invoice or the order'

/** An engine that has one invoice and one order, which ended as asked before: it is answered as it is. */
function workOf(ending: { readonly voidedAt: number | null; readonly acceptedAt: number | null }) {
  const ends: unknown[] = []
  const audit: Partial<AuditWork> = {
    readClock: () => NOW,
    end: (...given) => ends.push(given),
  }
  const row: OptionRow = {
    invoice: { id: NAME, owner: 'shop' } as Invoice,
    orderId: null,
    expiresAt: null,
    hasOutlivedExpiry: false,
    ...ending,
  }
  const invoices: Partial<EndWork<OptionRow>> = {
    nowMs: NOW,
    find: (name) => (name === NAME ? row : undefined),
    answerOf: ({ invoice }) => ({ invoice }) as InvoiceWithPayment,
  }
  const order = { id: NAME, owner: 'shop', expiresAt: NOW + 1, isExpiryDecided: false, ...ending } as Order
  const held: Partial<OrderWork<OptionRow>> = {
    life: invoices as EndWork<OptionRow>,
    order: () => order,
    options: () => [{ ...row, voidedAt: null }],
  }
  const orders: Partial<EndOrderWork<OptionRow>> = {
    find: (name) => (name === NAME ? NAME : undefined),
    orders: held as OrderWork<OptionRow>,
    answerOf: () => ({ order }) as OrderWithOptions,
  }
  return { work: { audit, invoices, orders } as EndCommandWork<OptionRow>, ends }
}

const VOID = { voidedAt: 7, acceptedAt: null }
const ACCEPTED = { voidedAt: null, acceptedAt: 7 }

describe('what an owner asks to end', () => {
  const commands: readonly (readonly [EndCommand, typeof VOID | typeof ACCEPTED])[] = [
    [{ type: 'void', invoiceId: NAME, owner: 'shop' }, VOID],
    [{ type: 'accept', invoiceId: NAME, owner: 'shop' }, ACCEPTED],
    [{ type: 'void-order', orderId: NAME, owner: 'shop' }, VOID],
    [{ type: 'accept-order', orderId: NAME, owner: 'shop' }, ACCEPTED],
  ]
  for (const [command, ending] of commands) {
    test(`${command.type}: its trace says that it was done before, with it`, () => {
      const { work, ends } = workOf(ending)
      const { type, outcome } = answeredNow(endAsAsked(work, { ...command, trace: 'the trace' }))
      assert.deepEqual([type, outcome.ok], [command.type, true])
      assert.deepEqual(ends, [['the trace', doneEnd({ isUnchanged: true }), NOW]])
    })

    test(`${command.type}: nothing is said of one that is refused, or has no trace`, () => {
      const { work, ends } = workOf(ending)
      const refused = answeredNow(endAsAsked(work, { ...command, owner: 'another', trace: 'the trace' }))
      assert.deepEqual([refused.type, refused.outcome.ok], [command.type, false])
      assert.ok(answeredNow(endAsAsked(work, command)).outcome.ok)
      assert.deepEqual(ends, [])
    })
  }
})
