import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../../src/domain/invoice.js'
import { addressOf, invoiceRequest, refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, settledValue, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'
const MINUTE_MS = 60_000

/** How an invoice ends as something payable: by request or by expiry (decisions 4). */
export function describeEndings(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const notified = async (t: Scenario, amount: string, txHash: string, receivedAt = t.clock.now() + 1) => {
    const { deliveries } = await t.deposit('confirmed', { txHash, amount, receivedAt })
    return deliveries
      .map(({ body }) => JSON.parse(body))
      .map(({ reference, status, late }) => `${reference} ${status}${late === true ? ' late' : ''}`)
  }
  const voidedAt = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => (await t.told(invoice)).voidedAt

  describe('a voided invoice', () => {
    scenario('blocks no amount, keeps its reference and is told with the time', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ reference: 'r' })
      assert.equal(await voidedAt(t, invoice), null)
      t.clock.advance(5)
      const answer = unwrap(await t.void(invoice.id))
      assert.deepEqual([answer.voidedAt, answer.expiresAt], [START_MS + 5, null])
      assert.deepEqual(answer.invoice, invoice)
      assert.equal(await voidedAt(t, invoice), START_MS + 5)
      assert.equal(refusalOf(await t.request({ reference: 'r' })), 'reference_in_use')
      await t.invoice()
    })

    scenario('gives the first answer again', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      const first = unwrap(await t.void(id))
      t.clock.advance(5)
      assert.deepEqual(unwrap(await t.void(id)), first)
      await t.harness.reopen()
      assert.deepEqual(unwrap(await t.void(id)), first)
    })

    scenario('is told as void at once, also to who has read it before', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      assert.equal(await voidedAt(t, invoice), null)
      await t.void(invoice.id)
      assert.equal(await voidedAt(t, invoice), START_MS)
    })

    scenario('is refused to others, for what is not there, and while it is paid or being paid', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      assert.equal(refusalOf(await t.void('0'.repeat(32))), 'invoice_not_found')
      assert.equal(refusalOf(await t.void('no id')), 'invoice_not_found')
      assert.equal(refusalOf(await t.void(id, 'bob')), 'not_invoice_owner')
      await t.deposit('confirmed', { amount: '40', txHash: 'part' })
      await t.deposit('pending', { amount: '60', txHash: 'rest' })
      assert.equal(refusalOf(await t.void(id)), 'invoice_paid')
      assert.equal(refusalOf(await t.void(id, 'bob')), 'not_invoice_owner')
      await t.deposit('confirmed', { amount: '60', txHash: 'rest' })
      assert.equal(refusalOf(await t.void(id)), 'invoice_paid')
      await t.deposit('dropped', { txHash: 'rest' })
      unwrap(await t.void(id))
    })

    scenario('is no candidate for deposits seen later, and its sums count them all the same', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5', reference: 'void', callbackUrl: HOOK })
      await t.invoice({ amount: '9', reference: 'open', callbackUrl: HOOK })
      await t.void(id)
      assert.deepEqual(await notified(t, '5', 'tx'), ['open pending', 'open confirmed'])
      assert.equal((await t.paymentOf({ id })).status, 'paid')
      assert.equal(await voidedAt(t, { id }), START_MS)
    })

    scenario('is still told of the deposit that matched it before', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5', reference: 'void', callbackUrl: HOOK })
      await t.deposit('pending', { amount: '3', txHash: 'part' })
      await t.void(id)
      assert.deepEqual(await notified(t, '3', 'part'), ['void confirmed'])
      await t.deposit('dropped', { txHash: 'part' })
      assert.deepEqual(await notified(t, '5', 'new'), ['void pending late', 'void confirmed late'])
    })

    scenario('does not come back with a reorganisation, while the paid one before it does', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ amount: '5', reference: 'paid', callbackUrl: HOOK })
      await t.deposit('confirmed', { amount: '5', txHash: 'pays', receivedAt: START_MS + 1 })
      t.clock.set(START_MS + 2)
      const { id } = await t.invoice({ amount: '5', reference: 'void', callbackUrl: HOOK })
      await t.void(id)
      await t.deposit('dropped', { txHash: 'pays' })
      assert.equal(refusalOf(await t.request({ amount: '5' })), 'amount_in_use')
      assert.deepEqual(await notified(t, '5', 'again'), ['paid pending', 'paid confirmed'])
      await t.invoice({ amount: '5' })
    })

    scenario('is void on all its wallets', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const { id } = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'], reference: 'void', callbackUrl: HOOK })
      await t.void(id)
      await t.invoice({ walletIds: ['wallet-2'] })
      await t.invoice({ walletIds: ['wallet-1'] })
      const { deliveries } = await t.deposit('pending', { toAddress: addressOf('wallet-2') })
      assert.deepEqual(deliveries, [])
    })

    scenario('is free for exactly one of the many that ask in the same turn as the void', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      const ask = { type: 'invoice' as const, request: invoiceRequest() }
      const fates = await t.store.commands.perform([ask, { type: 'void', invoiceId: id, owner: 'alice' }, ask, ask])
      const outcomes = fates
        .map(settledValue)
        .map((one) => one.type !== 'chain' && one.type !== 'deposit' && one.outcome.ok)
      assert.deepEqual(outcomes, [false, true, true, false])
    })
  })

  describe('an accepted invoice', () => {
    const acceptedAt = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => (await t.told(invoice)).acceptedAt

    scenario(
      'blocks no amount, keeps its reference and is told with the time, also to who has read it before',
      async (t) => {
        await t.own('alice', 'wallet-1')
        const invoice = await t.invoice({ reference: 'r' })
        assert.equal(await acceptedAt(t, invoice), null)
        t.clock.advance(5)
        const answer = unwrap(await t.accept(invoice.id))
        assert.deepEqual([answer.acceptedAt, answer.voidedAt, answer.expiresAt], [START_MS + 5, null, null])
        assert.deepEqual(await t.told(invoice), answer)
        const listed = await t.store.invoices.pageWithPayment('alice', { after: null, limit: 1 })
        assert.deepEqual(listed.items, [answer])
        assert.equal(refusalOf(await t.request({ reference: 'r' })), 'reference_in_use')
        await t.invoice()
        t.clock.advance(5)
        assert.deepEqual(unwrap(await t.accept(invoice.id)), answer)
        await t.harness.reopen()
        assert.deepEqual(unwrap(await t.accept(invoice.id)), answer)
      },
    )

    scenario('is refused to others, for what is not there, and for what is void', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      assert.equal(refusalOf(await t.accept('0'.repeat(32))), 'invoice_not_found')
      assert.equal(refusalOf(await t.accept('no id')), 'invoice_not_found')
      assert.equal(refusalOf(await t.accept(id, 'bob')), 'not_invoice_owner')
      const expiring = await t.invoice({ amount: '7', expiresInSeconds: 60 })
      await t.void(id)
      assert.equal(refusalOf(await t.accept(id)), 'invoice_void')
      t.clock.set(START_MS + MINUTE_MS)
      assert.equal(refusalOf(await t.accept(expiring.id)), 'invoice_void')
      assert.equal(await acceptedAt(t, expiring), null)
    })

    scenario(
      'is no candidate for deposits seen later, not even for late ones, and they are its own money all the same',
      async (t) => {
        await t.own('alice', 'wallet-1')
        const { id } = await t.invoice({ amount: '5', reference: 'accepted', callbackUrl: HOOK })
        await t.deposit('confirmed', { amount: '4', txHash: 'part', receivedAt: t.clock.now() + 1 })
        await t.accept(id)
        assert.deepEqual(await notified(t, '1', 'rest'), [])
        const { payment, own } = await t.told({ id })
        assert.deepEqual([payment.status, payment.received, own.own], ['paid', '5', '5'])
        await t.invoice({ amount: '9', reference: 'open', callbackUrl: HOOK })
        t.clock.advance(5)
        assert.deepEqual(await notified(t, '5', 'tx'), ['open pending', 'open confirmed'])
        assert.equal((await t.told({ id })).own.own, '5')
      },
    )

    scenario('is still told of the deposit that matched it before', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5', reference: 'accepted', callbackUrl: HOOK })
      await t.deposit('pending', { amount: '3', txHash: 'part' })
      await t.accept(id)
      assert.deepEqual(await notified(t, '3', 'part'), ['accepted confirmed'])
    })

    scenario('can be a paid one, and stays accepted when what paid it is dropped', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5' })
      await t.deposit('confirmed', { amount: '5', txHash: 'pays', receivedAt: START_MS + 1 })
      const answer = unwrap(await t.accept(id))
      assert.deepEqual([answer.acceptedAt, answer.payment.status], [START_MS, 'paid'])
      await t.deposit('dropped', { txHash: 'pays' })
      const { acceptedAt: at, payment } = await t.told({ id })
      assert.deepEqual([at, payment.status], [START_MS, 'unpaid'])
      await t.invoice({ amount: '5' })
      const events = await t.store.events.page('alice', { after: null, limit: 100 })
      const told = events.ok ? events.value.items.filter((one) => one.invoiceId === id).map(({ type }) => type) : []
      assert.deepEqual(
        told.filter((type) => type.startsWith('invoice.')),
        ['invoice.created', 'invoice.paid', 'invoice.accepted'],
      )
    })

    scenario('neither expires nor can be voided', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ expiresInSeconds: 60 })
      await t.accept(id)
      t.clock.set(START_MS + MINUTE_MS)
      await t.invoice()
      assert.equal(await voidedAt(t, { id }), null)
      assert.equal(refusalOf(await t.void(id)), 'invoice_paid')
      assert.equal(refusalOf(await t.void(id, 'bob')), 'not_invoice_owner')
      await t.harness.reopen()
      assert.deepEqual([await voidedAt(t, { id }), await acceptedAt(t, { id })], [null, START_MS])
    })

    scenario('is accepted on all its wallets', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const { id } = await t.invoice({ walletIds: ['wallet-1', 'wallet-2'], reference: 'accepted', callbackUrl: HOOK })
      await t.accept(id)
      await t.invoice({ walletIds: ['wallet-2'] })
      await t.invoice({ walletIds: ['wallet-1'] })
      const { deliveries } = await t.deposit('pending', { toAddress: addressOf('wallet-2') })
      assert.deepEqual(deliveries, [])
    })

    scenario('is free for exactly one of the many that ask in the same turn', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice()
      const ask = { type: 'invoice' as const, request: invoiceRequest() }
      const fates = await t.store.commands.perform([ask, { type: 'accept', invoiceId: id, owner: 'alice' }, ask, ask])
      const outcomes = fates
        .map(settledValue)
        .map((one) => one.type !== 'chain' && one.type !== 'deposit' && one.outcome.ok)
      assert.deepEqual(outcomes, [false, true, true, false])
    })
  })

  describe('an invoice that expires', () => {
    scenario('is void from that time on, before any command has met it', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ expiresInSeconds: 60 })
      assert.deepEqual([await voidedAt(t, invoice), (await t.told(invoice)).expiresAt], [null, START_MS + MINUTE_MS])
      t.clock.set(START_MS + MINUTE_MS - 1)
      assert.equal(await voidedAt(t, invoice), null)
      assert.equal(refusalOf(await t.request()), 'amount_in_use')
      t.clock.set(START_MS + MINUTE_MS)
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
      const listed = await t.store.invoices.pageWithPayment('alice', { after: null, limit: 1 })
      assert.equal(listed.items[0]?.voidedAt, START_MS + MINUTE_MS)
      await t.invoice()
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
    })

    scenario('is told late of what is seen after it, though that was received before', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ amount: '5', reference: 'r', callbackUrl: HOOK, expiresInSeconds: 60 })
      t.clock.set(START_MS + MINUTE_MS)
      assert.deepEqual(await notified(t, '5', 'late', START_MS + 1000), ['r pending late', 'r confirmed late'])
      const { voidedAt: at, payment } = await t.told(invoice)
      assert.deepEqual([at, payment.status], [START_MS + MINUTE_MS, 'paid'])
    })

    for (const kind of ['pending', 'confirmed'] as const) {
      scenario(
        `stays payable when a ${kind} deposit covers it by then, and blocks its amount until paid`,
        async (t) => {
          await t.own('alice', 'wallet-1')
          const invoice = await t.invoice({ expiresInSeconds: 60 })
          await t.deposit(kind, { receivedAt: START_MS + 1 })
          t.clock.set(START_MS + 2 * MINUTE_MS)
          assert.equal(await voidedAt(t, invoice), null)
          const again = await t.request()
          assert.equal(again.ok, kind === 'confirmed')
          await t.deposit('dropped')
          assert.equal(await voidedAt(t, invoice), null)
        },
      )
    }

    scenario('is void though a part was paid, and though a deposit that covered it was dropped before', async (t) => {
      await t.own('alice', 'wallet-1')
      const part = await t.invoice({ amount: '100', expiresInSeconds: 60 })
      const dropped = await t.invoice({ amount: '50', currency: 'USDT', expiresInSeconds: 60 })
      await t.deposit('confirmed', { amount: '99', txHash: 'part' })
      await t.deposit('confirmed', { amount: '50000000', currency: 'Tether', txHash: 'all' })
      await t.deposit('dropped', { txHash: 'all' })
      t.clock.set(START_MS + MINUTE_MS)
      for (const invoice of [part, dropped]) assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
    })

    scenario('can be voided before, and answers a void after with the time of its expiry', async (t) => {
      await t.own('alice', 'wallet-1')
      const early = await t.invoice({ amount: '1', expiresInSeconds: 60 })
      const late = await t.invoice({ amount: '2', expiresInSeconds: 60 })
      t.clock.advance(5)
      assert.equal(unwrap(await t.void(early.id)).voidedAt, START_MS + 5)
      t.clock.set(START_MS + 3 * MINUTE_MS)
      assert.equal(unwrap(await t.void(late.id)).voidedAt, START_MS + MINUTE_MS)
      assert.equal(await voidedAt(t, early), START_MS + 5)
    })

    scenario('is decided once, also over a restart and with a clock that was set back', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ expiresInSeconds: 60 })
      await t.harness.reopen()
      t.clock.set(START_MS + MINUTE_MS)
      await t.invoice({ amount: '7' })
      t.clock.set(START_MS + 1)
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
      await t.invoice()
    })

    scenario('is decided by the next command when the one that met it first failed', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ expiresInSeconds: 60 })
      t.clock.set(START_MS + MINUTE_MS)
      t.harness.failIds(new Error('no id'))
      await assert.rejects(t.request({ amount: '7' }), /no id/)
      t.harness.failIds(null)
      await t.invoice({ amount: '7' })
      t.clock.set(START_MS + 1)
      assert.equal(await voidedAt(t, invoice), START_MS + MINUTE_MS)
    })

    scenario('expires with a thousand others at once', async (t) => {
      await t.own('alice', 'wallet-1')
      const commands = Array.from({ length: 1100 }, (_, n) => ({
        type: 'invoice' as const,
        request: invoiceRequest({ amount: `${n + 1}`, expiresInSeconds: 60, reference: `r${n}`, callbackUrl: HOOK }),
      }))
      await t.store.commands.perform(commands)
      t.clock.set(START_MS + MINUTE_MS)
      const last = ['r1099 pending late', 'r1099 confirmed late']
      assert.deepEqual(await notified(t, '3', 'a'), last)
      assert.deepEqual(await notified(t, '1090', 'b'), last)
      await t.invoice({ amount: '500' })
      await t.invoice({ amount: '1100' })
    })
  })
}
