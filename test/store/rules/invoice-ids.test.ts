import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InvoiceWithPayment } from '../../../src/store/reading.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { findByInvoiceId, idsBeginning } from '../../../src/store/rules/invoice-ids.js'

test('the ids that begin with a text are those between two', () => {
  const first = '018b'.padEnd(32, '0')
  const last = '018b'.padEnd(32, 'f')
  assert.deepEqual(idsBeginning('018b'), [first, last])
  assert.deepEqual(idsBeginning(last), [last, last])
  for (const none of ['', '018B', 'x', `${last}0`]) assert.equal(idsBeginning(none), null)
})

test('invoices are found by their ids: those of this service first, and all of them within the limit', () => {
  const asked: unknown[] = []
  const answering =
    (...ids: string[]) =>
    (...given: unknown[]) => {
      asked.push(given)
      return ids.map((id) => ({ invoice: { id } }) as InvoiceWithPayment)
    }
  const work = { imported: answering('018b-imported'), between: answering('018b1', '018b2') }
  const find = (beginning: string, limit: number) =>
    answeredNow(findByInvoiceId(work, beginning, limit)).map(({ invoice }) => invoice.id)
  assert.deepEqual(find('018b', 3), ['018b1', '018b2', '018b-imported'])
  assert.deepEqual(find('018b', 2), ['018b1', '018b2'])
  const [first, last] = idsBeginning('018b') ?? []
  assert.deepEqual(asked.slice(0, 2), [
    ['018b', 3],
    [first, last, 3],
  ])
  // No id of this service begins so.
  assert.deepEqual(find('018B', 3), ['018b-imported'])
})
