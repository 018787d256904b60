import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DepositReport, Sighting } from '../../../src/domain/deposit.js'
import { addressOf, sighting, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

/** What deposits make of the sums (specification, Invoice paid status; decisions 5). */
export function describeDeposits(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))

  describe('a deposit', () => {
    scenario('is kept as observed', async (t) => {
      t.clock.set(START_MS + 70_000)
      const { outcome } = await t.deposit('pending', {
        toAddress: '0xUnknown',
        currency: null,
        amount: '0.50',
        index: 7,
      })
      const kept = {
        ...sighting({ toAddress: '0xUnknown', currency: null, amount: '0.50', index: 7 }),
        kind: 'pending',
        confirmedAt: null,
      }
      assert.deepEqual(outcome, { status: 'applied', deposit: kept })
      t.clock.set(START_MS + 90_000)
      await t.deposit('confirmed', { toAddress: '0xUnknown', currency: null, amount: '0.50', index: 7 })
      assert.deepEqual(await t.store.deposits.find('SEP', '0xfeed', 7), {
        ...kept,
        kind: 'confirmed',
        confirmedAt: START_MS + 90_000,
      })
      assert.equal(await t.store.deposits.find('SEP', '0xfeed', 0), undefined)
      assert.equal(await t.store.deposits.find('TRX-NILE', '0xfeed', 7), undefined)
      for (const hash of ['', '0xfee', '0xfeed0', 'x'.repeat(5000)]) {
        assert.equal(await t.store.deposits.find('SEP', hash, 7), undefined)
      }
    })

    scenario('keeps its receivedAt and amount from pending to confirmed', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      await t.deposit('pending', { receivedAt: START_MS })
      await t.deposit('confirmed', { receivedAt: START_MS + 5, amount: '700' })
      assert.equal((await t.store.deposits.find('SEP', '0xfeed', 0))?.receivedAt, START_MS)
      assert.equal((await t.paymentOf(invoice)).received, '0')
    })

    const flawed: readonly (readonly [string, DepositReport, Partial<Sighting>])[] = [
      ['of nothing', 'pending', { amount: '0' }],
      ['of a negative amount', 'confirmed', { amount: '-1' }],
      ['of a token with a point in its amount', 'pending', { currency: 'Tether', amount: '1.5' }],
      ['with an empty hash', 'pending', { txHash: '' }],
      ['with a time in the next geological age', 'pending', { receivedAt: 2 ** 48 }],
      ['that was dropped before anybody saw it', 'dropped', {}],
    ]
    for (const [what, report, fields] of flawed) {
      scenario(`${what} is rejected and changes nothing`, async (t) => {
        await t.own('alice', 'wallet-1')
        await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
        const before = await t.snapshot()
        const { outcome, owed } = await t.deposit(report, fields, 'event-1')
        assert.equal(outcome.status, 'rejected')
        assert.deepEqual(owed, [])
        assert.deepEqual(await t.snapshot(), before)
        // Put right it needs an id of its own: this one was answered.
        assert.deepEqual((await t.deposit('pending', {}, 'event-1')).outcome, outcome)
        assert.equal((await t.deposit('pending', {}, 'event-2')).outcome.status, 'applied')
      })
    }

    for (const eventId of ['', 'x'.repeat(513), 'x'.repeat(5000)]) {
      scenario(`with an event id of ${eventId.length} characters is rejected`, async (t) => {
        assert.equal((await t.deposit('pending', {}, eventId)).outcome.status, 'rejected')
        assert.equal(await t.store.deposits.find('SEP', '0xfeed', 0), undefined)
      })
    }
  })

  describe('a repeated report', () => {
    const repetitions: readonly (readonly [string, readonly DepositReport[], DepositReport])[] = [
      ['pending after pending', ['pending'], 'pending'],
      ['pending after confirmed', ['pending', 'confirmed'], 'pending'],
      ['confirmed after confirmed', ['confirmed'], 'confirmed'],
      ['dropped after dropped', ['pending', 'dropped'], 'dropped'],
    ]
    for (const [what, reports, again] of repetitions) {
      scenario(`(${what}) is a duplicate, changes nothing and delivers nothing`, async (t) => {
        await t.own('alice', 'wallet-1')
        await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
        for (const report of reports) await t.deposit(report)
        const before = [await t.snapshot(), await t.store.deposits.find('SEP', '0xfeed', 0)]
        t.clock.advance(5000)
        const spelled = { amount: '100.0', toAddress: addressOf('wallet-1').toUpperCase(), currency: null }
        const { outcome, owed } = await t.deposit(again, { ...spelled, receivedAt: START_MS + 1 })
        assert.equal(outcome.status, 'duplicate')
        assert.deepEqual(owed, [])
        assert.deepEqual([await t.snapshot(), await t.store.deposits.find('SEP', '0xfeed', 0)], before)
      })
    }

    const contradictions: readonly (readonly [string, Partial<Sighting>])[] = [
      ['amount', { amount: '1' }],
      ['currency', { currency: 'Tether', amount: '100000000' }],
      ['currency', { currency: 'USDC' }],
      ['address', { toAddress: addressOf('wallet-2') }],
    ]
    for (const [what, fields] of contradictions) {
      scenario(
        `with another ${what} (${JSON.stringify(fields)}) is rejected, and half of it is not applied`,
        async (t) => {
          await t.own('alice', 'wallet-1', 'wallet-2')
          await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
          await t.invoice({ walletIds: ['wallet-2'], amount: '7' })
          for (const kind of ['pending', 'confirmed'] as const) {
            await t.deposit(kind)
            const before = [await t.snapshot(), await t.store.deposits.find('SEP', '0xfeed', 0)]
            for (const report of ['pending', 'confirmed'] as const) {
              const { outcome, owed } = await t.deposit(report, fields)
              assert.deepEqual(outcome, { status: 'rejected', error: `the deposit is known with another ${what}` })
              assert.deepEqual(owed, [])
            }
            assert.deepEqual([await t.snapshot(), await t.store.deposits.find('SEP', '0xfeed', 0)], before)
          }
          // A dropped one may come again as another: a reorganisation decides.
          assert.equal((await t.deposit('dropped', fields)).outcome.status, 'applied')
          assert.equal((await t.deposit('confirmed', fields)).outcome.status, 'applied')
        },
      )
    }

    scenario('is known by its event id, so that a late copy does not bring a dropped deposit back', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      await t.deposit('confirmed', {}, 'e1')
      await t.deposit('dropped', {}, 'e2')
      assert.equal((await t.deposit('confirmed', {}, 'e1')).outcome.status, 'duplicate')
      assert.equal((await t.paymentOf(invoice)).received, '0')
      await t.harness.reopen()
      assert.equal((await t.deposit('confirmed', {}, 'e1')).outcome.status, 'duplicate')
      assert.equal((await t.deposit('confirmed', {}, 'e3')).outcome.status, 'applied')
      assert.equal((await t.paymentOf(invoice)).received, '100')
    })

    scenario('of another index, network or hash is another deposit', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      await t.deposit('confirmed', { amount: '1' })
      await t.deposit('confirmed', { amount: '2', index: 1 })
      await t.deposit('confirmed', { amount: '4', txHash: '0xfee0' })
      await t.deposit('confirmed', { amount: '8', index: 4_294_967_295 })
      assert.equal((await t.paymentOf(invoice)).received, '15')
    })
  })

  describe('what an invoice received', () => {
    scenario('counts deposits to any of its wallets, strictly after its creation', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
      const invoice = await t.invoice({ walletIds: ['wallet-2', 'wallet-1'], amount: '100.00' })
      const at = (ms: number, walletId: string, amount: string) =>
        t.deposit('confirmed', {
          txHash: `${walletId}${ms}`,
          toAddress: addressOf(walletId),
          receivedAt: START_MS + ms,
          amount,
        })
      await at(-1, 'wallet-1', '1000')
      await at(0, 'wallet-1', '1000')
      await at(0, 'wallet-2', '1000')
      await at(1, 'wallet-3', '1000')
      assert.equal((await t.paymentOf(invoice)).received, '0')
      await at(1, 'wallet-1', '40')
      await at(1, 'wallet-2', '59.999999999999999999')
      assert.deepEqual(await t.paymentOf(invoice), {
        status: 'unpaid',
        received: '99.999999999999999999',
        pending: '0',
        remaining: '0.000000000000000001',
        overpaid: '0',
        own: '99.999999999999999999',
      })
      await at(2, 'wallet-2', '0.000000000000000002')
      assert.equal((await t.paymentOf(invoice)).overpaid, '0.000000000000000001')
    })

    scenario('counts only its currency, with the decimal point of the token placed', async (t) => {
      await t.own('alice', 'wallet-1')
      const native = await t.invoice({ amount: '3' })
      const usdt = await t.invoice({ amount: '3', currency: 'USDT' })
      const labels = ['Tether', '#native', null, '', 'DAI', 'tether']
      for (const [i, currency] of labels.entries()) {
        await t.deposit('confirmed', { txHash: `${i}`, currency, amount: currency === 'Tether' ? '1500000' : '1' })
      }
      assert.equal((await t.paymentOf(native)).received, '3')
      assert.equal((await t.paymentOf(usdt)).received, '1.5')
    })

    scenario('tells pending apart, and a dropped deposit is in neither sum', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      const sums = async () => {
        const { received, pending, status } = await t.paymentOf(invoice)
        return [status, received, pending]
      }
      await t.deposit('pending')
      assert.deepEqual(await sums(), ['unpaid', '0', '100'])
      await t.deposit('dropped')
      assert.deepEqual(await sums(), ['unpaid', '0', '0'])
      await t.deposit('pending')
      assert.deepEqual(await sums(), ['unpaid', '0', '100'])
      await t.deposit('confirmed')
      assert.deepEqual(await sums(), ['paid', '100', '0'])
      await t.deposit('dropped')
      assert.deepEqual(await sums(), ['unpaid', '0', '0'])
      await t.deposit('confirmed')
      assert.deepEqual(await sums(), ['paid', '100', '0'])
      await t.harness.reopen()
      assert.deepEqual(await sums(), ['paid', '100', '0'])
    })

    scenario('is of the new block when a dropped transaction is included again', async (t) => {
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice()
      await t.deposit('confirmed', { receivedAt: START_MS - 5 })
      await t.deposit('dropped')
      await t.deposit('pending', { receivedAt: START_MS + 5 })
      assert.equal((await t.paymentOf(invoice)).pending, '100')
    })

    scenario('compares EVM addresses without regard to case and TRON addresses exactly', async (t) => {
      await t.own('alice', 'wallet-1')
      const tron = 'TAddress-of-tron'
      await t.tell({ type: 'wallet.created', id: 'tron', address: tron, network: 'TRX-NILE' })
      await t.tell(walletAssigned('tron', 'alice'))
      const invoice = await t.invoice({ walletIds: ['wallet-1', 'tron'] })
      const evm = addressOf('wallet-1')
      await t.deposit('confirmed', { txHash: '1', amount: '1', toAddress: evm.toUpperCase() })
      await t.deposit('confirmed', { txHash: '2', amount: '2', toAddress: evm.toLowerCase() })
      await t.deposit('confirmed', { txHash: '3', amount: '4', toAddress: tron, network: 'TRX-NILE' })
      await t.deposit('confirmed', { txHash: '4', amount: '8', toAddress: tron.toLowerCase(), network: 'TRX-NILE' })
      await t.deposit('confirmed', { txHash: '5', amount: '16', toAddress: tron, network: 'SEP' })
      assert.equal((await t.paymentOf(invoice)).received, '7')
    })

    scenario('counts a deposit that came before the wallet was known, without a notification', async (t) => {
      const early = await t.deposit('confirmed', { receivedAt: START_MS + 1 })
      assert.deepEqual(early.owed, [])
      await t.own('alice', 'wallet-1')
      const invoice = await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
      assert.equal((await t.paymentOf(invoice)).status, 'paid')
      assert.deepEqual(await t.store.outbox.queuedLanes(), [])
    })

    scenario('counts what came, dated later than the invoice, before the address was known', async (t) => {
      await t.tell(walletAssigned('wallet-1', 'alice'))
      await t.deposit('confirmed')
      await t.tell(walletCreated('wallet-1'))
      assert.equal((await t.paymentOf(await t.invoice())).received, '100')
    })

    scenario('goes on for the old invoices of a wallet that changed hands', async (t) => {
      await t.own('alice', 'wallet-1')
      const old = await t.invoice({ amount: '5' })
      await t.tell(walletAssigned('wallet-1', 'bob'))
      const fresh = await t.invoice({ owner: 'bob', amount: '6' })
      await t.deposit('confirmed', { amount: '5' })
      assert.equal((await t.paymentOf(old)).status, 'paid')
      assert.equal((await t.paymentOf(fresh)).received, '5')
      assert.deepEqual((await t.store.invoices.page('alice', { after: null, limit: 5 })).items, [old])
    })
  })
}
