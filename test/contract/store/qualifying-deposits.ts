import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChainStep } from '../../../src/domain/block.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { QualifyingDeposit } from '../../../src/domain/payment.js'
import { millisecond } from '../../../src/domain/received-at.js'
import { addressOf, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const LIMIT = 10

/** The deposits that are told of an invoice: those that its payment is the sum of (specification, Invoice paid status). */
export function describeQualifyingDeposits(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2')
        await run(t)
      }),
    )

  async function told(t: Scenario, invoice: Pick<Invoice, 'id'>, limit = LIMIT) {
    await t.assertDepositsSum(invoice)
    return present(await t.store.invoices.findWithDeposits(invoice.id, limit))
  }

  async function hashes(t: Scenario, invoice: Pick<Invoice, 'id'>): Promise<readonly string[]> {
    return (await told(t, invoice)).deposits.map(({ txHash }) => txHash)
  }

  describe('the deposits of an invoice', () => {
    scenario('are none of an unknown invoice, and none before the first', async (t) => {
      assert.equal(await t.store.invoices.findWithDeposits('0'.repeat(32), LIMIT), undefined)
      const invoice = await t.invoice()
      const { deposits, hasMoreDeposits, orderId, ...rest } = await told(t, invoice)
      assert.deepEqual([deposits, hasMoreDeposits, orderId], [[], false, null])
      assert.deepEqual(rest, await t.told(invoice))
    })

    scenario('are told as they were counted, with their state', async (t) => {
      const invoice = await t.invoice({ currency: 'USDT' })
      const fields = { txHash: '0xa', index: 3, currency: 'Tether', amount: '1500000', receivedAt: START_MS + 5 }
      await t.deposit('pending', fields)
      const expected: QualifyingDeposit = {
        network: 'SEP',
        txHash: '0xa',
        index: 3,
        receivedAt: START_MS + 5,
        amount: '1.5',
        isConfirmed: false,
        confirmations: null,
      }
      assert.deepEqual((await told(t, invoice)).deposits, [expected])
      await t.deposit('confirmed', fields)
      await t.harness.reopen()
      assert.deepEqual((await told(t, invoice)).deposits, [{ ...expected, isConfirmed: true }])
    })

    scenario('are those after its creation, in its currency and to its wallets', async (t) => {
      const invoice = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      const at = (receivedAt: number) => ({ receivedAt: START_MS + receivedAt })
      await t.deposit('confirmed', { txHash: 'before', ...at(-1) })
      await t.deposit('confirmed', { txHash: 'at the same time', ...at(0) })
      await t.deposit('confirmed', { txHash: 'other coin', currency: 'Tether', amount: '7000000', ...at(1) })
      await t.deposit('confirmed', { txHash: 'no coin', currency: 'DAI', ...at(1) })
      await t.deposit('confirmed', { txHash: 'elsewhere', toAddress: addressOf('wallet-3'), ...at(1) })
      await t.deposit('pending', { txHash: 'one', ...at(1) })
      await t.deposit('confirmed', { txHash: 'two', toAddress: addressOf('wallet-2'), ...at(2) })
      assert.deepEqual(await hashes(t, invoice), ['two', 'one'])
    })

    scenario('are newest first by receipt, whenever they were reported, and bounded', async (t) => {
      const invoice = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'] })
      for (const [i, receivedAt] of [30, 10, 50, 20, 40].entries()) {
        const toAddress = addressOf(i % 2 === 0 ? 'wallet-1' : 'wallet-2')
        await t.deposit('pending', { txHash: `${receivedAt}`, toAddress, receivedAt: START_MS + receivedAt })
      }
      assert.deepEqual(await hashes(t, invoice), ['50', '40', '30', '20', '10'])
      for (const [limit, hasMore] of [
        [5, false],
        [4, true],
        [1, true],
      ] as const) {
        const { deposits, hasMoreDeposits } = await told(t, invoice, limit)
        assert.deepEqual([deposits.length, deposits[0]?.txHash, hasMoreDeposits], [limit, '50', hasMore])
      }
    })

    scenario('lose one that is dropped, and get it back as it is then', async (t) => {
      const invoice = await t.invoice()
      const fields = { txHash: '0xa', receivedAt: START_MS + 5 }
      await t.deposit('confirmed', fields)
      await t.deposit('dropped', fields)
      assert.deepEqual(await hashes(t, invoice), [])
      await t.deposit('pending', { ...fields, amount: '7', receivedAt: START_MS + 9 })
      const [again] = (await told(t, invoice)).deposits
      assert.deepEqual([again?.amount, again?.receivedAt, again?.isConfirmed], ['7', START_MS + 9, false])
    })

    scenario("are its own when it is void, paid, or its wallet is another owner's, and never another's", async (t) => {
      const [first, second] = [await t.invoice({ amount: '5' }), await t.invoice({ amount: '6' })]
      await t.deposit('confirmed', { txHash: 'a part', amount: '1', receivedAt: START_MS + 1 })
      await t.void(first.id)
      await t.deposit('confirmed', { txHash: 'beside a void one', amount: '6', receivedAt: START_MS + 1 })
      await t.tell(walletAssigned('wallet-1', 'bob'))
      await t.deposit('confirmed', { txHash: 'to nobody', amount: '1', receivedAt: START_MS + 2 })
      t.clock.set(START_MS + 2)
      const bobs = await t.invoice({ owner: 'bob' })
      await t.deposit('confirmed', { txHash: 'after', amount: '1', receivedAt: START_MS + 3 })
      assert.deepEqual(await hashes(t, first), ['to nobody', 'a part'])
      assert.deepEqual(await hashes(t, second), ['to nobody', 'beside a void one'])
      assert.deepEqual(await hashes(t, bobs), ['after'])
    })

    scenario('may have come before the wallet was known', async (t) => {
      await t.deposit('pending', { txHash: 'early', toAddress: addressOf('late'), receivedAt: START_MS + 1 })
      const imported = {
        ...(await t.invoice()),
        id: 'b'.repeat(32),
        wallet_id: 'late',
        wallet_ids: 'late',
        amount: '5',
        created_at: START_MS - 1,
      }
      await t.own('alice', 'late')
      await t.store.imports.add([
        { type: 'invoice', invoice: imported, expiresAt: null, voidedAt: null, acceptedAt: null },
      ])
      assert.deepEqual(await hashes(t, imported), ['early'])
    })

    scenario('count the blocks that confirm them, for as long as they are not confirmed', async (t) => {
      const invoice = await t.invoice()
      const block = (height: number, ...hashes: readonly string[]) => ({
        height,
        hash: `a${height}`,
        parentHash: `a${height - 1}`,
        ...millisecond(START_MS + height),
        transfers: hashes.map((txHash) => {
          return { txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '1' } as const
        }),
      })
      const take = async (step: ChainStep) => {
        const result = await t.perform({ type: 'chain', step })
        assert.ok(result.type === 'chain' && result.outcome.status === 'applied')
      }
      const counts = async () =>
        Object.fromEntries((await told(t, invoice)).deposits.map((one) => [one.txHash, one.confirmations]))
      const append = (...blocks: readonly ReturnType<typeof block>[]) =>
        take({ type: 'append', network: 'SEP', blocks, isConfirmed: false, seenAtMs: START_MS })

      await append(block(1, 'x'))
      assert.deepEqual(await counts(), { x: 1 })
      await append(block(2), block(3, 'y'))
      assert.deepEqual(await counts(), { x: 3, y: 1 })
      await t.deposit('pending', { txHash: 'by gateway', receivedAt: START_MS + 3 })
      await take({ type: 'confirm', network: 'SEP', blocks: [block(1, 'x')] })
      assert.deepEqual(await counts(), { x: null, y: 1, 'by gateway': null })
      await take({ type: 'undo', network: 'SEP', above: 2 })
      assert.deepEqual(await counts(), { x: null, 'by gateway': null })
      await take({ type: 'forget', network: 'SEP' })
      assert.deepEqual(await counts(), { x: null, 'by gateway': null })
    })
  })
}
