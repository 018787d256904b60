import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import { completionOf } from '../../src/domain/order-excess.js'

const atoms = (text: string) => (text === '0' ? 0n : (parseInvoiceAmount(text) ?? assert.fail(text)))

/** An option: what it asks, its decimals, and what came for it: `amount@minute`, with `?` while it is not confirmed, and `amount` for older money. */
function option(amount: string, decimals: number, ...came: readonly string[]) {
  const parts = came.map((text) => {
    const [sum = '', minute] = text.replace('?', '').split('@')
    return { amount: sum, isConfirmed: !text.endsWith('?'), receivedAt: minute === undefined ? null : Number(minute) }
  })
  const total = (isConfirmed: boolean) =>
    parts.reduce((sum, one) => (one.isConfirmed === isConfirmed ? sum + atoms(one.amount) : sum), 0n)
  const deposits = parts.flatMap(({ receivedAt, ...rest }) => (receivedAt === null ? [] : [{ ...rest, receivedAt }]))
  return { amount: atoms(amount), own: { confirmed: total(true), pending: total(false) }, decimals, deposits }
}

describe('what an order has received too much', () => {
  const rows: readonly [
    what: string,
    options: ReturnType<typeof option>[],
    excess: string[],
    completedAt: number | null,
    isPending: boolean,
  ][] = [
    ['is nothing before it is whole', [option('10', 2, '5@1'), option('1', 6, '0.4@2')], ['0', '0'], null, false],
    ['is nothing when it is exactly whole', [option('10', 2, '5@1'), option('1', 6, '0.5@2')], ['0', '0'], 2, false],
    ['is in the coin that was overpaid', [option('10', 2, '12@1'), option('1', 6)], ['2', '0'], 1, false],
    ['is in no other coin that paid a part', [option('10', 2, '6@1'), option('1', 6, '0.6@2')], ['0', '0.2'], 2, false],
    ['follows the order of time', [option('10', 2, '6@3'), option('1', 6, '0.6@2')], ['2', '0'], 3, false],
    [
      'is all that comes late in another coin',
      [option('10', 2, '10@1'), option('1', 6, '0.3@5')],
      ['0', '0.3'],
      1,
      false,
    ],
    [
      'is in two coins when both are too much',
      [option('10', 2, '11@1'), option('1', 6, '0.3@5')],
      ['1', '0.3'],
      1,
      false,
    ],
    [
      'leaves out what asking rounded up',
      [option('3', 2, '1@1', '1@3'), option('1', 6, '0.333334@2')],
      ['0', '0'],
      3,
      false,
    ],
    ['has every unit of what came too late', [option('10', 2, '10@1', '0.000001@2')], ['0.000001'], 1, false],
    [
      'counts what is confirmed before what is not',
      [option('10', 2, '10@1?'), option('1', 6, '1@2')],
      ['10', '0'],
      2,
      true,
    ],
    ['is seen before it is confirmed', [option('10', 2, '8@1?', '4@2?')], ['2'], 2, true],
    ['counts what is not told by itself as older', [option('10', 2, '9', '2@7')], ['1'], 7, false],
    ['does not know when what is not told completed it', [option('10', 2, '11', '2@7')], ['3'], null, false],
    [
      'counts thirds exactly',
      [option('3', 2, '1@1'), option('7', 2, '2.34@2'), option('11', 2, '3.66@3')],
      ['0', '0', '0'],
      3,
      false,
    ],
  ]
  for (const [what, options, excess, completedAt, isPending] of rows) {
    test(what, () => {
      const found = completionOf(options)
      assert.deepEqual(found.excess.map(formatAmount), excess)
      assert.deepEqual([found.completedAt, found.isPending], [completedAt, isPending])
    })
  }
})
