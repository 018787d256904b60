import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { ImportableRecord } from '../../../src/store/imports.js'
import { addressOf, refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, settledValue, withStore } from './harness.js'

/** Hundredths of a percent. */
const FOUR_PERCENT = 400
const TEN_PERCENT = 1000
const HOOK = 'https://example.com/hook'
const MINUTE_MS = 60_000
const EVENTS_MAX = 1000

/** Invoices that are accepted by themselves, because nearly all has come (decisions 4). */
export function describeUnderpaid(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>, underpayment = FOUR_PERCENT) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.harness.reopen({ underpayment })
        await t.own('alice', 'wallet-1', 'wallet-2')
        await run(t)
      }),
    )

  const acceptedAt = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => (await t.told(invoice)).acceptedAt
  const voidedAt = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => (await t.told(invoice)).voidedAt

  /** What the owner was told of an invoice, but that it was created. */
  const typesOf = async (t: Scenario, { id }: Pick<Invoice, 'id'>) =>
    unwrap(await t.store.events.page('alice', { after: null, limit: EVENTS_MAX }))
      .items.filter(({ invoiceId, type }) => invoiceId === id && type !== 'invoice.created')
      .map(({ type }) => type)

  /** A deposit that was received a moment ago. Answers the references of the invoices that it owes a delivery. */
  const report = async (
    t: Scenario,
    kind: 'pending' | 'confirmed' | 'dropped',
    txHash: string,
    amount = '1',
    walletId = 'wallet-1',
  ) => {
    t.clock.advance(1)
    const { deliveries } = await t.deposit(kind, {
      txHash,
      amount,
      receivedAt: t.clock.now(),
      toAddress: addressOf(walletId),
    })
    return deliveries.map(({ body }) => JSON.parse(body).reference)
  }
  const pay = (t: Scenario, amount: string, walletId?: string) =>
    report(t, 'confirmed', `pays ${amount} at ${t.clock.now()}`, amount, walletId)

  describe('an invoice of which nearly all has come', () => {
    scenario('is accepted with the confirmed deposit, once, also for who has read it before', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      assert.equal(await acceptedAt(t, invoice), null)
      await report(t, 'pending', 'tx', '24')
      assert.equal(await acceptedAt(t, invoice), null)
      await report(t, 'confirmed', 'tx', '24')
      const { payment, own, ...told } = await t.told(invoice)
      assert.deepEqual([told.acceptedAt, told.voidedAt], [START_MS + 2, null])
      assert.deepEqual([payment.status, payment.remaining, own.own], ['unpaid', '1', '24'])
      const listed = await t.store.invoices.pageWithPayment('alice', { after: null, limit: 1 })
      assert.deepEqual(listed.items, [await t.told(invoice)])
      await report(t, 'confirmed', 'tx', '24')
      assert.deepEqual(await typesOf(t, invoice), ['deposit.pending', 'deposit.confirmed', 'invoice.accepted'])
      await t.harness.reopen({ underpayment: 0 })
      assert.equal(await acceptedAt(t, invoice), START_MS + 2)
    })

    scenario('is so to the last of 18 decimal places', async (t) => {
      const [short, exact] = [await t.invoice({ amount: '25' }), await t.invoice({ amount: '50' })]
      await pay(t, '23.999999999999999999')
      assert.equal(await acceptedAt(t, short), null)
      await pay(t, '0.000000000000000001')
      assert.notEqual(await acceptedAt(t, short), null)
      await pay(t, '48')
      assert.notEqual(await acceptedAt(t, exact), null)
    })

    scenario('is accepted with the last of several deposits', async (t) => {
      const invoice = await t.invoice({ amount: '25', walletIds: ['wallet-1', 'wallet-2'] })
      await pay(t, '20')
      assert.equal(await acceptedAt(t, invoice), null)
      await pay(t, '4.5', 'wallet-2')
      assert.equal(await acceptedAt(t, invoice), START_MS + 2)
      assert.equal((await t.told(invoice)).own.own, '24.5')
    })

    scenario('is not accepted when all has come, or too much', async (t) => {
      const exact = await t.invoice({ amount: '25' })
      await pay(t, '25')
      const over = await t.invoice({ amount: '25' })
      await pay(t, '26')
      assert.deepEqual([await acceptedAt(t, exact), await acceptedAt(t, over)], [null, null])
      assert.deepEqual(await typesOf(t, over), ['deposit.pending', 'deposit.confirmed', 'invoice.paid'])
    })

    scenario('is not accepted when the operator has set nothing', async (t) => {
      await t.harness.reopen({ underpayment: 0 })
      const invoice = await t.invoice({ amount: '25' })
      await pay(t, '24.999999999999999999')
      assert.equal(await acceptedAt(t, invoice), null)
    })

    scenario('is not accepted for what others paid to its wallet', async (t) => {
      const one = await t.invoice({ amount: '25' })
      const other = await t.invoice({ amount: '24' })
      await pay(t, '24')
      assert.equal((await t.told(one)).payment.received, '24')
      assert.deepEqual([await acceptedAt(t, one), await acceptedAt(t, other)], [null, null])
    })

    scenario('is accepted, too, when what others paid to its wallet had it found paid', async (t) => {
      await t.invoice({ amount: '40' })
      const invoice = await t.invoice({ amount: '25' })
      await pay(t, '40')
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
      await pay(t, '24')
      assert.deepEqual([(await t.told(invoice)).own.own, await acceptedAt(t, invoice)], ['24', START_MS + 2])
    })

    scenario('is accepted, too, when the same deposit has it found paid', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      await t.invoice({ amount: '1' })
      await pay(t, '1')
      await pay(t, '24')
      assert.deepEqual((await typesOf(t, invoice)).slice(-2), ['invoice.paid', 'invoice.accepted'])
      assert.deepEqual([(await t.told(invoice)).own.own, await acceptedAt(t, invoice)], ['24', START_MS + 2])
      await t.invoice({ amount: '25' })
    })

    scenario('is accepted once, and told of the deposit that was matched to it before', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      await report(t, 'pending', 'a', '24')
      await report(t, 'pending', 'b', '0.5')
      await report(t, 'confirmed', 'a', '24')
      await report(t, 'confirmed', 'b', '0.5')
      assert.deepEqual([(await t.told(invoice)).own.own, await acceptedAt(t, invoice)], ['24.5', START_MS + 3])
      const told = ['deposit.confirmed', 'invoice.accepted', 'deposit.confirmed']
      assert.deepEqual((await typesOf(t, invoice)).slice(2), told)
    })

    scenario(
      'is free from then on for the next of the same amount, on all its wallets, and no candidate',
      async (t) => {
        const reference = 'nearly'
        const walletIds = ['wallet-1', 'wallet-2']
        const invoice = await t.invoice({ amount: '25', walletIds, reference, callbackUrl: HOOK })
        assert.deepEqual(await pay(t, '24'), [reference, reference])
        assert.notEqual(await acceptedAt(t, invoice), null)
        assert.equal(refusalOf(await t.void(invoice.id)), 'invoice_paid')
        for (const walletId of walletIds) await t.invoice({ amount: '25', walletIds: [walletId] })
        assert.deepEqual(await pay(t, '1'), [])
        assert.deepEqual(await pay(t, '1', 'wallet-2'), [])
      },
    )

    scenario('is no candidate any more for the deposits of the same turn', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      const next = await t.invoice({ amount: '70' })
      const fact = (txHash: string, amount: string) => {
        const sighting = { network: 'SEP', txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native' }
        return {
          type: 'deposit',
          report: 'confirmed',
          sighting: { ...sighting, amount, receivedAt: START_MS + 9 },
        } as const
      }
      const facts = [fact('first', '24'), fact('second', '0.5'), fact('third', '69')]
      const fates = await t.store.commands.perform(facts.map((one) => ({ type: 'deposit', eventId: null, fact: one })))
      for (const fate of fates) settledValue(fate)
      assert.deepEqual([(await t.told(invoice)).own.own, (await t.told(next)).own.own], ['24', '69.5'])
      assert.notEqual(await acceptedAt(t, next), null)
    })

    scenario('stays accepted when the deposit is dropped', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      await report(t, 'confirmed', 'tx', '24')
      const at = await acceptedAt(t, invoice)
      await report(t, 'dropped', 'tx')
      assert.deepEqual([(await t.told(invoice)).own.own, await acceptedAt(t, invoice)], ['0', at])
    })

    scenario('is not accepted because a deposit is dropped', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      await report(t, 'confirmed', 'a', '0.5')
      await report(t, 'confirmed', 'b', '24.5')
      await report(t, 'dropped', 'a')
      assert.deepEqual([(await t.paymentOf(invoice)).status, await acceptedAt(t, invoice)], ['unpaid', null])
      await pay(t, '0.1')
      assert.notEqual(await acceptedAt(t, invoice), null)
    })

    scenario(
      'is not accepted once it is void: neither by a late deposit nor by one that was pending then',
      async (t) => {
        const voided = await t.invoice({ amount: '25' })
        await report(t, 'pending', 'early', '24')
        unwrap(await t.void(voided.id))
        await report(t, 'confirmed', 'early', '24')
        const expiring = await t.invoice({ amount: '30', expiresInSeconds: 60 })
        t.clock.advance(MINUTE_MS)
        assert.deepEqual(
          (await t.deposit('confirmed', { txHash: 'late', amount: '29', receivedAt: t.clock.now() })).outcome.status,
          'applied',
        )
        assert.deepEqual([(await t.told(voided)).own.own, (await t.told(expiring)).own.own], ['24', '29'])
        assert.deepEqual([await acceptedAt(t, voided), await acceptedAt(t, expiring)], [null, null])
        assert.equal(await voidedAt(t, expiring), expiring.created_at + MINUTE_MS)
      },
    )

    scenario('waits for its next deposit when the operator allows more', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      await pay(t, '23')
      await t.harness.reopen({ underpayment: TEN_PERCENT })
      assert.equal(await acceptedAt(t, invoice), null)
      await pay(t, '0.1')
      assert.notEqual(await acceptedAt(t, invoice), null)
    })

    scenario('is not accepted by an import', async (t) => {
      const invoice = await t.invoice({ amount: '25' })
      const place = { network: 'SEP', txHash: 'old', index: 0, toAddress: addressOf('wallet-1') } as const
      const value = { currency: '#native', amount: '24', receivedAt: START_MS + 1 } as const
      const deposit = { ...place, ...value, kind: 'confirmed', confirmedAt: START_MS + 1 } as const
      const record: ImportableRecord = { type: 'deposit', deposit }
      const [fate] = await t.store.imports.add([record])
      assert.deepEqual(settledValue(fate), { status: 'added' })
      assert.deepEqual([(await t.told(invoice)).own.own, await acceptedAt(t, invoice)], ['24', null])
      // A person can.
      unwrap(await t.accept(invoice.id))
    })

    scenario('has its wallets told', async (t) => {
      const walletIds = ['wallet-1', 'wallet-2']
      await t.invoice({ amount: '25', walletIds })
      const change = new Promise<readonly string[]>((resolve) => {
        const end = t.store.changes.onChange(({ walletIds: changed }) => {
          end()
          resolve([...changed].sort())
        })
      })
      await pay(t, '24')
      assert.deepEqual(await change, walletIds)
    })
  })

  describe('an invoice of which nearly all was seen in time', () => {
    const expiring = (t: Scenario) => t.invoice({ amount: '25', expiresInSeconds: 60 })
    const afterExpiry = (t: Scenario) => t.clock.set(START_MS + 2 * MINUTE_MS)

    scenario('does not expire, and is accepted with the confirmation', async (t) => {
      const invoice = await expiring(t)
      await report(t, 'pending', 'tx', '24')
      afterExpiry(t)
      assert.deepEqual([await voidedAt(t, invoice), await acceptedAt(t, invoice)], [null, null])
      assert.equal(refusalOf(await t.request({ amount: '25' })), 'amount_in_use')
      await report(t, 'confirmed', 'tx', '24')
      assert.deepEqual([await voidedAt(t, invoice), await acceptedAt(t, invoice)], [null, t.clock.now()])
    })

    scenario('does not expire when a part is confirmed and the rest is pending', async (t) => {
      const invoice = await expiring(t)
      await pay(t, '12')
      await report(t, 'pending', 'tx', '12')
      afterExpiry(t)
      await report(t, 'confirmed', 'tx', '12')
      assert.equal(await acceptedAt(t, invoice), t.clock.now())
    })

    scenario('expires when less was seen', async (t) => {
      const invoice = await expiring(t)
      await report(t, 'pending', 'tx', '23')
      afterExpiry(t)
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
    })

    scenario('expires after all when what was seen is dropped before', async (t) => {
      const invoice = await expiring(t)
      await report(t, 'pending', 'tx', '24')
      await t.harness.reopen({ underpayment: FOUR_PERCENT })
      await report(t, 'dropped', 'tx')
      afterExpiry(t)
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
      await t.store.commands.catchUp()
      assert.deepEqual(await typesOf(t, invoice), ['deposit.pending', 'deposit.dropped', 'invoice.expired'])
    })

    scenario('lives on when what was seen is dropped behind its time, like one that was being paid', async (t) => {
      const invoice = await expiring(t)
      await report(t, 'pending', 'tx', '24')
      afterExpiry(t)
      await report(t, 'dropped', 'tx')
      assert.equal(await voidedAt(t, invoice), null)
      await pay(t, '24')
      assert.equal(await acceptedAt(t, invoice), t.clock.now())
    })

    scenario('expires as ever when the operator has set nothing', async (t) => {
      await t.harness.reopen({ underpayment: 0 })
      const invoice = await expiring(t)
      await report(t, 'pending', 'tx', '24')
      afterExpiry(t)
      await report(t, 'confirmed', 'tx', '24')
      assert.deepEqual([await voidedAt(t, invoice), await acceptedAt(t, invoice)], [START_MS + MINUTE_MS, null])
    })
  })
}
