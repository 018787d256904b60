import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../../src/domain/api-key.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import { LATE_DAYS_DEFAULT } from '../../../src/domain/voiding.js'
import { VOID_EXAMINED_MAX } from '../../../src/store/rules/match-deposit.js'
import { addressOf, unwrap, walletAssigned } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const HOOK = 'https://example.com/hook'
const LATE_MS = LATE_DAYS_DEFAULT * DAY_MS

/** What of the money on its wallets belongs to an invoice, and what comes late (decisions 4 and 6). */
export function describeOwnMoney(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  /** Received, own and overpaid. */
  const moneyOf = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => {
    const { received, own, overpaid } = await t.paymentOf(invoice)
    return [received, own, overpaid]
  }

  /** What people read: received, pending, remaining, overpaid. */
  const readOf = async (t: Scenario, invoice: Pick<Invoice, 'id'>) => {
    const { status, received, pending, remaining, overpaid } = (await t.told(invoice)).own
    await t.assertDepositsSum(invoice)
    return [status, received, pending, remaining, overpaid]
  }

  const later = (t: Scenario, ms: number) => {
    t.clock.advance(ms)
    return t.clock.now()
  }

  let count = 0
  /** A confirmed deposit that was received at once. Answers what of it is told: references, `!` behind a late one. */
  const pay = async (t: Scenario, amount: string, fields: { receivedAt?: number; toAddress?: string } = {}) => {
    count += 1
    const seen = { txHash: `pay ${count}`, amount, receivedAt: later(t, 1), ...fields }
    const { deliveries } = await t.deposit('confirmed', seen)
    return deliveries.map(({ body }) => JSON.parse(body)).map(({ reference, late }) => reference + (late ? '!' : ''))
  }

  describe('the own money of an invoice', () => {
    scenario('is what was paid for it, on a wallet that is used again', async (t) => {
      await t.own('alice', 'wallet-1')
      const a = await t.invoice({ amount: '25' })
      await pay(t, '25')
      const c = await t.invoice({ amount: '40' })
      unwrap(await t.void(c.id))
      const b = await t.invoice({ amount: '60' })
      await pay(t, '60')
      assert.deepEqual(await moneyOf(t, a), ['85', '25', '0'])
      assert.deepEqual(await moneyOf(t, c), ['60', '0', '0'])
      assert.deepEqual(await moneyOf(t, b), ['60', '60', '0'])
      assert.deepEqual(await readOf(t, a), ['paid', '25', '0', '0', '0'])
      assert.deepEqual(await readOf(t, c), ['unpaid', '0', '0', '40', '0'])
      assert.deepEqual(await readOf(t, b), ['paid', '60', '0', '0', '0'])
    })

    scenario('is found from the deposit: the one invoice that it is matched to, if there is one', async (t) => {
      await t.own('alice', 'wallet-1')
      const orderOf = async (txHash: string, index = 0) =>
        (await t.store.invoices.findByDeposit('SEP', txHash, index))?.reference ?? null
      const early = { txHash: 'early', amount: '9', receivedAt: later(t, 1) }
      await t.deposit('confirmed', early)
      assert.equal(await orderOf('early'), null)
      const a = await t.invoice({ amount: '25', reference: 'order a' })
      await t.invoice({ amount: '60', reference: 'order b' })
      const paid = { amount: '25', receivedAt: later(t, 1) }
      await t.deposit('pending', { txHash: 'first', ...paid })
      await t.deposit('confirmed', { txHash: 'first', ...paid })
      await t.deposit('confirmed', { txHash: 'second', ...paid, amount: '60' })
      assert.deepEqual([await orderOf('first'), await orderOf('second')], ['order a', 'order b'])
      assert.deepEqual([await orderOf('first', 1), await orderOf('FIRST')], [null, null])
      await t.deposit('dropped', { txHash: 'first', ...paid })
      // It belongs to nobody's money now, and to the same order when it is seen again.
      assert.deepEqual([await orderOf('first'), (await t.paymentOf(a)).own], ['order a', '0'])
    })

    scenario('is the same whether or not anybody is notified', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      for (const [wallet, fields] of [
        ['wallet-1', { callbackUrl: HOOK }],
        ['wallet-2', {}],
      ] as const) {
        const reference = (n: string) => ('callbackUrl' in fields ? { reference: n } : {})
        const first = await t.invoice({ amount: '10', walletIds: [wallet], ...fields, ...reference('1') })
        const second = await t.invoice({ amount: '20', walletIds: [wallet], ...fields, ...reference('2') })
        await pay(t, '21', { toAddress: addressOf(wallet) })
        await pay(t, '20', { toAddress: addressOf(wallet) })
        assert.deepEqual(await moneyOf(t, first), ['41', '21', '11'])
        assert.deepEqual(await moneyOf(t, second), ['41', '20', '0'])
      }
    })

    scenario('is paid by its amount rounded up to what the token can carry, and by no other', async (t) => {
      await t.own('alice', 'wallet-1')
      const asked = { currency: 'USDT', callbackUrl: HOOK } as const
      await t.invoice({ amount: '20', reference: 'oldest', ...asked })
      const fine = await t.invoice({ amount: '33.333333333333336', reference: 'fine', ...asked })
      const token = async (txHash: string, amount: string) => {
        const seen = { txHash, amount, currency: 'Tether', receivedAt: later(t, 1) }
        const { deliveries } = await t.deposit('pending', seen)
        return deliveries.map(({ body }) => JSON.parse(body).reference)
      }
      assert.deepEqual(await token('rounded down', '33333333'), ['oldest'])
      assert.deepEqual(await token('too much', '33333335'), ['oldest'])
      assert.deepEqual(await token('rounded up', '33333334'), ['fine'])
      await t.deposit('confirmed', { txHash: 'rounded up', amount: '33333334', currency: 'Tether' })
      assert.deepEqual((await readOf(t, fine)).slice(0, 2), ['paid', '33.333334'])
      // Found paid by others before anything matched it.
      const paid = await t.invoice({ amount: '0.0000015', reference: 'paid', ...asked })
      await t.deposit('confirmed', { txHash: 'much', amount: '500', currency: 'Tether', receivedAt: later(t, 1) })
      assert.deepEqual(await token('for it', '2'), ['paid'])
      assert.equal((await t.told(paid)).own.pending, '0.000002')
    })

    scenario('is paid by that amount, however many finer ones the owner asks for on other wallets', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const asked = { currency: 'USDT', callbackUrl: HOOK } as const
      await t.invoice({ amount: '20', reference: 'oldest', ...asked })
      await t.invoice({ amount: '33.3333331', reference: 'fine', ...asked })
      for (let n = 0; n < 40; n += 1) {
        await t.invoice({ amount: `33.33333${320 + n}`, reference: `finer ${n}`, ...asked, walletIds: ['wallet-2'] })
      }
      const seen = { txHash: 'rounded up', amount: '33333334', currency: 'Tether', receivedAt: later(t, 1) }
      const { deliveries } = await t.deposit('pending', seen)
      assert.deepEqual(
        deliveries.map(({ body }) => JSON.parse(body).reference),
        ['fine'],
      )
    })

    scenario('is told to one that can be notified before one that cannot, whatever they ask', async (t) => {
      await t.own('alice', 'wallet-1')
      const quiet = await t.invoice({ amount: '5' })
      const loud = await t.invoice({ amount: '9', reference: 'loud', callbackUrl: HOOK })
      assert.deepEqual(await pay(t, '5'), ['loud', 'loud'])
      assert.deepEqual(
        [await moneyOf(t, quiet), await moneyOf(t, loud)],
        [
          ['5', '0', '0'],
          ['5', '5', '0'],
        ],
      )
    })

    scenario('has what is matched to nobody, too, until that is matched at its confirmation', async (t) => {
      await t.own('alice', 'wallet-1')
      const seen = { txHash: 'early', amount: '3', receivedAt: START_MS + 5 }
      await t.deposit('pending', seen)
      const [one, other] = [await t.invoice({ amount: '3' }), await t.invoice({ amount: '4' })]
      assert.deepEqual(await readOf(t, one), ['unpaid', '0', '3', '3', '0'])
      assert.deepEqual(await readOf(t, other), ['unpaid', '0', '3', '4', '0'])
      await t.deposit('confirmed', seen)
      assert.deepEqual(await readOf(t, one), ['paid', '3', '0', '0', '0'])
      assert.deepEqual(await readOf(t, other), ['unpaid', '0', '0', '4', '0'])
      await t.deposit('dropped', seen)
      for (const invoice of [one, other]) assert.deepEqual((await readOf(t, invoice)).slice(1, 3), ['0', '0'])
      await t.deposit('confirmed', seen)
      assert.deepEqual(await moneyOf(t, one), ['3', '3', '0'])
      assert.deepEqual(await moneyOf(t, other), ['3', '0', '0'])
    })

    scenario('comes from all of its wallets', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const both = await t.invoice({ amount: '10', walletIds: ['wallet-1', 'wallet-2'] })
      const second = await t.invoice({ amount: '7', walletIds: ['wallet-2'] })
      await pay(t, '4', { toAddress: addressOf('wallet-1') })
      await pay(t, '6', { toAddress: addressOf('wallet-2') })
      await pay(t, '7', { toAddress: addressOf('wallet-2') })
      assert.deepEqual(await moneyOf(t, both), ['17', '10', '0'])
      assert.deepEqual(await moneyOf(t, second), ['13', '7', '0'])
    })

    scenario('has no deposit that came back as another one which does not qualify', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const one = await t.invoice({ amount: '5' })
      const other = await t.invoice({ amount: '5', walletIds: ['wallet-2'] })
      await t.deposit('confirmed', { txHash: 'moves', amount: '5' })
      assert.deepEqual(await moneyOf(t, one), ['5', '5', '0'])
      await t.deposit('dropped', { txHash: 'moves' })
      await t.deposit('confirmed', { txHash: 'moves', amount: '5', toAddress: addressOf('wallet-2') })
      // It keeps its match, so it is nobody's own, whatever else there is.
      await pay(t, '2')
      assert.deepEqual(
        [await moneyOf(t, one), await moneyOf(t, other)],
        [
          ['2', '2', '0'],
          ['5', '0', '0'],
        ],
      )
      await t.deposit('dropped', { txHash: 'moves' })
      await t.deposit('confirmed', { txHash: 'moves', amount: '6' })
      assert.deepEqual(await moneyOf(t, one), ['8', '8', '3'])
    })

    scenario('is told in the body with the invoice as what is too much, and as nothing else', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', HOOK, 'with-invoice')
      await t.invoice({ amount: '5', reference: 'first' })
      await pay(t, '5')
      await t.invoice({ amount: '8', reference: 'second' })
      await t.deposit('pending', { txHash: 'more', amount: '8', receivedAt: later(t, 1) })
      const { deliveries } = await t.deposit('confirmed', { txHash: 'again', amount: '1', receivedAt: later(t, 1) })
      const { invoice } = JSON.parse(deliveries.at(-1)?.body ?? '')
      assert.deepEqual(Object.keys(invoice).slice(-4), ['overpaid', 'returnUrl', 'orderNumber', 'metadata'])
      assert.deepEqual([invoice.received, invoice.pending, invoice.overpaid], ['1', '8', '0'])
    })
  })

  describe('a deposit that comes for nobody else', () => {
    const voided = async (t: Scenario, amount: string, fields: { reference?: string; currency?: 'USDT' } = {}) => {
      const invoice = await t.invoice({ amount, callbackUrl: HOOK, ...fields })
      t.clock.advance(10)
      unwrap(await t.void(invoice.id))
      return invoice
    }

    scenario('is late for the invoice that became void last, whatever it asks', async (t) => {
      await t.own('alice', 'wallet-1')
      const first = await voided(t, '5', { reference: 'first' })
      const last = await voided(t, '6', { reference: 'last' })
      await voided(t, '5', { reference: 'other coin', currency: 'USDT' })
      assert.deepEqual(await pay(t, '5'), ['last!', 'last!'])
      assert.deepEqual(
        [await moneyOf(t, first), await moneyOf(t, last)],
        [
          ['5', '0', '0'],
          ['5', '5', '0'],
        ],
      )
    })

    scenario('says so behind the specified fields, and before what was added to them', async (t) => {
      await t.own('alice', 'wallet-1')
      await voided(t, '5', { reference: 'r' })
      const late = { txHash: 'late', amount: '1', receivedAt: later(t, 1) }
      const { deliveries: pending } = await t.deposit('pending', late)
      await t.store.webhooks.put('alice', HOOK, 'with-invoice')
      const { deliveries: confirmed } = await t.deposit('confirmed', late)
      const fields = (body = '{}') => Object.keys(JSON.parse(body)).slice(8)
      assert.deepEqual(fields(pending[0]?.body), ['receivedAt', 'late'])
      assert.deepEqual(fields(confirmed[0]?.body), ['receivedAt', 'late', 'invoice'])
      assert.equal(JSON.parse(confirmed[0]?.body ?? '').late, true)
    })

    scenario('is late for one of nobody as well, of which only its owner’s readers hear', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ amount: '5' })
      unwrap(await t.void(invoice.id))
      assert.deepEqual(await pay(t, '4'), [])
      assert.deepEqual(await readOf(t, invoice), ['unpaid', '4', '0', '1', '0'])
    })

    scenario('is not late while an invoice of the owner is there, paid or not', async (t) => {
      await t.own('alice', 'wallet-1')
      await voided(t, '5', { reference: 'void' })
      const paid = await t.invoice({ amount: '2' })
      await pay(t, '2')
      assert.deepEqual(await pay(t, '5'), [])
      assert.deepEqual(await moneyOf(t, paid), ['7', '7', '5'])
    })

    scenario('is late for at most as long as is set, to the millisecond', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await voided(t, '5', { reference: 'r' })
      const at = t.clock.now()
      t.clock.advance(2 * LATE_MS)
      assert.deepEqual(await pay(t, '1', { receivedAt: at + LATE_MS + 1 }), [])
      assert.deepEqual(await pay(t, '2', { receivedAt: at + LATE_MS }), ['r!', 'r!'])
      assert.deepEqual(await moneyOf(t, invoice), ['3', '3', '0'])
      await t.harness.reopen({ lateMs: 0 })
      assert.deepEqual(await pay(t, '4', { receivedAt: at + 1 }), [])
      await t.harness.reopen({ lateMs: 1 })
      assert.deepEqual(await pay(t, '4', { receivedAt: at + 2 }), [])
      assert.deepEqual(await pay(t, '4', { receivedAt: at + 1 }), ['r!', 'r!'])
    })

    scenario('is late for one that became void meanwhile, and for none that is younger', async (t) => {
      await t.own('alice', 'wallet-1')
      const older = await t.invoice({ amount: '5', reference: 'older', callbackUrl: HOOK })
      const receivedAt = later(t, 5)
      t.clock.advance(5)
      unwrap(await t.void(older.id))
      await voided(t, '6', { reference: 'younger' })
      assert.deepEqual(await pay(t, '6', { receivedAt }), ['older!', 'older!'])
    })

    scenario('finds its invoice behind any number of younger ones', async (t) => {
      await t.own('alice', 'wallet-1')
      await voided(t, '5', { reference: 'older' })
      const receivedAt = later(t, 5)
      const requests = Array.from({ length: VOID_EXAMINED_MAX + 1 }, (_, n) => ({ amount: `${n + 1}` }))
      t.clock.advance(5)
      for (const fields of requests) unwrap(await t.void((await t.invoice(fields)).id))
      assert.deepEqual(await pay(t, '6', { receivedAt }), ['older!', 'older!'])
    })

    scenario('is never late for a former owner, nor for one of another wallet', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      await voided(t, '5', { reference: 'r' })
      assert.deepEqual(await pay(t, '5', { toAddress: addressOf('wallet-2') }), [])
      await t.tell(walletAssigned('wallet-1', 'bob'))
      assert.deepEqual(await pay(t, '5'), [])
      await t.tell(walletAssigned('wallet-1', 'alice'))
      assert.deepEqual(await pay(t, '5'), ['r!', 'r!'])
    })

    scenario('stays late when it is dropped and seen again, though another would be chosen by then', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await voided(t, '5', { reference: 'r' })
      const late = { txHash: 'late', amount: '5', receivedAt: later(t, 1) }
      await t.deposit('pending', late)
      await t.deposit('dropped', late)
      assert.deepEqual(await moneyOf(t, invoice), ['0', '0', '0'])
      await t.invoice({ amount: '5' })
      await t.harness.reopen()
      const { deliveries } = await t.deposit('confirmed', late)
      assert.deepEqual(
        deliveries.map(({ body }) => [JSON.parse(body).reference, JSON.parse(body).late]),
        [['r', true]],
      )
      assert.deepEqual(await moneyOf(t, invoice), ['5', '5', '0'])
    })

    scenario('is late for one that was imported void', async (t) => {
      await t.own('alice', 'wallet-1')
      const { id } = await t.invoice({ amount: '5' })
      unwrap(await t.void(id))
      const voidedAt = later(t, 1)
      const invoice = { ...(await t.told({ id })).invoice, id: 'c'.repeat(32), reference: 'r', callback_url: HOOK }
      await t.store.imports.add([{ type: 'invoice', invoice, expiresAt: null, voidedAt, acceptedAt: null }])
      assert.deepEqual(await pay(t, '5'), ['r!', 'r!'])
    })
  })
}
