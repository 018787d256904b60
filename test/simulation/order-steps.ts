import type { ScriptNetworks } from './networks.js'
import { symbolOf } from './networks.js'
import type { Random } from './random.js'
import type { CoreStep, EventStep, OrderStep, RatesStep, Towards } from './steps.js'

/** How often each comes between two steps. A script varies all of them. */
const FREQUENCY = {
  order: 0.016,
  rates: 0.02,
  pay: 0.05,
  'pay-by-block': 0.02,
  again: 0.05,
  end: 0.006,
  'catch-up': 0.01,
  history: 0.006,
  rush: 0.003,
}
/** Orders of a rush: more than may ask amounts within half a percent of 10 coins. */
const RUSH = 8
/** Transactions of orders have names of their own. */
const TRANSACTIONS = 200_000
const SALTS = 2 ** 30
const RECENT = 4
const OPTIONS_MAX = 10
const MINUTE_MS = 60_000
const SECOND_MS = 1000
/** A year: most orders are not to expire at once, since what one commit decides is bounded. */
const LONG_SECONDS = 31_536_000
const AMOUNTS = ['10.00', '10', '25', '0.01', '3.33', '1000000', '0.000000000000000001'] as const
const FIXED_AMOUNTS = ['1', '2', '2.00', '0.5', '12.345678', '12.3456789012'] as const
const PARTS: Readonly<Record<Towards['part'], number>> = {
  amount: 3,
  remaining: 4,
  half: 3,
  third: 2,
  more: 1,
  dust: 1,
}

/** How many owners and wallets a script is about. */
export interface People {
  readonly owners: number
  readonly wallets: number
}

/**
 * Has some scripts create orders, and pay, drop, void and accept them. Its choices are of a stream of their own: but for these, a seed makes
 * the same script as before there were any.
 */
export function withOrders(
  steps: readonly CoreStep[],
  networks: ScriptNetworks,
  people: People,
  random: Random,
): { readonly spread: number; readonly steps: readonly CoreStep[] } {
  const often = random.pick([0, 0.5, 1, 1, 3])
  const writer = new OrderWriter(random, networks, people)
  const spread = random.pick([0, 0, 150])
  if (often === 0) return { spread, steps }
  const written = steps.flatMap((step): readonly CoreStep[] => {
    const added = Object.entries(FREQUENCY).filter(([, probability]) => random.chance(probability * often))
    // The entries of a record have its names.
    return [...added.flatMap(([name]) => writer.write(name as keyof typeof FREQUENCY)), step]
  })
  return { spread, steps: written }
}

class OrderWriter {
  private made = 0
  private level: RatesStep['level'] = 0

  constructor(
    private readonly random: Random,
    private readonly networks: ScriptNetworks,
    private readonly people: People,
  ) {}

  write(what: keyof typeof FREQUENCY): readonly CoreStep[] {
    const { random } = this
    switch (what) {
      case 'order':
        return [...(random.chance(0.5) ? [this.rates('usual')] : []), this.order()]
      case 'rates':
        return [this.rates(random.weighted({ usual: 8, 'left-out': 2, again: 1, future: 0.5, bad: 1 }))]
      case 'pay':
        return [this.push(this.payment(random.below(RECENT)))]
      case 'pay-by-block':
        return [this.block()]
      case 'again':
        return [this.push(this.again(random.below(RECENT)))]
      case 'end':
        return [this.end()]
      case 'catch-up':
        return [{ do: what }]
      case 'history':
        return this.history()
      case 'rush':
        return this.rush()
    }
  }

  private order(fields: Partial<OrderStep> = {}): OrderStep {
    const { random, people } = this
    const count = random.weighted({ few: 8, wide: 1 }) === 'few' ? random.between(1, 3) : random.between(4, OPTIONS_MAX)
    // So that few invoices are due at once.
    const mayExpire = count <= 3
    return {
      do: 'order',
      owner: random.below(people.owners),
      price: { amount: random.pick(AMOUNTS), currency: this.priceCurrency() },
      options: Array.from({ length: count }, () => ({
        wallets: Array.from({ length: random.chance(0.8) ? 1 : 2 }, () => random.below(SALTS)),
        currency: random.weighted({ native: 4, USDT: 4, USDC: 2, EUR: 0.05 }),
        fixed: random.chance(0.25) ? random.pick(FIXED_AMOUNTS) : null,
      })),
      isFlawed: random.chance(0.04),
      reference: random.chance(0.6) ? random.below(60) : null,
      callback: random.weighted({ none: 2, own: 3, other: 1, invalid: 0.1 }),
      idempotencyKey: random.chance(0.2) ? random.below(12) : null,
      expiresInSeconds: mayExpire ? random.pick([60, 60, 90, 3600, null, LONG_SECONDS]) : LONG_SECONDS,
      ...fields,
    }
  }

