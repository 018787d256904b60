import { PERMISSIONS, type Permission } from '../../src/domain/api-key.js'
import type { Network } from '../../src/domain/network.js'
import type { WebhookPayload } from '../../src/domain/webhook.js'
import { withCrowds } from './crowds.js'
import { CURRENCIES, type Habits, makeHabits, makeProfile, type ScriptCurrency } from './habits.js'
import { networksOfSeed, type ScriptNetworks } from './networks.js'
import { type People, withOrders } from './order-steps.js'
import { Random } from './random.js'
import type {
  AmountStep,
  ChainMove,
  CoreStep,
  DepositAmountStep,
  Ending,
  EventStep,
  InvoiceStep,
  Script,
  TransferStep,
} from './steps.js'

const CURRENCY_STREAM = 6
const EVENTS_STREAM = 7
const UNDERPAYMENT_STREAM = 8
const CROWDS_STREAM = 9
const ORDERS_STREAM = 10
/** How often the setting of a URL is the choice of events, and how often events are queued behind a step. A script varies both. */
const EVENTS_CHOSEN = 0.3
const EVENTS_QUEUED = 0.03
const PUMPED_OWNERS = 5
/** How often time passes in which most invoices expire, where payers pay too little. */
const EXPIRIES_PASSED = 0.01
const LONGEST_SHORT_EXPIRY_MS = 90_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SALTS = 2 ** 30
/** Behind the numbers of the few transactions that are dropped and included again all the time. */
const NEW_TRANSACTIONS = 1000
const ENDINGS: Readonly<Record<Ending, number>> = {
  ok: 12,
  error: 3,
  gone: 1,
  retry_after: 1,
  redirect: 1,
  timeout: 3,
  dns: 1,
  connection: 2,
  refused: 1,
}

type WrittenStep = Exclude<
  CoreStep,
  { do: 'pump' | 'retry' | 'order' | 'void-order' | 'accept-order' | 'rates' | 'catch-up' }
>

/** How often each kind of step comes. A script varies each by up to a factor of three, either way. */
const WEIGHTS: Readonly<Record<WrittenStep['do'], number>> = {
  invoice: 12,
  void: 1.5,
  accept: 1,
  events: 13,
  chain: 12,
  register: 1,
  revoke: 0.6,
  authorise: 1,
  claim: 0.8,
  identity: 0.3,
  webhook: 0.8,
  rotate: 0.3,
  redeliver: 0.5,
  look: 3,
  perform: 16,
  fail: 0.4,
  deliver: 18,
  answer: 8,
  wait: 9,
  crash: 0.12,
  restart: 0.06,
  settle: 0.3,
}

const CURRENCY_WEIGHTS = {
  native: { native: 3, USDT: 0, USDC: 0 },
  USDT: { native: 0, USDT: 3, USDC: 0 },
  all: { native: 3, USDT: 2, USDC: 1 },
} as const

/** The script of a seed. The same seed and number of steps make the same script. */
export function makeScript(seed: number, stepCount: number): Script {
  const random = new Random(seed)
  const networks = networksOfSeed(seed)
  const writer = new Writer(random, networks, new Random(seed, CURRENCY_STREAM).pick(CURRENCIES))
  const profile = makeProfile(random)
  const opening = writer.opening()
  const steps = Array.from({ length: Math.max(0, stepCount - opening.length) }, (_, i) => writer.step(i))
  const withSent = withEvents([...opening, ...steps], new Random(seed, EVENTS_STREAM))
  const payers = new Random(seed, UNDERPAYMENT_STREAM)
  const underpayment = payers.pick([0, 400, 1000, 5000])
  const paid = underpayment === 0 ? withSent : withShortPayments(withSent, underpayment, payers)
  const { isSettlingSlow, steps: crowded } = withCrowds(paid, networks, new Random(seed, CROWDS_STREAM))
  const { spread, steps: written } = withOrders(crowded, networks, writer.people, new Random(seed, ORDERS_STREAM))
  const terms = { networks, profile: { ...profile, underpayment }, isSettlingSlow, spread }
  return { seed, ...terms, steps: written.slice(0, stepCount) }
}

/**
 * Has owners choose the payload `events`, and events be queued. Its choices are of a stream of their own: but for these, a seed makes
 * the same script as before there were any.
 */
