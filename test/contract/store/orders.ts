import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BoundedSlice } from '../../../src/base/turns.js'
import type { Secp256k1Engine } from '../../../src/crypto/secp256k1.js'
import type { DepositReport } from '../../../src/domain/deposit.js'
import { RAISE_EXAMINED_MAX, RAISE_STEPS_MAX, raiseSteps } from '../../../src/domain/order-price.js'
import { orderState } from '../../../src/domain/order-share.js'
import { importRecords } from '../../../src/service/import.js'
import { recordsOf as exported } from '../../../src/service/records.js'
import type { CreatedOrder } from '../../../src/store/commands.js'
import { addressOf, invoiceRequest, refusalOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OrderFieldsOfTest, orderCommand } from '../../support/orders.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const EVENTS_MAX = 10_000
const SECOND_MS = 1000
const HOOK = 'https://example.com/hook'
/** The most wallets that an option may name. */
const WALLETS_MAX = 50
const WIDE_ORDERS = 13
/** More than any engine reads at once of orders on so many wallets. */
const ORDERS_AT_ONCE_MAX = 10
const EVERYTHING = { owner: null, invoice: null, sinceMs: null, isNewestFirst: false }
/** No key is imported. */
const NO_ENGINE: Pick<Secp256k1Engine, 'isPublicKey'> = { isPublicKey: () => false }