  private priceCurrency(): string {
    const [first] = this.networks
    const what = this.random.weighted({ EUR: 8, USD: 1, USDT: 2, coin: 1, JPY: 0.3, euro: 0.1 })
    return what === 'coin' ? (symbolOf(first, 'native') ?? 'EUR') : what
  }

  private rates(kind: RatesStep['kind']): RatesStep {
    const { random } = this
    if (random.chance(0.2)) this.level = this.level === 0 ? 1 : 0
    const ageMs = random.pick([0, 0, 1, 500, 40_000])
    return { do: 'rates', kind, ageMs, level: this.level, salt: random.below(SALTS) }
  }

  private payment(
    pick: number,
    fields: { readonly part?: Towards['part']; readonly report?: 'confirmed' } = {},
  ): EventStep {
    const { random } = this
    this.made += 1
    const { part = random.weighted(PARTS), report = random.weighted({ pending: 2, confirmed: 5 }) } = fields
    return {
      ...{ type: 'deposit', event: null, report, tx: TRANSACTIONS + this.made, index: 0 },
      ...{ wallet: random.below(this.people.wallets), spelling: 0, label: '#native', amount: { coins: 1, form: 0 } },
      offsetMs: random.chance(0.9) ? random.between(1, 3) : random.between(-50, 200),
      towards: { pick, option: random.below(OPTIONS_MAX), part },
    }
  }

  private again(pick: number): EventStep {
    return { type: 'again', report: this.random.weighted({ confirmed: 3, dropped: 4, pending: 1 }), pick }
  }

  private push(...events: readonly EventStep[]): CoreStep {
    return { do: 'events', events }
  }

  private block(): CoreStep {
    const { random } = this
    const transfers = Array.from({ length: random.between(1, 2) }, () => {
      this.made += 1
      const place = { wallet: random.below(this.people.wallets), spelling: 0, label: '#native' }
      return {
        ...{ tx: TRANSACTIONS + this.made, index: 0, ...place, amount: { coins: 1, form: 0 } },
        towards: { pick: random.below(RECENT), option: random.below(OPTIONS_MAX), part: random.weighted(PARTS) },
      }
    })
    return {
      ...{ do: 'chain', network: random.pick(this.networks) },
      move: { move: 'append', isConfirmed: random.chance(0.5), flaw: null, blocks: [{ transfers, offsetMs: 2 }] },
    }
  }

  private end(): CoreStep {
    const { random } = this
    const how = random.pick(['void-order', 'accept-order'] as const)
    return { do: how, pick: random.below(RECENT), isOwn: random.chance(0.95) }
  }

  /** Equal prices at once on one wallet. */
  private rush(): readonly CoreStep[] {
    const option = { wallets: [this.random.below(SALTS)], currency: 'USDT', fixed: null }
    const fields = {
      price: { amount: '10', currency: 'EUR' },
      options: [option],
      isFlawed: false,
      callback: 'own',
    } as const
    const one = this.order({ ...fields, reference: null, idempotencyKey: null, expiresInSeconds: LONG_SECONDS })
    return [
      this.rates('usual'),
      { do: 'settle', salt: this.random.below(SALTS) },
      ...Array.from({ length: RUSH }, () => one),
    ]
  }

  /**
   * The life of one order as payers and reorganisations make it: it is paid in one coin or several, time passes, what completed it is taken
   * back, and comes again.
   */
  private history(): readonly CoreStep[] {
    const { random } = this
    const settle = (): CoreStep => ({ do: 'settle', salt: random.below(SALTS) })
    const wait = (ms: number): CoreStep => ({ do: 'wait', ms })
    const mayBe = (probability: number, ...some: readonly CoreStep[]) => (random.chance(probability) ? some : [])
    const price = { amount: random.pick(['10', '25', '3.33'] as const), currency: 'EUR' }
    const order = this.order({ price, isFlawed: false, expiresInSeconds: random.pick([60, 60, 3600]), callback: 'own' })
    const parts = random.pick<readonly Towards['part'][]>([
      ['remaining'],
      ['half', 'remaining'],
      ['third', 'half', 'remaining'],
      ['more'],
      ['half'],
    ])
    const payments = parts.map((part) => this.push(this.payment(0, { part, report: 'confirmed' })))
    const rival = mayBe(0.3, this.order({ ...order, reference: null, idempotencyKey: null }), settle())
    return [
      this.rates('usual'),
      settle(),
      order,
      settle(),
      wait(5),
      ...payments.flatMap((payment) => [payment, settle(), ...mayBe(0.2, wait(MINUTE_MS + SECOND_MS))]),
      ...mayBe(0.4, wait(MINUTE_MS + SECOND_MS)),
      ...mayBe(0.5, { do: 'catch-up' }),
      ...rival,
      ...mayBe(0.8, this.push({ type: 'again', report: 'dropped', pick: 0 }), settle()),
      ...mayBe(0.3, { do: 'catch-up' }),
      ...mayBe(0.3, this.push(this.payment(0)), settle()),
      ...mayBe(0.5, this.push({ type: 'again', report: 'confirmed', pick: 0 })),
    ]
  }
}
