import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newInvoice } from '../../../src/domain/invoice.js'
import type { CreatedOrder } from '../../../src/store/commands.js'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import {
  answerUnownedCreation,
  answerUnownedOrderCreation,
  type UnownedWork,
} from '../../../src/store/rules/unowned-wallets.js'
import { invoiceRequest } from '../../support/fixtures.js'
import { orderCommand } from '../../support/orders.js'

const idempotency = { scope: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) }
const walletIds = ['w1', 'w2']
const request = invoiceRequest({ walletIds })
const options = [{ walletIds }, { walletIds: ['w2', 'w3'], currency: 'USDT' }]
const invoice = newInvoice(request, 'an-id', 1)
const created = { order: { id: 'an-order' }, invoices: [invoice] } as unknown as CreatedOrder

class Work implements UnownedWork {
  readonly asked: unknown[] = []
  constructor(private readonly others: readonly string[]) {}

  unownedOf(owner: string, ids: readonly string[]): string | undefined {
    this.asked.push([owner, ...ids])
    return ids.find((id) => this.others.includes(id))
  }
  earlier(asked: unknown) {
    this.asked.push(asked)
    return { isSameBody: true, invoice, expiresAt: 5 } as const
  }
  earlierOrder(asked: unknown) {
    this.asked.push(asked)
    return { isSameBody: true, created } as const
  }
}

describe('a creation takes no turn when a wallet is not its owner’s', () => {
  test('one on wallets of its owner takes its turn', () => {
    const work = new Work([])
    assert.equal(answeredNow(answerUnownedCreation(work, { type: 'invoice', request, terms: { idempotency } })), null)
    assert.equal(answeredNow(answerUnownedOrderCreation(work, orderCommand({ options }, { idempotency }))), null)
    assert.deepEqual(work.asked, [
      ['alice', 'w1', 'w2'],
      ['alice', 'w1', 'w2', 'w3'],
    ])
  })

  test('it is refused, and the wallet named', () => {
    const work = new Work(['w2'])
    for (const terms of [undefined, {}]) {
      const result = answeredNow(answerUnownedCreation(work, { type: 'invoice', request, ...(terms && { terms }) }))
      assert.ok(result !== null && !result.outcome.ok)
      assert.deepEqual(
        [result.outcome.failure.code, result.outcome.failure.details],
        ['wallet_not_owned', { wallet: 'w2', reason: 'not_assigned' }],
      )
    }
    const order = answeredNow(answerUnownedOrderCreation(new Work(['w3']), orderCommand({ options })))
    assert.ok(order !== null && !order.outcome.ok)
    assert.deepEqual(order.outcome.failure.details, { wallet: 'w3', reason: 'not_assigned' })
  })

  test('or answered by its idempotency key', async () => {
    const work = new Work(['w1'])
    const result = await answeredLater(
      answerUnownedCreation(work, { type: 'invoice', request, terms: { idempotency } }),
    )
    assert.deepEqual(result, { type: 'invoice', outcome: { ok: true, value: invoice }, expiresAt: 5, isReplay: true })
    const order = answeredNow(answerUnownedOrderCreation(work, orderCommand({ options }, { idempotency })))
    assert.deepEqual(order, { type: 'order', outcome: { ok: true, value: created }, isReplay: true })
    assert.deepEqual(work.asked, [['alice', 'w1', 'w2'], idempotency, ['alice', 'w1', 'w2', 'w3'], idempotency])
  })
})
