import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DepositReport, Sighting } from '../../../src/domain/deposit.js'
import type { Span } from '../../../src/domain/zone.js'
import { addressOf, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OrderFieldsOfTest, orderCommand } from '../../support/orders.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'
import { periodIn, reported } from './reports-agree.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const EVER: Span = { from: 0, before: START_MS + 1000 * DAY_MS }
/** The day of the start of the clock, 22:13:20. */
const DAY = periodIn('UTC', '2023-11-14')

/** Deposits in the order of receipt, and the reports that are made of them. */
export function describeReceived(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
        await run(t)
      }),
    )

  /** USDT of 6 decimals on wallet-1, unless said otherwise. */
  const report = (t: Scenario, kind: DepositReport, txHash: string, fields: Partial<Sighting> = {}) =>
    t.deposit(kind, {
      ...{ txHash, toAddress: addressOf('wallet-1'), currency: 'Tether', amount: '1000000', receivedAt: t.clock.now() },
      ...fields,
    })
  const hashes = async (t: Scenario, span: Span, limit = 100) =>
    (await t.walk((after) => t.store.deposits.received(span, { after, limit }))).map((page) =>
      page.map(({ deposit }) => deposit.txHash),
    )
  const order = async (t: Scenario, fields: OrderFieldsOfTest = {}) => {
    const result = await t.perform(orderCommand(fields))
    return unwrap(result.type === 'order' ? result.outcome : assert.fail())
  }

  describe('the order of receipt', () => {
    scenario('has the deposits of a span, page by page, whatever was seen first', async (t) => {
      const at = [3, 1, 2, 1, 5, 4]
      for (const [i, hours] of at.entries()) {
        await report(t, 'confirmed', `${hours}-${i}`, { receivedAt: START_MS + hours * HOUR_MS })
      }
      const all = ['1-1', '1-3', '2-2', '3-0', '4-5', '5-4']
      assert.deepEqual(await hashes(t, EVER), [all])
      assert.deepEqual(await hashes(t, EVER, 2), [all.slice(0, 2), all.slice(2, 4), all.slice(4)])
      const from = START_MS + HOUR_MS
      assert.deepEqual(await hashes(t, { from, before: START_MS + 3 * HOUR_MS }), [['1-1', '1-3', '2-2']])
      assert.deepEqual(await hashes(t, { from: from + 1, before: START_MS + 3 * HOUR_MS + 1 }), [['2-2', '3-0']])
      assert.deepEqual(await hashes(t, { from, before: from }), [[]])
      await t.harness.reopen()
      assert.deepEqual(await hashes(t, EVER, 4), [all.slice(0, 4), all.slice(4)])
    })

    scenario('has dropped ones, and one that came back at another time where it came back', async (t) => {
      await report(t, 'pending', 'a', { receivedAt: START_MS + HOUR_MS })
      await report(t, 'pending', 'b', { receivedAt: START_MS + 2 * HOUR_MS })
      await report(t, 'dropped', 'a', { receivedAt: START_MS + HOUR_MS })
      assert.deepEqual(await hashes(t, EVER), [['a', 'b']])
      await report(t, 'confirmed', 'a', { receivedAt: START_MS + 3 * HOUR_MS })
      assert.deepEqual(await hashes(t, EVER), [['b', 'a']])
      assert.deepEqual(await hashes(t, { from: START_MS, before: START_MS + 2 * HOUR_MS }), [[]])
    })
  })

  describe('a report of what was received', () => {
    scenario('says what a deposit was for and what it was worth, and leaves out what is not confirmed', async (t) => {
      const fields = { reference: 'o-1', orderNumber: 'N-1' }
      const { order: made, invoices } = await order(t, fields)
      t.clock.advance(1000)
      await report(t, 'confirmed', 'half', { amount: '13590000' })
      await report(t, 'confirmed', 'ether', { currency: '#native', amount: '0.0042375' })
      await report(t, 'pending', 'unsure')
      await report(t, 'pending', 'gone')
      await report(t, 'dropped', 'gone')
      const leftOut = { pending: 0 }
      const [half, ether, ...more] = await reported(t.store, 'received', DAY, null, leftOut)
      assert.deepEqual([more.length, leftOut.pending], [0, 1])
      assert.deepEqual(half, {
        day: '2023-11-14',
        time: '22:13:21',
        received_at: '2023-11-14T22:13:21Z',
        confirmed_at: '2023-11-14T22:13:21Z',
        network: 'SEP',
        coin: 'USDT',
        amount: '13.59',
        tx_hash: 'half',
        index: 0,
        address: addressOf('wallet-1'),
        wallet: 'wallet-1',
        owner: 'alice',
        match: 'matched',
        invoice: invoices[0]?.id,
        order: made.id,
        order_number: 'N-1',
        reference: 'o-1',
        price: '25.00',
        price_currency: 'EUR',
        rate: '0.92',
        rate_at: '2023-11-14T22:13:19Z',
        spread: '0',
        value: '12.50',
        value_exact: '12.5028',
      })
      assert.deepEqual(
        [ether?.['coin'], ether?.['amount'], ether?.['value'], ether?.['value_exact']],
        ['ETH', '0.0042375', '12.50', '12.50104875'],
      )
      const common = { day: '2023-11-14', network: 'SEP', deposits: 1, currency: 'EUR', value: '12.50' }
      assert.deepEqual(await reported(t.store, 'daily', DAY), [
        { ...common, coin: 'ETH', amount: '0.0042375', value_exact: '12.50104875' },
        { ...common, coin: 'USDT', amount: '13.59', value_exact: '12.5028' },
      ])
    })

    scenario('counts a token in its own decimals on each network', async (t) => {
      await t.tell(walletCreated('bnb', 'BNB'))
      await t.tell(walletAssigned('bnb', 'alice'))
      await report(t, 'confirmed', 'six', { amount: '2500000' })
      const eighteen = { network: 'BNB', toAddress: addressOf('bnb'), amount: '2500000000000000001' }
      await report(t, 'confirmed', 'eighteen', eighteen)
      const lines = await reported(t.store, 'received', DAY)
      assert.deepEqual(
        lines.map(({ network, coin, amount }) => [network, coin, amount]),
        [
          ['SEP', 'USDT', '2.5'],
          ['BNB', 'USDT', '2.500000000000000001'],
        ],
      )
    })

    scenario(
      'gives no value to an amount that the shop fixed, to an invoice and to what is matched to none',
      async (t) => {
        await order(t, { options: [{ walletIds: ['wallet-1'], currency: 'USDT', amount: '10' }] })
        const invoice = await t.invoice({ walletIds: ['wallet-2'], currency: 'USDT', amount: '7', reference: 'i-1' })
        t.clock.advance(1000)
        await report(t, 'confirmed', 'fixed', { amount: '10000000' })
        await report(t, 'confirmed', 'plain', { toAddress: addressOf('wallet-2'), amount: '7000000' })
        unwrap(await t.void((await t.invoice({ walletIds: ['wallet-3'], currency: 'USDT', amount: '8' })).id))
        t.clock.advance(1000)
        await report(t, 'confirmed', 'late', { toAddress: addressOf('wallet-3'), amount: '8000000' })
        await report(t, 'confirmed', 'stray', { currency: '#native', amount: '5' })
        const lines = await reported(t.store, 'received', DAY)
        assert.deepEqual(
          lines.map((line) => ['match', 'reference', 'price', 'rate', 'value'].map((name) => line[name])),
          [
            ['matched', null, '25.00', null, null],
            ['matched', 'i-1', null, null, null],
            ['late', null, null, null, null],
            ['unmatched', null, null, null, null],
          ],
        )
        assert.equal(lines[1]?.['invoice'], invoice.id)
        assert.deepEqual(
          (await reported(t.store, 'daily', DAY)).map(({ coin, deposits, amount, currency, value }) => {
            return [coin, deposits, amount, currency, value]
          }),
          [
            ['ETH', 1, '5', null, null],
            ['USDT', 3, '25', null, null],
          ],
        )
      },
    )

    scenario('tells each owner their own money, also of a wallet that is another’s now', async (t) => {
      await t.invoice({ walletIds: ['wallet-1'], currency: 'USDT', amount: '1' })
      t.clock.advance(1000)
      await report(t, 'confirmed', 'for-alice')
      await report(t, 'confirmed', 'stray-of-alice', { currency: '#native', amount: '3' })
      await report(t, 'confirmed', 'nobody', { toAddress: '0xsomewhere' })
      t.clock.advance(1000)
      await t.tell(walletAssigned('wallet-1', 'bob'))
      t.clock.advance(1000)
      await report(t, 'confirmed', 'stray-of-bob', { currency: '#native', amount: '4' })
      const of = async (owner: string | null) =>
        (await reported(t.store, 'received', DAY, owner)).map(({ tx_hash: hash, owner: its }) => [hash, its])
      assert.deepEqual(await of('alice'), [['for-alice', 'alice']])
      assert.deepEqual(await of('bob'), [['stray-of-bob', 'bob']])
      assert.deepEqual(await of(null), [
        ['for-alice', 'alice'],
        // Nothing says whose it was.
        ['stray-of-alice', null],
        ['nobody', null],
        ['stray-of-bob', 'bob'],
      ])
    })

    scenario('begins and ends its days at the midnight of a zone', async (t) => {
      for (const time of ['22:59:59', '23:00:00', '23:59:59']) {
        await report(t, 'confirmed', time, { receivedAt: Date.parse(`2023-11-14T${time}.999Z`) })
      }
      const of = async (zone: string, day: string) =>
        (await reported(t.store, 'received', periodIn(zone, day))).map((line) => `${line['day']} ${line['time']}`)
      assert.deepEqual(
        await of('UTC', '2023-11-14'),
        ['22:59:59', '23:00:00', '23:59:59'].map((at) => `2023-11-14 ${at}`),
      )
      assert.deepEqual(await of('Europe/Berlin', '2023-11-14'), ['2023-11-14 23:59:59'])
      assert.deepEqual(await of('Europe/Berlin', '2023-11-15'), ['2023-11-15 00:00:00', '2023-11-15 00:59:59'])
      assert.deepEqual(await of('UTC', '2023-11-15'), [])
      // The night in which clocks are set back: nothing of it is of the day before.
      await report(t, 'confirmed', 'set back', { receivedAt: Date.parse('2023-10-28T22:30:00Z') })
      assert.deepEqual(await of('Europe/Berlin', '2023-10-28'), [])
      assert.deepEqual(await of('Europe/Berlin', '2023-10-29'), ['2023-10-29 00:30:00'])
    })
  })

  describe('a report of orders', () => {
    scenario('has those that were created in the period, newest first, with what came for them', async (t) => {
      const first = await order(t, { reference: 'o-1', orderNumber: 'N-1' })
      t.clock.advance(1000)
      await report(t, 'confirmed', 'too-much', { amount: '30000000' })
      t.clock.advance(DAY_MS)
      const second = await order(t, { owner: 'alice', name: 'Cake' })
      const whole = periodIn('UTC', '2023-11-14', '2023-11-15')
      const lines = await reported(t.store, 'orders', whole)
      assert.deepEqual(
        lines.map(({ id }) => id),
        [second.order.id, first.order.id],
      )
      assert.deepEqual(lines[1], {
        day: '2023-11-14',
        time: '22:13:20',
        id: first.order.id,
        order_number: 'N-1',
        reference: 'o-1',
        name: 'Coffee',
        owner: 'alice',
        price: '25.00',
        price_currency: 'EUR',
        status: 'paid',
        created_at: '2023-11-14T22:13:20Z',
        expires_at: '2023-11-14T22:28:20Z',
        paid_at: '2023-11-14T22:13:21Z',
        accepted_at: null,
        voided_at: null,
        paid_fraction: '1.103752759381898454',
        overpaid: '2.82 USDT',
        options: '27.18 USDT at 0.92: 30 received | 0.008475 ETH at 2950.10: 0 received',
      })
      assert.deepEqual([lines[0]?.['status'], lines[0]?.['paid_at'], lines[0]?.['overpaid']], ['unpaid', null, null])
      assert.deepEqual(await reported(t.store, 'orders', DAY), [lines[1]])
      assert.deepEqual(await reported(t.store, 'orders', periodIn('UTC', '2023-11-15'), 'alice'), [lines[0]])
      assert.deepEqual(await reported(t.store, 'orders', whole, 'bob'), [])
      assert.deepEqual(await reported(t.store, 'orders', periodIn('UTC', '2023-11-13')), [])
    })
  })
}