function withEvents(steps: readonly CoreStep[], random: Random): readonly CoreStep[] {
  const often = random.pick([0, 1, 1, 2])
  return steps.flatMap((step): CoreStep[] => {
    const isChosen = step.do === 'webhook' && step.receiver !== null && random.chance(EVENTS_CHOSEN * often)
    const present: CoreStep = isChosen ? { ...step, payload: 'events' } : step
    if (!random.chance(EVENTS_QUEUED * often)) return [present]
    return [present, { do: 'pump', owner: random.below(PUMPED_OWNERS), limit: random.pick([1, 3, 64]) }]
  })
}

/** Has payers pay about as much too little as is accepted, and some payments be confirmed behind an expiry. */
function withShortPayments(steps: readonly CoreStep[], underpayment: number, random: Random): readonly CoreStep[] {
  const often = random.pick([0.1, 0.3, 0.6])
  const short = <T extends { readonly amount: DepositAmountStep }>(payment: T): T => {
    if (!random.chance(often)) return payment
    const less = random.pick([underpayment, Math.ceil(underpayment / 2), underpayment - 1, underpayment + 1])
    return { ...payment, amount: { less } }
  }
  return steps.flatMap((step): CoreStep[] => {
    const waits: CoreStep[] = random.chance(EXPIRIES_PASSED) ? [{ do: 'wait', ms: LONGEST_SHORT_EXPIRY_MS }] : []
    if (step.do === 'events') {
      return [...waits, { ...step, events: step.events.map((one) => (one.type === 'deposit' ? short(one) : one)) }]
    }
    if (step.do === 'chain' && step.move.move === 'append') {
      const blocks = step.move.blocks.map((block) => ({ ...block, transfers: block.transfers.map(short) }))
      return [...waits, { ...step, move: { ...step.move, blocks } }]
    }
    return [...waits, step]
  })
}

/** Writes the steps of one script, with the habits that its seed gave it. */
class Writer {
  private readonly habits: Habits
  private readonly weights: Readonly<Record<WrittenStep['do'], number>>
  private position = 0

  constructor(
    private readonly random: Random,
    private readonly networks: ScriptNetworks,
    currency: ScriptCurrency,
  ) {
    this.habits = makeHabits(random, currency)
    const vary = (weight: number) => weight * 3 ** (random.fraction() * 2 - 1)
    // The entries of a record of weights make a record of weights again.
    this.weights = Object.fromEntries(Object.entries(WEIGHTS).map(([name, weight]) => [name, vary(weight)])) as Record<
      WrittenStep['do'],
      number
    >
  }

  get people(): People {
    return this.habits
  }

  /** Most wallets exist and have owners before the rest begins. */
  opening(): WrittenStep[] {
    const { random } = this
    const steps: WrittenStep[] = []
    for (let wallet = 0; wallet < this.habits.wallets; wallet += 1) {
      if (random.chance(0.2)) continue
      const created: EventStep = { type: 'created', event: null, wallet, place: wallet }
      const assigned: EventStep = { type: 'assigned', event: null, wallet, owner: this.owner(), place: null }
      steps.push({ do: 'events', events: random.chance(0.9) ? [created, assigned] : [assigned] })
    }
    for (let owner = 0; owner < this.habits.owners; owner += 1) {
      if (random.chance(0.7)) steps.push({ do: 'webhook', owner, receiver: owner })
    }
    return [...steps, { do: 'settle', salt: this.salt() }]
  }

  step(position: number): WrittenStep {
    const { random } = this
    this.position = position
    const what = random.weighted(this.weights)
    switch (what) {
      case 'invoice':
        return this.invoice()
      case 'void':
      case 'accept':
        return { do: what, pick: this.salt(), isOwn: random.chance(0.9) }
      case 'events':
        return {
          do: what,
          events: Array.from({ length: random.chance(0.7) ? 1 : random.between(2, 5) }, () => this.event()),
        }
      case 'chain':
        return { do: what, ...this.chain() }
      case 'register':
        return {
          do: what,
          key: this.recent(6, 30),
          owner: this.owner(),
          permissions: this.permissions(),
          ttlDays: random.pick([null, null, 1, 0.000_001, 0.5, 30, 1e300]),
        }
      case 'revoke':
        return { do: what, pick: this.salt(), owner: random.chance(0.8) ? null : this.owner() }
      case 'authorise':
        return { do: what, pick: this.salt(), permission: random.pick(PERMISSIONS) }
      case 'claim':
        return { do: what, network: random.pick(this.networks), leaseMs: random.pick([1, 50, 600_000]) }
      case 'identity':
        return { do: what, owner: random.below(this.habits.owners + 3) }
      case 'webhook':
        return {
          do: what,
          owner: this.owner(),
          receiver: random.chance(0.25) ? null : random.below(4),
          ...this.payload(),
        }
      case 'rotate':
        return { do: what, owner: this.owner(), overlapMs: random.pick([0, 1, 500, 60_000, 604_800_000]) }
      case 'redeliver':
        return { do: what, pick: this.salt(), isOwn: random.chance(0.9) }
      case 'look':
        return { do: what, salt: this.salt() }
      case 'perform':
      case 'fail':
      case 'deliver':
        return { do: what, limit: random.between(1, this.habits.groupMax), salt: this.salt() }
      case 'answer':
        return { do: what, pick: this.salt(), ending: random.weighted(ENDINGS) }
      case 'wait':
        return { do: what, ms: this.pause() }
      case 'crash':
        return { do: what }
      case 'restart':
      case 'settle':
        return { do: what, salt: this.salt() }
    }
  }

