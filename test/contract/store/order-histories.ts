import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { orderState } from '../../../src/domain/order-share.js'
import type { CreatedOrder } from '../../../src/store/commands.js'
import { addressOf, unwrap } from '../../support/fixtures.js'
import { orderCommand } from '../../support/orders.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'
import { ModelOrder } from './order-model.js'
import { assertReportsAgree } from './reports-agree.js'

const HISTORIES = 120
const STEPS_MIN = 10
const STEPS_MAX = 60
const INTERRUPT_MS = 120_000
const EVENTS_MAX = 10_000
const ORDERS_MAX = 4
const USDT_DECIMALS = 6

type Kind = 'pending' | 'confirmed' | 'dropped'

type Step =
  | { readonly do: 'wait'; readonly ms: number }
  /** Amounts are tenths of a coin, one for each option. */
  | { readonly do: 'order'; readonly amounts: readonly number[]; readonly expiresInSeconds: number }
  | {
      readonly do: 'pay'
      readonly order: number
      readonly option: number
      readonly tenths: number
      readonly kind: Kind
    }
  | { readonly do: 'report'; readonly payment: number; readonly kind: Kind }
  | { readonly do: 'void' | 'accept'; readonly order: number }

const kind = fc.constantFrom<Kind>('pending', 'confirmed', 'confirmed', 'dropped')
const order = fc.nat({ max: ORDERS_MAX - 1 })
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      amounts: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
      expiresInSeconds: fc.constantFrom(60, 60, 3600),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      order,
      option: fc.nat({ max: 2 }),
      tenths: fc.integer({ min: 1, max: 12 }),
      kind,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('report' as const), payment: fc.nat({ max: 30 }), kind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('void' as const, 'accept' as const), order }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
)

/** One history of orders, each on wallets of its own, played on the store and on the model alike. */
class History {
  private readonly orders: { readonly made: CreatedOrder; readonly model: ModelOrder }[] = []
  private readonly payments: { readonly key: string; readonly order: number; readonly step: Payment }[] = []

  constructor(
    private readonly t: Scenario,
    private readonly prefix: string,
  ) {}

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.take(step)
      for (const one of this.orders) await this.compare(one)
    }
  }

  private async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        return this.wait(step.ms)
      case 'order':
        return this.create(step)
      case 'pay': {
        const known = this.orders[step.order]
        if (known === undefined || step.option >= known.made.invoices.length) return
        const key = `${this.prefix}-p${this.payments.length}`
        await this.wait(1)
        const receivedAt = this.t.clock.now()
        const payment = { option: step.option, tenths: step.tenths, receivedAt }
        this.payments.push({ key, order: step.order, step: payment })
        return this.report(key, step.order, payment, step.kind)
      }
      case 'report': {
        const known = this.payments[step.payment]
        return known === undefined ? undefined : this.report(known.key, known.order, known.step, step.kind)
      }
      default: {
        const known = this.orders[step.order]
        if (known === undefined) return
        const expected = known.model[step.do](this.t.clock.now())
        const type = step.do === 'void' ? 'void-order' : 'accept-order'
        const result = await this.t.perform({ type, orderId: known.made.order.id, owner: this.prefix })
        const outcome = result.type === type ? result.outcome : assert.fail()
        assert.equal(outcome.ok ? null : outcome.failure.code, expected)
      }
    }
  }

  private async wait(ms: number): Promise<void> {
    this.t.clock.advance(ms)
    await this.t.store.commands.catchUp()
    for (const { model } of this.orders) model.expire(this.t.clock.now())
  }

  private async create({ amounts, expiresInSeconds }: Extract<Step, { do: 'order' }>): Promise<void> {
    if (this.orders.length === ORDERS_MAX) return
    const no = this.orders.length
    const [one, other] = [this.wallet(no, 'a'), this.wallet(no, 'b')]
    await this.t.own(this.prefix, one, other)
    const places = [
      { walletIds: [one], currency: 'USDT' },
      { walletIds: [one], currency: 'native' },
      { walletIds: [other], currency: 'native' },
    ]
    const options = amounts.map((tenths, i) => ({ ...present(places[i]), amount: (tenths / 10).toFixed(1) }))
    const result = await this.t.perform(orderCommand({ owner: this.prefix, options, expiresInSeconds }))
    const made = unwrap(result.type === 'order' ? result.outcome : assert.fail())
    const decimals = made.order.options.map((option) => option.decimals)
    this.orders.push({ made, model: new ModelOrder(amounts, decimals, made.order.expiresAt) })
  }

  private async report(key: string, no: number, payment: Payment, report: Kind): Promise<void> {
    const { option, tenths, receivedAt } = payment
    const isToken = option === 0
    this.orders[no]?.model.report(key, option, tenths, report, this.t.clock.now())
    await this.t.deposit(report, {
      txHash: key,
      toAddress: addressOf(this.wallet(no, option === 2 ? 'b' : 'a')),
      currency: isToken ? 'Tether' : '#native',
      amount: isToken ? String(tenths * 10 ** (USDT_DECIMALS - 1)) : (tenths / 10).toFixed(1),
      receivedAt,
    })
  }

  private wallet(no: number, name: string): string {
    return `${this.prefix}-${no}${name}`
  }

  private async compare({ made, model }: { readonly made: CreatedOrder; readonly model: ModelOrder }): Promise<void> {
    const { id } = made.order
    const found = present(await this.t.store.orders.findWithOptions(id))
    const { status, voidedAt } = orderState(found.order, found.invoices, found.readAt)
    const told = {
      status,
      isVoid: voidedAt !== null,
      isAccepted: found.order.acceptedAt !== null,
      voided: found.invoices.map((invoice) => invoice.voidedAt !== null),
    }
    assert.deepEqual(told, model.answer())
    const log = unwrap(await this.t.store.events.page(this.prefix, { after: null, limit: EVENTS_MAX })).items
    const events = log.filter(({ orderId, type }) => orderId === id && type.startsWith('order.'))
    assert.deepEqual(
      events.map(({ type }) => type),
      model.events,
    )
  }
}

interface Payment {
  readonly option: number
  readonly tenths: number
  readonly receivedAt: number
}

/** Random histories of orders, mixed payments and reorganisations come out as in the model. */
export function describeOrderHistories(open: OpenStore, share = 1): void {
  describe('a random history of orders comes out as in the model', () => {
    test(
      'whatever comes and goes',
      withStore(open, async (t) => {
        let played = 0
        const steps = fc.array(STEP, { minLength: STEPS_MIN, maxLength: STEPS_MAX, size: 'max' })
        await fc.assert(
          fc.asyncProperty(steps, async (one) => {
            played += 1
            await new History(t, `h${played}`).play(one)
          }),
          { numRuns: Math.ceil(HISTORIES * share), interruptAfterTimeLimit: INTERRUPT_MS },
        )
        await assertReportsAgree(t)
      }),
    )
  })
}