/** Orders: a price that is paid in one coin or several (decisions 15). */
export function describeOrders(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
        await run(t)
      }),
    )

  const request = async (t: Scenario, fields: OrderFieldsOfTest = {}) => {
    const result = await t.perform(orderCommand(fields))
    return result.type === 'order' ? result.outcome : assert.fail()
  }
  const order = async (t: Scenario, fields: OrderFieldsOfTest = {}) => unwrap(await request(t, fields))
  /** One option of 10 USDT, and one of 1 ether on another wallet. */
  const tenOrOne = (t: Scenario, fields: OrderFieldsOfTest = {}) =>
    order(t, {
      options: [
        { walletIds: ['wallet-1'], currency: 'USDT', amount: '10' },
        { walletIds: ['wallet-2'], currency: 'native', amount: '1' },
      ],
      ...fields,
    })

  const report = async (
    t: Scenario,
    kind: DepositReport,
    txHash: string,
    amount = '',
    { walletId = 'wallet-1', currency = 'Tether' } = {},
  ) => {
    t.clock.advance(1)
    const at = { txHash, toAddress: addressOf(walletId), currency, amount, receivedAt: t.clock.now() }
    return t.deposit(kind, at)
  }
  /** Confirmed USDT of 6 decimals on wallet-1. */
  const pay = (t: Scenario, txHash: string, amount: string) => report(t, 'confirmed', txHash, amount)
  const payEther = (t: Scenario, txHash: string, amount: string, kind: DepositReport = 'confirmed') =>
    report(t, kind, txHash, amount, { walletId: 'wallet-2', currency: '#native' })

  const drop = (t: Scenario, txHash: string) => report(t, 'dropped', txHash, '1')

  const told = async (t: Scenario, { order: { id } }: Pick<CreatedOrder, 'order'>) => {
    const found = present(await t.store.orders.findWithOptions(id))
    const state = orderState(found.order, found.invoices, found.readAt)
    const voided = found.invoices.map(({ voidedAt }) => voidedAt !== null)
    return { ...state, voided, acceptedAt: found.order.acceptedAt, invoices: found.invoices }
  }
  const standsAs = async (t: Scenario, one: CreatedOrder, status: string, paidFraction: string, voided: boolean[]) => {
    const state = await told(t, one)
    assert.deepEqual([state.status, state.paidFraction, state.voided], [status, paidFraction, voided])
  }
  const eventsOf = async (t: Scenario, { order: { id } }: Pick<CreatedOrder, 'order'>) =>
    unwrap(await t.store.events.page('alice', { after: null, limit: EVENTS_MAX })).items.filter(
      ({ orderId }) => orderId === id,
    )
  /** What the owner was told of an order itself. */
  const typesOf = async (t: Scenario, one: CreatedOrder) =>
    (await eventsOf(t, one)).map(({ type }) => type).filter((type) => type.startsWith('order.'))
  const end = async (t: Scenario, type: 'void-order' | 'accept-order', orderId: string, owner = 'alice') => {
    const result = await t.perform({ type, orderId, owner })
    return result.type === type ? result.outcome : assert.fail()
  }

  const NONE = '0.000000000000000000'
  const HALF = '0.500000000000000000'
  const WHOLE = '1.000000000000000000'

  describe('money that is matched to nobody', () => {
    scenario('counts for an order, which is not void when its last invoice is voided then', async (t) => {
      const made = await tenOrOne(t)
      const [first, second] = made.invoices.map(({ id }) => id)
      await t.perform({ type: 'void', invoiceId: present(first), owner: 'alice' })
      await t.own('bob', 'wallet-1')
      await pay(t, 'while it is another\u2019s', '10000000')
      await t.own('alice', 'wallet-1')
      await t.perform({ type: 'void', invoiceId: present(second), owner: 'alice' })
      t.clock.advance(900 * SECOND_MS)
      await t.store.commands.catchUp()
      await standsAs(t, made, 'paid', WHOLE, [true, true])
      assert.equal((await told(t, made)).voidedAt, null)
      // That it is paid is found when nothing of it is left to be paid.
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid'])
      await drop(t, 'while it is another\u2019s')
      await standsAs(t, made, 'expired', NONE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid', 'order.unpaid', 'order.expired'])
    })

    /** Two halves of an order: one is its own, and one came to its wallet while that was bob's. */
    const paidByHalves = async (t: Scenario, fields: OrderFieldsOfTest = {}) => {
      const made = await tenOrOne(t, fields)
      await report(t, 'pending', 'own', '5000000')
      await t.own('bob', 'wallet-1')
      await pay(t, 'nobody\u2019s', '5000000')
      assert.deepEqual(await typesOf(t, made), ['order.created'])
      await report(t, 'confirmed', 'own', '5000000')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid'])
      return made
    }

    scenario(
      'takes the order with it that it had completed when it is dropped, and brings the options back',
      async (t) => {
        const made = await paidByHalves(t)
        await drop(t, 'nobody\u2019s')
        await standsAs(t, made, 'partly', HALF, [false, false])
        const types = (await eventsOf(t, made)).map(({ type }) => type)
        assert.deepEqual(types.slice(-2), ['order.unpaid', 'invoice.unpaid'])
        // The same money again is judged when something of its own comes.
        await pay(t, 'nobody\u2019s', '5000000')
        await payEther(t, 'ether', '0.000001')
        assert.deepEqual((await typesOf(t, made)).slice(2), ['order.unpaid', 'order.paid', 'order.overpaid'])
        await drop(t, 'nobody\u2019s')
        assert.deepEqual((await typesOf(t, made)).slice(5), ['order.unpaid'])
      },
    )

    scenario('takes the order with it after a restart, too', async (t) => {
      const made = await paidByHalves(t)
      await t.harness.reopen()
      await drop(t, 'nobody\u2019s')
      assert.deepEqual((await typesOf(t, made)).slice(2), ['order.unpaid'])
    })

    scenario('is judged by each drop alone, and by none once something else holds the order up', async (t) => {
      const made = await paidByHalves(t)
      await pay(t, 'more', '10000000')
      await drop(t, 'nobody\u2019s')
      // The standing follows from all that counts now.
      await standsAs(t, made, 'paid', '1.500000000000000000', [false, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid'])
      await drop(t, 'more')
      await standsAs(t, made, 'partly', HALF, [false, false])
      await drop(t, 'own')
      await standsAs(t, made, 'unpaid', NONE, [false, false])
      assert.deepEqual((await typesOf(t, made)).slice(2), ['order.unpaid', 'order.unpaid'])
    })

    scenario('takes nothing from an order that was accepted, and is told to nobody then', async (t) => {
      const made = await paidByHalves(t)
      unwrap(await end(t, 'accept-order', made.order.id))
      await drop(t, 'nobody\u2019s')
      assert.equal((await told(t, made)).status, 'paid')
      assert.deepEqual((await typesOf(t, made)).slice(2), ['order.accepted'])
    })

    scenario('takes every order with it that had counted it, in the order of their creation', async (t) => {
      const makes = ['10', '11', '12'].map((amount) => ({
        options: [
          { walletIds: ['wallet-3', 'wallet-1'], currency: 'USDT', amount },
          { walletIds: ['wallet-2'], currency: 'native', amount },
        ],
      }))
      const made = [await order(t, makes[0]), await order(t, makes[1]), await order(t, makes[2])]
      await t.own('bob', 'wallet-1')
      await pay(t, 'nobody\u2019s', '9000000')
      const onThird = { walletId: 'wallet-3' }
      for (const [i, amount] of ['1000000', '2000000', '1000000'].entries()) {
        await report(t, 'confirmed', `own ${i}`, amount, onThird)
      }
      const orders = await Promise.all(made.map((one) => typesOf(t, one)))
      const known = orders.map((types) => types.at(-1))
      assert.deepEqual(known.slice(0, 2), ['order.paid', 'order.paid'])
      await drop(t, 'nobody\u2019s')
      for (const one of made) assert.notEqual((await told(t, one)).status, 'paid')
      const { items } = unwrap(await t.store.events.page('alice', { after: null, limit: EVENTS_MAX }))
      const unpaid = items.filter(({ type }) => type === 'order.unpaid').map(({ orderId }) => orderId)
      assert.deepEqual(
        unpaid,
        made.slice(0, 2).map(({ order: { id } }) => id),
      )
    })

    scenario('that is only seen, or is of another coin, changes nothing when it is dropped', async (t) => {
      const made = await paidByHalves(t)
      await report(t, 'pending', 'seen', '1000000')
      await drop(t, 'seen')
      await report(t, 'confirmed', 'ether', '1', { walletId: 'wallet-1', currency: '#native' })
      await drop(t, 'ether')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid'])
    })
  })

  describe('the creation of an order', () => {
    scenario('makes an invoice of each option, whose amount follows from the price', async (t) => {
      const { order: made, invoices } = await order(t, {
        reference: 'o-1',
        orderNumber: 'N-1',
        metadata: { cart: '7' },
        returnUrl: 'https://shop.example/back',
        callbackUrl: HOOK,
      })
      assert.deepEqual(
        invoices.map(({ amount, currency, reference }) => [amount, currency, reference]),
        [
          ['27.18', 'USDT', 'o-1/1'],
          ['0.008475', 'native', 'o-1/2'],
        ],
      )
      assert.deepEqual([made.createdAt, made.expiresAt], [START_MS, START_MS + 900 * SECOND_MS])
      assert.deepEqual(
        made.options.map(({ rate, decimals }) => [rate?.rate, decimals]),
        [
          ['0.92', 2],
          ['2950.10', 6],
        ],
      )
      for (const { invoice, order: fields, expiresAt } of (await told(t, { order: made })).invoices) {
        assert.deepEqual(fields, made.fields)
        assert.deepEqual([invoice.name, invoice.callback_url, expiresAt], ['Coffee', HOOK, made.expiresAt])
      }
      await t.harness.reopen()
      assert.deepEqual(await t.store.orders.find(made.id), made)
      assert.deepEqual((await t.store.orders.findByReference('o-1'))?.order, made)
      assert.equal(await t.store.orders.findByReference('o-1/1'), undefined)
      assert.equal(await t.store.orders.find('0'.repeat(32)), undefined)
      assert.equal(await t.store.orders.find('no id'), undefined)
    })

    scenario('gives the references of an order without one its id', async (t) => {
      const { order: made, invoices } = await order(t)
      assert.deepEqual(
        invoices.map(({ reference }) => reference),
        [`${made.id}/1`, `${made.id}/2`],
      )
    })

    scenario('is read with the newest deposits of each of its invoices, of which each knows its order', async (t) => {
      const made = await tenOrOne(t)
      for (const hash of ['first', 'second', 'third']) await pay(t, hash, '1000000')
      await payEther(t, 'ether', '0.25', 'pending')
      const found = present(await t.store.orders.findWithDeposits(made.order.id, 2))
      const { invoices, ...rest } = present(await t.store.orders.findWithOptions(made.order.id))
      assert.deepEqual({ order: found.order, readAt: found.readAt }, rest)
      assert.deepEqual(
        found.invoices.map(({ deposits, hasMoreDeposits }) => [deposits.map(({ txHash }) => txHash), hasMoreDeposits]),
        [
          [['third', 'second'], true],
          [['ether'], false],
        ],
      )
      for (const [i, one] of found.invoices.entries()) {
        const { deposits: _, hasMoreDeposits: __, orderId, ...answer } = one
        assert.deepEqual(answer, invoices[i])
        assert.equal(orderId, made.order.id)
        assert.deepEqual(await t.store.invoices.findWithDeposits(one.invoice.id, 2), one)
      }
      assert.equal(await t.store.orders.findWithDeposits('0'.repeat(32), 2), undefined)
      assert.equal(await t.store.orders.findWithDeposits('no id', 2), undefined)
    })

    scenario('is told with its invoices, in order', async (t) => {
      const made = await order(t)
      const events = await eventsOf(t, made)
      assert.deepEqual(
        events.map(({ type, invoiceId, reference }) => [type, invoiceId, reference]),
        [
          ['invoice.created', made.invoices[0]?.id, `${made.order.id}/1`],
          ['invoice.created', made.invoices[1]?.id, `${made.order.id}/2`],
          ['order.created', null, null],
        ],
      )
    })

    const refusals: readonly { readonly why: string; readonly fields: OrderFieldsOfTest; readonly code: string }[] = [
      {
        why: 'a wallet of another owner in its last option',
        fields: { options: [{ walletIds: ['wallet-1'] }, { walletIds: ['stranger'], currency: 'USDT' }] },
        code: 'wallet_not_owned',
      },
      {
        why: 'a coin without a rate',
        fields: { price: { amount: '25.00', currency: 'USD' } },
        code: 'rate_unavailable',
      },
      { why: 'a reference of an invoice', fields: { reference: 'taken' }, code: 'reference_in_use' },
      {
        why: 'a fixed amount that is another invoice’s',
        fields: { options: [{ walletIds: ['wallet-2'] }, { walletIds: ['wallet-1'], amount: '7.00' }] },
        code: 'amount_in_use',
      },
      { why: 'a callback that is none', fields: { callbackUrl: 'ftp://example.com' }, code: 'invalid_callback_url' },
    ]
    for (const { why, fields, code } of refusals) {
      scenario(`is refused as a whole for ${why}`, async (t) => {
        await t.invoice({ amount: '7', reference: 'taken/2' })
        const before = await t.snapshot()
        assert.equal(refusalOf(await request(t, fields)), code)
        assert.deepEqual(await t.snapshot(), before)
        assert.deepEqual((await t.store.orders.all({ after: null, limit: 10 })).items, [])
      })
    }

    scenario(
      'raises an amount that is an unpaid invoice’s, by the last digit, and by half a percent at most',
      async (t) => {
        const amounts: string[] = []
        const usdt = { options: [{ walletIds: ['wallet-1'], currency: 'USDT' }] }
        for (let n = 0; n < 14; n += 1) amounts.push((await order(t, usdt)).invoices[0]?.amount ?? '')
        assert.deepEqual(
          amounts,
          Array.from({ length: 14 }, (_, n) => `27.${18 + n}`),
        )
        assert.equal(refusalOf(await request(t, usdt)), 'amount_in_use')
        // On another wallet nothing is in the way, and a paid amount is free again.
        assert.equal(
          (await order(t, { options: [{ walletIds: ['wallet-2'], currency: 'USDT' }] })).invoices[0]?.amount,
          '27.18',
        )
        await pay(t, 'paid', '27200000')
        // What came counts for all of them (specification), so the first is free.
        assert.equal((await order(t, usdt)).invoices[0]?.amount, '27.18')
      },
    )

    scenario('raises an amount past whatever else is asked on its wallets', async (t) => {
      // Between two steps there is room for any number of amounts.
      const between = Array.from({ length: RAISE_STEPS_MAX }, (_, n) => `27.18${String(n + 1).padStart(4, '0')}`)
      for (const amount of ['27.18', '27.19', ...between])
        await t.invoice({ walletIds: ['wallet-1'], amount, currency: 'USDT' })
      const usdt = { options: [{ walletIds: ['wallet-2', 'wallet-1'], currency: 'USDT' }] }
      assert.deepEqual(
        [(await order(t, usdt)).invoices[0]?.amount, (await order(t, usdt)).invoices[0]?.amount],
        ['27.20', '27.21'],
      )
    })

    scenario('looks at a bounded number of wallets and invoices to raise an amount', async (t) => {
      const wallets = Array.from({ length: 50 }, (_, n) => `many-${n}`)
      await t.own('alice', ...wallets)
      const options = ['USDT', 'native'].map((currency) => ({ walletIds: wallets, currency }))
      const price = { amount: '10000', currency: 'EUR' }
      const steps = raiseSteps(100)
      for (let n = 0; n <= steps; n += 1) await order(t, { options, price })
      assert.equal(refusalOf(await request(t, { options, price })), 'amount_in_use')
      // Fewer wallets, more steps.
      const [first] = options
      assert.ok(first !== undefined)
      await order(t, { options: [first], price })
    })

    scenario(
      'finds out of a bounded number of invoices whether they stand in the way of a raised amount',
      async (t) => {
        const usdt = {
          options: [{ walletIds: ['wallet-1'], currency: 'USDT' }],
          price: { amount: '1000', currency: 'EUR' },
        }
        const next = async () => (await order(t, usdt)).invoices[0]?.amount
        const known = 3 * RAISE_EXAMINED_MAX
        const amounts: (string | undefined)[] = []
        for (let n = 0; n < known; n += 1) amounts.push(await next())
        // All are paid, and only the first of them are known to be.
        await pay(t, 'everything', '100000000000')
        t.clock.advance(1)
        for (let n = 0; n <= RAISE_EXAMINED_MAX; n += 1) assert.equal(await next(), amounts[n])
        // The next one that is paid is beyond those that are examined, and so are all others.
        const further = await next()
        assert.equal(amounts.includes(further), false)
        while (await t.store.commands.catchUp());
        assert.equal(await next(), amounts[RAISE_EXAMINED_MAX + 1])
      },
    )

    scenario('answers the same again under an idempotency key, also when there is no rate any more', async (t) => {
      const idempotency = { scope: Buffer.alloc(32, 1), bodyHash: Buffer.alloc(32, 2) }
      const first = await t.perform(orderCommand({}, { idempotency }))
      const again = await t.perform(orderCommand({}, { idempotency }, { rateFor: () => null }))
      assert.ok(first.type === 'order' && again.type === 'order')
      assert.deepEqual([unwrap(again.outcome), again.isReplay], [unwrap(first.outcome), true])
      const other = { ...idempotency, bodyHash: Buffer.alloc(32, 3) }
      const refused = await t.perform(orderCommand({}, { idempotency: other }))
      assert.equal(refused.type === 'order' && refusalOf(refused.outcome), 'idempotency_key_reused')
      const elsewhere = orderCommand({ options: [{ walletIds: ['stranger'] }] }, { idempotency })
      const looked = await t.store.commands.answerOrderWithoutTurn(elsewhere)
      assert.deepEqual(looked, again)
    })

    scenario('happens once for a signed request without a reference', async (t) => {
      const signed = { timestampMs: START_MS, digest: Buffer.alloc(32, 9) }
      await t.perform(orderCommand({}, { signed }))
      const again = await t.perform(orderCommand({ options: [{ walletIds: ['wallet-3'] }] }, { signed }))
      assert.equal(again.type === 'order' && refusalOf(again.outcome), 'request_repeated')
    })

    scenario('in one batch sees those before it', async (t) => {
      const usdt = { options: [{ walletIds: ['wallet-1'], currency: 'USDT' }] }
      const fates = await t.store.commands.perform([orderCommand(usdt), orderCommand(usdt), orderCommand(usdt)])
      const amounts = fates.map((fate) => {
        assert.ok(fate.status === 'fulfilled' && fate.value.type === 'order')
        return unwrap(fate.value.outcome).invoices[0]?.amount
      })
      assert.deepEqual(amounts, ['27.18', '27.19', '27.20'])
    })

    scenario('in one batch sees those before it, and what was there before them', async (t) => {
      await t.invoice({ walletIds: ['wallet-1'], amount: '27.19', currency: 'USDT' })
      const usdt = { options: [{ walletIds: ['wallet-1'], currency: 'USDT' }] }
      const fates = await t.store.commands.perform([orderCommand(usdt), orderCommand(usdt)])
      const amounts = fates.map((fate) => {
        assert.ok(fate.status === 'fulfilled' && fate.value.type === 'order')
        return unwrap(fate.value.outcome).invoices[0]?.amount
      })
      assert.deepEqual(amounts, ['27.18', '27.20'])
    })
  })

  describe('an order', () => {
    scenario('is paid by one coin, and its other invoices become void in the same commit', async (t) => {
      const made = await tenOrOne(t)
      await standsAs(t, made, 'unpaid', NONE, [false, false])
      assert.deepEqual((await told(t, made)).remaining, ['10', '1'])
      await pay(t, 'tx', '10000000')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
      assert.deepEqual((await told(t, made)).remaining, ['0', '0'])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid'])
      const [, other] = made.invoices
      const events = await eventsOf(t, made)
      assert.ok(events.some(({ type, invoiceId }) => type === 'invoice.voided' && invoiceId === other?.id))
      const paid = events.find(({ type }) => type === 'order.paid')
      assert.equal(paid?.invoiceId, made.invoices[0]?.id)
    })

    scenario('is not paid by what is only seen', async (t) => {
      const made = await tenOrOne(t)
      await report(t, 'pending', 'tx', '10000000')
      await standsAs(t, made, 'unpaid', NONE, [false, false])
      assert.equal(refusalOf(await end(t, 'void-order', made.order.id)), 'order_paid')
      await report(t, 'confirmed', 'tx', '10000000')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
    })

    scenario('is paid by two coins together, exactly', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'third', '3333333')
      await standsAs(t, made, 'partly', '0.333333300000000000', [false, false])
      assert.deepEqual((await told(t, made)).remaining, ['6.67', '0.666667'])
      await payEther(t, 'less', '0.6666666')
      await standsAs(t, made, 'partly', '0.999999900000000000', [false, false])
      await payEther(t, 'rest', '0.0000001')
      await standsAs(t, made, 'paid', WHOLE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly', 'order.paid'])
    })

    scenario('is overpaid by what comes later, and by no rounding', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'third', '3333333')
      // What was asked for, rounded up to six places.
      await payEther(t, 'rest', '0.666667')
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly', 'order.paid'])
      const { deliveries } = await payEther(t, 'again', '0.5')
      assert.deepEqual(deliveries, [])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly', 'order.paid', 'order.overpaid'])
      const late = (await eventsOf(t, made)).filter(({ late }) => late === true)
      assert.deepEqual(
        late.map(({ type, invoiceId }) => [type, invoiceId]),
        [
          ['deposit.pending', made.invoices[1]?.id],
          ['deposit.confirmed', made.invoices[1]?.id],
        ],
      )
      assert.equal((await told(t, made)).status, 'paid')
    })

    scenario(
      'is unpaid again when the deposit that completed it is taken back, and can be paid in every coin',
      async (t) => {
        const made = await tenOrOne(t)
        await pay(t, 'tx', '10000000')
        await report(t, 'dropped', 'tx', '10000000')
        await standsAs(t, made, 'unpaid', NONE, [false, false])
        const events = (await eventsOf(t, made)).map(({ type }) => type)
        assert.ok(events.lastIndexOf('invoice.unpaid') > events.indexOf('order.paid'))
        await payEther(t, 'other', '1')
        await standsAs(t, made, 'paid', WHOLE, [true, false])
        assert.deepEqual(await typesOf(t, made), ['order.created', 'order.paid', 'order.unpaid', 'order.paid'])
      },
    )

    scenario('keeps what had come when the rest is taken back', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      await payEther(t, 'rest', '0.5')
      await standsAs(t, made, 'paid', WHOLE, [true, true])
      await payEther(t, 'rest', '0.5', 'dropped')
      await standsAs(t, made, 'partly', HALF, [false, false])
      await payEther(t, 'rest', '0.5')
      await standsAs(t, made, 'paid', WHOLE, [true, true])
    })

    scenario('has nothing live again that would have expired meanwhile', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      await payEther(t, 'rest', '0.5')
      t.clock.advance(900 * SECOND_MS)
      await t.store.commands.catchUp()
      await standsAs(t, made, 'paid', WHOLE, [true, true])
      await payEther(t, 'rest', '0.5', 'dropped')
      // Something has come for the first one: it lives on. Nothing has come for the other.
      await standsAs(t, made, 'partly', HALF, [false, true])
      await pay(t, 'more', '5000000')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
    })

    scenario('expires when all that it was paid with is taken back behind its time', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      await payEther(t, 'rest', '0.5')
      t.clock.advance(900 * SECOND_MS)
      await t.store.commands.catchUp()
      await pay(t, 'another', '5000000')
      await report(t, 'dropped', 'half', '5000000')
      await payEther(t, 'rest', '0.5', 'dropped')
      await standsAs(t, made, 'partly', HALF, [false, true])
      await report(t, 'dropped', 'another', '5000000')
      assert.equal((await told(t, made)).paidFraction, NONE)
    })

    scenario(
      'has an invoice live again as paid when others have paid its amount on its wallet meanwhile',
      async (t) => {
        const made = await tenOrOne(t)
        await pay(t, 'tx', '10000000')
        const other = await t.invoice({ walletIds: ['wallet-2'], amount: '2', reference: 'other', callbackUrl: HOOK })
        await payEther(t, 'for the other', '2')
        await report(t, 'dropped', 'tx', '10000000')
        await standsAs(t, made, 'unpaid', NONE, [false, false])
        const [, ether] = made.invoices
        const events = (await eventsOf(t, made)).filter(({ invoiceId }) => invoiceId === ether?.id)
        assert.deepEqual(
          events.map(({ type }) => type),
          ['invoice.created', 'invoice.voided', 'invoice.unpaid', 'invoice.paid'],
        )
        assert.deepEqual([(await t.paymentOf(other)).own, (await t.paymentOf(present(ether))).own], ['2', '0'])
        // Its amount is free again.
        assert.ok((await t.request({ walletIds: ['wallet-2'], amount: '1' })).ok)
        await payEther(t, 'for the other', '2', 'dropped')
        await standsAs(t, made, 'unpaid', NONE, [false, false])
      },
    )

    scenario('has no invoice live again whose amount is another’s by now', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'tx', '10000000')
      const other = await t.invoice({ walletIds: ['wallet-2'], amount: '1.0' })
      await report(t, 'dropped', 'tx', '10000000')
      await standsAs(t, made, 'unpaid', NONE, [false, true])
      await payEther(t, 'for the other', '1')
      assert.equal((await t.paymentOf(other)).status, 'paid')
      await standsAs(t, made, 'unpaid', NONE, [false, true])
    })

    scenario('counts a late payment, and is paid by it', async (t) => {
      const made = await tenOrOne(t)
      t.clock.advance(900 * SECOND_MS)
      await t.store.commands.catchUp()
      await standsAs(t, made, 'expired', NONE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.expired'])
      await pay(t, 'late', '10000000')
      await standsAs(t, made, 'paid', WHOLE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.expired', 'order.paid'])
    })

    scenario('is expired before what comes behind its time, though nobody had decided that yet', async (t) => {
      await t.harness.reopen({ underpayment: 500 })
      const nearly = await tenOrOne(t)
      const whole = await order(t, { options: [{ walletIds: ['wallet-3'], currency: 'USDT', amount: '10' }] })
      t.clock.advance(900 * SECOND_MS)
      await pay(t, 'nearly', '9900000')
      await report(t, 'confirmed', 'whole', '10000000', { walletId: 'wallet-3' })
      await standsAs(t, nearly, 'partly', '0.990000000000000000', [true, true])
      await standsAs(t, whole, 'paid', WHOLE, [true])
      assert.deepEqual(await typesOf(t, nearly), ['order.created', 'order.expired', 'order.partly'])
      assert.deepEqual(await typesOf(t, whole), ['order.created', 'order.expired', 'order.paid'])
      const before = await eventsOf(t, nearly)
      while (await t.store.commands.catchUp());
      assert.deepEqual(await eventsOf(t, nearly), before)
      for (const { order: made } of [nearly, whole]) {
        assert.equal((await t.store.orders.find(made.id))?.voidedAt, made.expiresAt)
      }
    })

    scenario('lives on with what has come, and its other invoices expire', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      t.clock.advance(900 * SECOND_MS)
      await standsAs(t, made, 'partly', HALF, [false, true])
      await t.store.commands.catchUp()
      await standsAs(t, made, 'partly', HALF, [false, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly'])
      await pay(t, 'rest', '5000000')
      await standsAs(t, made, 'paid', WHOLE, [false, true])
    })

    scenario('is expired by the clock before it is decided', async (t) => {
      const made = await tenOrOne(t)
      t.clock.advance(900 * SECOND_MS - 1)
      await standsAs(t, made, 'unpaid', NONE, [false, false])
      t.clock.advance(1)
      await standsAs(t, made, 'expired', NONE, [true, true])
      const outcome = await end(t, 'void-order', made.order.id)
      assert.equal(unwrap(outcome).order.voidedAt, made.order.expiresAt)
      assert.equal(refusalOf(await end(t, 'accept-order', made.order.id)), 'order_void')
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.expired'])
      while (await t.store.commands.catchUp());
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.expired'])
    })

    scenario('can be voided by its owner, once', async (t) => {
      const made = await tenOrOne(t)
      assert.equal(refusalOf(await end(t, 'void-order', made.order.id, 'bob')), 'not_order_owner')
      assert.equal(refusalOf(await end(t, 'void-order', '0'.repeat(32))), 'order_not_found')
      t.clock.advance(5)
      const first = unwrap(await end(t, 'void-order', made.order.id))
      assert.equal(first.order.voidedAt, START_MS + 5)
      t.clock.advance(5)
      assert.equal(unwrap(await end(t, 'void-order', made.order.id)).order.voidedAt, START_MS + 5)
      await standsAs(t, made, 'void', NONE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.voided'])
    })

    scenario('can be accepted for what has come, and no reorganisation takes that back', async (t) => {
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      const accepted = unwrap(await end(t, 'accept-order', made.order.id))
      assert.equal(accepted.order.acceptedAt, t.clock.now())
      assert.equal(unwrap(await end(t, 'accept-order', made.order.id)).order.acceptedAt, t.clock.now())
      await standsAs(t, made, 'paid', HALF, [true, true])
      assert.deepEqual((await told(t, made)).remaining, ['0', '0'])
      assert.equal(refusalOf(await end(t, 'void-order', made.order.id)), 'order_paid')
      await report(t, 'dropped', 'half', '5000000')
      await standsAs(t, made, 'paid', NONE, [true, true])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly', 'order.accepted'])
    })

    scenario('ends with its last invoice, and is accepted with one of them', async (t) => {
      const [ended, accepted] = [
        await tenOrOne(t),
        await tenOrOne(t, { options: [{ walletIds: ['wallet-3'], amount: '2' }] }),
      ]
      const [first, second] = ended.invoices
      unwrap(await t.void(first?.id ?? ''))
      await standsAs(t, ended, 'unpaid', NONE, [true, false])
      unwrap(await t.void(second?.id ?? ''))
      await standsAs(t, ended, 'void', NONE, [true, true])
      unwrap(await t.accept(accepted.invoices[0]?.id ?? ''))
      await standsAs(t, accepted, 'paid', NONE, [false])
      assert.deepEqual(await typesOf(t, ended), ['order.created', 'order.voided'])
      assert.deepEqual(await typesOf(t, accepted), ['order.created', 'order.accepted'])
    })

    scenario('is accepted by itself when nearly all has come, in whatever coins', async (t) => {
      await t.harness.reopen({ underpayment: 100 })
      const made = await tenOrOne(t)
      await pay(t, 'half', '5000000')
      await payEther(t, 'short', '0.48')
      await standsAs(t, made, 'partly', '0.980000000000000000', [false, false])
      await payEther(t, 'nearly', '0.01')
      const state = await told(t, made)
      assert.deepEqual([state.status, state.acceptedAt], ['paid', t.clock.now()])
      assert.deepEqual(await typesOf(t, made), ['order.created', 'order.partly', 'order.accepted'])
    })

    scenario(
      'ends again what lives again with it, when it is accepted by the deposit that shows what was taken back',
      async (t) => {
        await t.harness.reopen({ underpayment: 1000 })
        const made = await tenOrOne(t)
        await t.own('bob', 'wallet-1')
        await pay(t, 'while it is another\u2019s', '4000000')
        await t.own('alice', 'wallet-1')
        await pay(t, 'rest', '6000000')
        await standsAs(t, made, 'paid', WHOLE, [false, true])
        await report(t, 'dropped', 'while it is another\u2019s', '4000000')
        await pay(t, 'nearly', '3500000')
        await standsAs(t, made, 'paid', '0.950000000000000000', [true, true])
        const types = ['order.created', 'order.paid', 'order.unpaid', 'order.accepted']
        assert.deepEqual(await typesOf(t, made), types)
      },
    )

    scenario('that was paid before it was made is so', async (t) => {
      const receivedAt = START_MS + 60_000
      const ahead = { txHash: 'ahead', currency: 'Tether', amount: '10000000', receivedAt }
      await t.deposit('confirmed', ahead)
      const made = await tenOrOne(t)
      await standsAs(t, made, 'paid', WHOLE, [false, true])
    })

    scenario('that was paid before it was made is in the way of nothing that is created with it', async (t) => {
      const receivedAt = START_MS + 60_000
      await t.deposit('confirmed', { txHash: 'ahead', currency: 'Tether', amount: '10000000', receivedAt })
      const options = [
        { walletIds: ['wallet-1'], currency: 'USDT', amount: '10' },
        { walletIds: ['wallet-2'], currency: 'native', amount: '1' },
      ]
      const request = invoiceRequest({ walletIds: ['wallet-2'], amount: '1' })
      const fates = await t.store.commands.perform([
        orderCommand({ options }),
        { type: 'invoice', request },
        orderCommand({ options }),
        { type: 'invoice', request },
      ])
      const codes = fates.map((fate) => {
        if (fate.status === 'rejected' || !('outcome' in fate.value)) return assert.fail()
        const { outcome } = fate.value
        return 'ok' in outcome && !outcome.ok ? outcome.failure.code : null
      })
      assert.deepEqual(codes, [null, null, 'amount_in_use', 'amount_in_use'])
      const { items } = unwrap(await t.store.events.page('alice', { after: null, limit: EVENTS_MAX }))
      assert.deepEqual(
        items.map(({ type }) => type).filter((type) => !type.startsWith('deposit.')),
        [
          'invoice.created',
          'invoice.paid',
          'invoice.created',
          'order.created',
          'order.paid',
          'invoice.voided',
          'invoice.created',
        ],
      )
    })

    scenario('is told to a receiver with the invoice', async (t) => {
      await t.store.webhooks.put('alice', HOOK, 'with-invoice')
      const made = await tenOrOne(t, { reference: 'o-7', orderNumber: 'N-7' })
      const of = (body: string | undefined) => JSON.parse(body ?? '').invoice.order
      const about = { id: made.order.id, reference: 'o-7', orderNumber: 'N-7' }
      const seen = await report(t, 'pending', 'half', '5000000')
      assert.deepEqual(of(seen.deliveries[0]?.body), { ...about, status: 'unpaid' })
      const half = await report(t, 'confirmed', 'half', '5000000')
      assert.deepEqual(of(half.deliveries[0]?.body), { ...about, status: 'partly' })
      const rest = await payEther(t, 'rest', '0.5')
      assert.deepEqual(of(rest.deliveries.at(-1)?.body), { ...about, status: 'paid' })
      const plain = await t.invoice({ walletIds: ['wallet-3'], reference: 'plain', amount: '3' })
      const paid = await report(t, 'confirmed', 'plain', '3', { walletId: 'wallet-3', currency: '#native' })
      assert.deepEqual(
        [JSON.parse(paid.deliveries[0]?.body ?? '').invoiceId, of(paid.deliveries[0]?.body)],
        [plain.id, undefined],
      )
    })

    scenario('sends its events to its own callback', async (t) => {
      await t.store.webhooks.put('alice', 'https://example.com/default', 'events')
      const made = await tenOrOne(t, { callbackUrl: HOOK, reference: 'o-8' })
      await pay(t, 'tx', '10000000')
      const { owed } = await t.store.eventOutbox.queueNext('alice', 64)
      const told: unknown[] = []
      for (const { id } of owed) {
        const { url, body, event } = present(await t.store.outbox.find(id))
        if (event?.type.startsWith('order.')) told.push([url, event.type, JSON.parse(body).data.orderId])
      }
      assert.deepEqual(told, [
        [HOOK, 'order.created', made.order.id],
        [HOOK, 'order.paid', made.order.id],
      ])
    })
  })

  describe('the orders of an owner', () => {
    scenario('are listed newest first, by pages, and by their number', async (t) => {
      const made: string[] = []
      for (const n of [1, 2, 3, 4, 5]) {
        t.clock.advance(1)
        const orderNumber = n % 2 === 0 ? 'even' : 'odd'
        made.unshift(
          (await tenOrOne(t, { orderNumber, options: [{ walletIds: ['wallet-1'], amount: String(n) }] })).order.id,
        )
      }
      const search = { orderNumber: null }
      const pages = await t.walk((after) => t.store.orders.page('alice', { after, limit: 2 }, search))
      assert.deepEqual(
        pages.flat().map(({ order: { id } }) => id),
        made,
      )
      const everything = await t.walk((after) => t.store.orders.all({ after, limit: 2 }))
      assert.deepEqual(everything, pages)
      const even = await t.store.orders.page('alice', { after: null, limit: 10 }, { orderNumber: 'even' })
      assert.deepEqual(
        even.items.map(({ order: { id } }) => id),
        [made[1], made[3]],
      )
      assert.deepEqual((await t.store.orders.page('bob', { after: null, limit: 10 }, search)).items, [])
    })

    /** Orders on as many wallets as an invoice may have, the newest first. */
    const wideOrders = async (t: Scenario) => {
      const wallets = Array.from({ length: WALLETS_MAX }, (_, n) => `wide-${n}`)
      await t.own('alice', ...wallets)
      const made: CreatedOrder[] = []
      for (let n = 1; n <= WIDE_ORDERS; n += 1) {
        t.clock.advance(1)
        const options = ['USDT', 'native'].map((currency) => ({ walletIds: wallets, currency, amount: String(n) }))
        made.unshift(await order(t, { options }))
      }
      return made
    }

    scenario('are read by what they cost: a page of many wallets ends early, and goes on', async (t) => {
      const made = (await wideOrders(t)).map((one) => one.order.id)
      const pages = await t.walk((after) => {
        // Time stands still: nothing but what is looked up ends it.
        const slice = new BoundedSlice(() => 0, 1, WALLETS_MAX * 2 * 3)
        return t.store.orders.page('alice', { after, limit: 100, slice }, { orderNumber: null })
      })
      assert.deepEqual(
        pages.flat().map(({ order: { id } }) => id),
        made,
      )
      assert.ok(pages.every(({ length }) => length <= ORDERS_AT_ONCE_MAX))
    })

    scenario('expire by what they cost: those of many wallets take several turns, and all end', async (t) => {
      const made = await wideOrders(t)
      t.clock.advance(900 * SECOND_MS)
      let turns = 1
      while (await t.store.commands.catchUp()) turns += 1
      assert.ok(turns > 2, `${turns} turns`)
      for (const one of made) {
        await standsAs(t, one, 'expired', NONE, [true, true])
        assert.deepEqual(await typesOf(t, one), ['order.created', 'order.expired'])
      }
    })
  })

  describe('the export of an order', () => {
    const recordsOf = async (t: Scenario, kind: Parameters<typeof exported>[1]) => {
      const parts: unknown[] = []
      for await (const part of exported(t.store, kind, EVERYTHING)) if (part.type === 'item') parts.push(part.item)
      // As a line of the file has it.
      return parts.map((part) => JSON.parse(JSON.stringify(part)) as unknown)
    }
    const imported = (t: Scenario, records: readonly unknown[]) =>
      importRecords(t.store, NO_ENGINE, { records, nowMs: t.clock.now(), ofFormerOwners: false })
    const added = async (t: Scenario, records: readonly unknown[]) => {
      const outcomes = await imported(t, records)
      assert.deepEqual(
        outcomes.filter(({ status }) => status !== 'added'),
        [],
      )
    }

    /** Orders that stand and ended in every way. */
    const allKinds = async (t: Scenario) => {
      const rich = {
        reference: 'o-1',
        orderNumber: 'N-1',
        metadata: { cart: '7' },
        callbackUrl: HOOK,
        description: 'Tea',
      }
      const paid = await tenOrOne(t, { ...rich, returnUrl: 'https://shop.example/back' })
      await pay(t, 'half', '5000000')
      await payEther(t, 'rest', '0.5')
      const voided = await order(t, { reference: 'o-2' })
      unwrap(await end(t, 'void-order', voided.order.id))
      const expired = await order(t, { expiresInSeconds: 60 })
      t.clock.advance(60 * SECOND_MS)
      await t.store.commands.catchUp()
      const on3 = (amount: string) => ({ options: [{ walletIds: ['wallet-3'], currency: 'USDT', amount }] })
      const accepted = await order(t, on3('7'))
      await report(t, 'confirmed', 'most', '6000000', { walletId: 'wallet-3' })
      unwrap(await end(t, 'accept-order', accepted.order.id))
      const partly = await order(t, { ...on3('8'), expiresInSeconds: 3600 })
      await report(t, 'confirmed', 'some', '2000000', { walletId: 'wallet-3' })
      const converted = await order(t, { options: [{ walletIds: ['wallet-3'], currency: 'native' }] })
      return { paid, voided, expired, accepted, partly, converted }
    }

    scenario('is taken by another store, and the order goes on there', async (t) => {
      const made = await allKinds(t)
      await withStore(open, async (other) => {
        await other.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
        other.clock.advance(t.clock.now() - other.clock.now())
        for (const kind of ['invoices', 'deposits', 'orders', 'events'] as const) {
          await added(other, await recordsOf(t, kind))
        }
        assert.deepEqual(await recordsOf(other, 'orders'), await recordsOf(t, 'orders'))
        const again = await imported(other, await recordsOf(t, 'orders'))
        assert.ok(again.every(({ status }) => status === 'known'))
        for (const one of Object.values(made)) {
          assert.deepEqual(await other.store.orders.find(one.order.id), await t.store.orders.find(one.order.id))
        }
        assert.deepEqual(await other.store.orders.findByReference('o-1'), await t.store.orders.findByReference('o-1'))
        await report(other, 'confirmed', 'more', '6000000', { walletId: 'wallet-3' })
        await standsAs(other, made.partly, 'paid', WHOLE, [false])
        await payEther(other, 'rest', '0.5', 'dropped')
        await standsAs(other, made.paid, 'partly', HALF, [false, false])
        other.clock.advance(900 * SECOND_MS)
        await other.store.commands.catchUp()
        await standsAs(other, made.converted, 'expired', NONE, [true])
      })()
    })

    scenario('is refused where its invoices are not what it says', async (t) => {
      const made = await tenOrOne(t, { reference: 'o-1' })
      await pay(t, 'half', '5000000')
      const [record] = (await recordsOf(t, 'orders')) as [Record<string, unknown>]
      const invoices = (await recordsOf(t, 'invoices')) as Record<string, unknown>[]
      const errorOf = async (other: Scenario, change: object) => {
        const [outcome] = await imported(other, [{ ...record, ...change }])
        return outcome?.status === 'refused' ? outcome.error : assert.fail(`it was ${outcome?.status}`)
      }
      assert.equal(await errorOf(t, { name: 'Tea' }), 'another order has its id')
      await withStore(open, async (other) => {
        await other.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
        await other.own('bob', 'wallet-4')
        other.clock.advance(t.clock.now() - other.clock.now())
        assert.equal(await errorOf(other, {}), 'the invoice of its option 1 is not known: import invoices first')
        await added(other, invoices)
        const first = 'the invoice of its option 1'
        assert.equal(await errorOf(other, { owner: 'bob' }), `${first} is of another owner`)
        assert.equal(await errorOf(other, { reference: 'o-2' }), `${first} has another reference`)
        assert.equal(await errorOf(other, { expires_at: made.order.expiresAt + 1 }), `${first} expires at another time`)
        const voided = { voided_at: t.clock.now() }
        assert.equal(await errorOf(other, voided), 'it is void, and one of its invoices is not')
        // Without its deposits it stands as its invoices do.
        await added(other, [record])
        await standsAs(other, made, 'unpaid', NONE, [false, false])
        await added(other, await recordsOf(t, 'deposits'))
        await standsAs(other, made, 'partly', HALF, [false, false])
        const id = `${made.order.id.slice(0, 31)}${made.order.id.endsWith('0') ? '1' : '0'}`
        assert.equal(await errorOf(other, { id }), `${first} is of another order`)
      })()
    })
  })
}