  private invoice(): InvoiceStep {
    const { random, habits } = this
    const isPoison = random.chance(0.04)
    const currency = random.weighted({ ...CURRENCY_WEIGHTS[habits.currency ?? 'all'], EUR: 0.02 })
    return {
      do: 'invoice',
      owner: this.owner(),
      wallets: this.someWallets(),
      amount: this.amount(0.02, habits.coinsMax),
      currency,
      reference: random.chance(habits.isNotifying ? 0.05 : 0.2) ? null : this.recent(40, 2),
      callback: random.weighted({ none: habits.isNotifying ? 1 : 4, own: 4, other: 2, invalid: 0.1 }),
      isPoison,
      idempotencyKey: random.chance(isPoison ? 0.7 : 0.15) ? this.recent(10, 20) : null,
      expiresInSeconds: random.chance(habits.expiring) ? random.pick([60, 61, 90, 3600]) : null,
    }
  }

  private event(): EventStep {
    const { random, habits } = this
    const event = random.chance(0.5)
      ? null
      : random.chance(0.9)
        ? this.position * 8 + random.below(8)
        : this.recent(50, 1)
    const type = random.weighted({ deposit: 30, onboarded: 0.3, created: 1, assigned: 1, replay: 2 })
    switch (type) {
      case 'deposit': {
        const isOld = random.chance(habits.wavering)
        const isOnlySeen = habits.wavering > 0 && !isOld && random.chance(0.9)
        return {
          type,
          event,
          report: isOnlySeen ? 'pending' : random.weighted({ pending: 3, confirmed: 5, dropped: habits.dropped }),
          tx: isOld ? random.below(habits.txWindow) : NEW_TRANSACTIONS + this.recent(habits.txWindow, habits.txPace),
          index: random.chance(0.9) ? 0 : 1,
          wallet: random.chance(this.habits.crowding) ? 0 : random.below(this.habits.wallets + 1),
          spelling: random.chance(0.8) ? 0 : random.below(3),
          label: this.label(),
          amount: this.amount(habits.missing, habits.depositCoinsMax),
          offsetMs: this.offset(),
        }
      }
      case 'onboarded':
        return { type, event, owner: random.below(this.habits.owners + 2) }
      case 'created': {
        const wallet = random.below(this.habits.wallets + 2)
        return { type, event, wallet, place: random.chance(0.9) ? wallet : random.below(this.habits.wallets + 2) }
      }
      case 'assigned': {
        const wallet = random.below(this.habits.wallets + 2)
        const place = random.chance(0.7) ? null : random.chance(0.8) ? wallet : random.below(this.habits.wallets + 2)
        return { type, event, wallet, owner: this.owner(), place }
      }
      case 'replay':
        return { type, pick: this.salt() }
    }
  }

  private chain(): { readonly network: Network; readonly move: ChainMove } {
    const { random, habits } = this
    // Wallets of the first network are the even ones.
    const network = random.chance(habits.crowding) ? this.networks[0] : random.pick(this.networks)
    const transfers = (max: number) => Array.from({ length: random.below(max + 1) }, () => this.transfer(network))
    switch (random.weighted({ append: 10, confirm: 6, undo: habits.dropped, forget: 0.05 })) {
      case 'append': {
        const count = random.pick([0, 1, 1, 1, 1, 1, 1, 2, 5])
        const blocks = Array.from({ length: count }, () => ({ transfers: transfers(3), offsetMs: this.offset() }))
        const flaw = random.chance(0.95) ? null : random.pick(['gap', 'parent'] as const)
        return { network, move: { move: 'append', blocks, isConfirmed: random.chance(0.2), flaw } }
      }
      case 'confirm': {
        const changes = random.chance(0.7) ? 0 : 0.2
        const more = changes === 0 ? [] : transfers(2)
        const isAnother = random.chance(0.05)
        return {
          network,
          move: { move: 'confirm', count: random.between(1, 5), changes, more, isAnother, salt: this.salt() },
        }
      }
      case 'undo':
        return { network, move: { move: 'undo', depth: random.chance(0.8) ? random.below(4) : random.below(20) } }
      case 'forget':
        return { network, move: { move: 'forget' } }
    }
  }

  /** Of the transactions that are reported too, and of wallets that are not known too. */
  private transfer(network: Network): TransferStep {
    const { random, habits } = this
    const any = random.chance(habits.crowding) ? 0 : random.below(habits.wallets + 1)
    return {
      tx: random.chance(0.3)
        ? random.below(habits.txWindow)
        : NEW_TRANSACTIONS + this.recent(habits.txWindow, habits.txPace),
      index: random.chance(0.9) ? 0 : 1,
      wallet: any - (any % 2) + this.networks.indexOf(network),
      spelling: random.chance(0.8) ? 0 : random.below(3),
      label: this.label(),
      amount: this.amount(habits.missing, habits.depositCoinsMax),
    }
  }

  private label(): string | null {
    const { random, habits } = this
    if (habits.currency !== null && random.chance(0.97)) return habits.currency === 'USDT' ? 'Tether' : '#native'
    const labels = ['#native', '#native', null, '', 'Tether', 'Tether', 'Tether', 'USDC', 'USDC'] as const
    return random.chance(0.05) ? 'DAI' : random.pick(labels)
  }

  private amount(missing: number, coinsMax: number): AmountStep {
    const { random } = this
    if (random.chance(missing)) return { missingOf: this.salt() }
    return { coins: random.between(1, coinsMax), form: random.chance(0.95) ? random.below(4) : random.between(4, 9) }
  }

  private someWallets(): number[] {
    const { random } = this
    if (random.chance(this.habits.crowding)) return [0]
    const count = random.weighted({ one: 6, two: 3, more: 1 })
    const all = random.shuffled(
      Array.from({ length: this.habits.wallets + (random.chance(0.05) ? 2 : 0) }, (_, wallet) => wallet),
    )
    return all.slice(0, count === 'one' ? 1 : count === 'two' ? 2 : random.between(3, 5))
  }

  private offset(): number {
    const { random } = this
    if (!random.chance(this.habits.scatter)) return random.between(-6, 4)
    const distance = random.weighted({ late: 4, early: 2, ancient: 1 })
    switch (distance) {
      case 'late':
        return -random.below(400)
      case 'early':
        return random.below(400)
      case 'ancient':
        return -random.below(2 * HOUR_MS)
    }
  }

  private pause(): number {
    const { random } = this
    if (random.chance(this.habits.jumpiness)) return -random.between(1, random.pick([6, 60]))
    if (!random.chance(this.habits.slowness)) return random.between(0, 4)
    const length = random.weighted({ moment: 14, long: 1, hour: 0.5, day: 0.2 })
    switch (length) {
      case 'moment':
        return random.between(4, 100)
      case 'long':
        return random.between(1000, 60_000)
      case 'hour':
        return random.between(600_000, 2 * HOUR_MS)
      case 'day':
        return random.between(DAY_MS - 10, DAY_MS + 10)
    }
  }

  private permissions(): Permission[] {
    const some = this.random.shuffled(PERMISSIONS)
    return this.random.chance(0.7) ? [...PERMISSIONS] : some.slice(0, this.random.between(1, 2))
  }

  private payload(): { readonly payload?: WebhookPayload } {
    return this.random.chance(0.5) ? {} : { payload: this.random.pick(['specified', 'with-invoice'] as const) }
  }

  private owner(): number {
    return this.random.chance(0.95) ? this.random.below(this.habits.owners) : this.habits.owners
  }

  /** One of the last `window` names; a new one comes every `pace` steps. */
  private recent(window: number, pace: number): number {
    return Math.floor(this.position / pace) + this.random.below(window)
  }

  private salt(): number {
    return this.random.below(SALTS)
  }
}
