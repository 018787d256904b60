import { fractionText, unitOf } from './prices-amounts.js'
import { labelOf } from './prices-coins.js'
import type { PricesFeed } from './prices-feed.js'
import type { ModelDeposit, ModelOption, ModelOrder } from './prices-records.js'
import { OWNER } from './prices-records.js'
import type { PricesWorld } from './prices-world.js'
import { atomsOf, decimalOf } from './shop-amounts.js'

const PAGE = 100
const STATUSES = ['unpaid', 'partly', 'paid', 'expired', 'void'] as const

interface ShownOption {
  readonly invoice: { readonly id: string; readonly amount: string }
  readonly payment: Readonly<Record<'status' | 'received' | 'pending' | 'own', string>>
  readonly rate: string | null
  readonly remaining: string
  readonly voided_at: number | null
}

interface ShownOrder {
  readonly id: string
  readonly status: string
  readonly paid_fraction: string
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly options: readonly ShownOption[]
}

interface ExportedDeposit {
  readonly network: string
  readonly txHash: string
  readonly toAddress: string
  readonly currency: string | null
  readonly amount: string
  readonly kind: string
}

/** What the API and the commands say, compared with what must be, and what the shop adds up from what it was told. */
export class PricesBooks {
  compared = 0

  constructor(
    private readonly world: PricesWorld,
    private readonly feed: PricesFeed,
  ) {}

  /** What is in force, as `GET /api/rates` has it. */
  async rates(): Promise<void> {
    const { json } = await this.world.client.get('/api/rates')
    const shown = Object.entries(json.rates as Record<string, Record<string, string>>)
      .flatMap(([currency, coins]) => Object.entries(coins).map(([coin, rate]) => `${currency} ${coin} ${rate}`))
      .sort()
    const wanted = [...this.world.models.rates.all(this.world.now())].map(([pair, rate]) => `${pair} ${rate}`).sort()
    if (shown.join() !== wanted.join()) this.world.violate(`in force is ${shown}, and must be ${wanted}`)
  }

  async order(order: ModelOrder): Promise<void> {
    const fromMs = this.world.now()
    const { json } = await this.world.client.get(`/api/orders/${order.id}`)
    this.learnTimes(order, json, fromMs)
    this.same(order, json)
  }

  /** The lists of all, and of each status. */
  async lists(): Promise<void> {
    const { orders } = this.world.models.orders
    const all = await this.list('')
    const newest = [...orders].reverse()
    if (all.map(({ id }) => id).join() !== newest.map(({ id }) => id).join()) {
      this.world.violate(`${all.length} orders are listed, and there are ${orders.length}, or not in their order`)
    }
    for (const [n, order] of newest.entries()) {
      const shown = all[n]
      if (shown?.id === order.id) this.same(order, shown)
    }
    for (const status of STATUSES) {
      const listed = (await this.list(`&status=${status}`)).map(({ id }) => id)
      const wanted = newest.filter((one) => this.world.models.orders.status(one) === status).map(({ id }) => id)
      if (listed.join() !== wanted.join()) this.world.violate(`the orders that are ${status}: ${listed}, not ${wanted}`)
    }
  }

  /** Every unit that came was told to one order, or to none, and all sums agree. */
  async close(): Promise<{ readonly matched: number; readonly unmatched: number }> {
    const { payments, orders } = this.world.models.orders
    await this.recorded()
    const told = this.told()
    const own = new Map<string, bigint>()
    const free: ModelDeposit[] = []
    let came = 0n
    for (const deposit of payments.deposits.filter(({ kind }) => kind === 'confirmed')) {
      came += deposit.amount
      if (!told.has(deposit.txHash)) this.world.violate(`nobody was told of ${deposit.txHash}`)
      const invoiceId = told.get(deposit.txHash) ?? null
      if (invoiceId === null) free.push(deposit)
      else own.set(invoiceId, (own.get(invoiceId) ?? 0n) + deposit.amount)
    }
    let counted = 0n
    for (const order of orders) {
      const { json } = await this.world.client.get(`/api/orders/${order.id}`)
      for (const [n, option] of order.options.entries()) {
        const shown = (json as ShownOrder).options[n]
        const nobodys = free.filter((one) => payments.counting(option).includes(one))
        const loose = nobodys.reduce((sum, { amount }) => sum + amount, 0n)
        const found = atomsOf(shown?.payment.own ?? '0')
        if (found !== loose + (own.get(option.id) ?? 0n)) {
          this.world.violate(
            `${option.id} of ${order.id} has ${decimalOf(found)} of its own, and was told of less or more`,
          )
        }
        counted += found - loose
      }
    }
    const none = free.reduce((sum, { amount }) => sum + amount, 0n)
    if (counted + none !== came) {
      this.world.violate(
        `${decimalOf(came)} came, ${decimalOf(counted)} is told to orders and ${decimalOf(none)} to none`,
      )
    }
    return { matched: payments.deposits.length - free.length, unmatched: free.length }
  }

  /** `billhook check` finds nothing. */
  async check(): Promise<void> {
    const { code, stdout, stderr } = await this.world.service.command('check')
    if (code !== 0) this.world.violate(`billhook check: ${stdout}${stderr}`)
  }

  /** Of each deposit that is confirmed now: the invoice that it was told with last, which was the same each time. */
  private told(): ReadonlyMap<string, string | null> {
    const told = new Map<string, string | null>()
    for (const { type, deposit, invoiceId, orderId } of this.feed.events) {
      if (!type.startsWith('deposit.') || deposit === null) continue
      const before = told.get(deposit.txHash)
      if (before !== undefined && before !== null && before !== invoiceId) {
        this.world.violate(`${deposit.txHash} was told with ${before}, and then with ${invoiceId}`)
      }
      if ((invoiceId === null) !== (orderId === undefined)) this.world.violate(`${deposit.txHash} names half an order`)
      told.set(deposit.txHash, invoiceId)
    }
    return told
  }

  /** The records of deposits are what networks said last. */
  private async recorded(): Promise<void> {
    const { stdout } = await this.world.service.command('export', 'deposits')
    const lines = stdout.split('\n').filter((line) => line !== '')
    const found = lines.map((line) => nameOf(JSON.parse(line) as ExportedDeposit)).sort()
    const wanted = this.world.models.orders.payments.deposits
      .map(({ txHash, wallet, coin, amount, kind }) => {
        const { id: network, decimals } = wallet.network
        const sent = coin === 'native' ? decimalOf(amount) : String(amount / unitOf(decimals[coin] ?? 0))
        return nameOf({ network, txHash, toAddress: wallet.address, currency: labelOf(coin), amount: sent, kind })
      })
      .sort()
    if (found.join('\n') === wanted.join('\n')) return
    const missing = wanted.filter((name) => !found.includes(name))
    this.world.violate(`${found.length} deposits are recorded, and there are ${wanted.length}; missing: ${missing}`)
  }

  private async list(more: string): Promise<readonly ShownOrder[]> {
    const listed: ShownOrder[] = []
    for (let path: string | null = `/api/users/${OWNER}/orders?limit=${PAGE}${more}`; path !== null; ) {
      const { json, headers } = await this.world.client.get(path)
      listed.push(...(json as readonly ShownOrder[]))
      path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
    }
    return listed
  }

  /** Ends that the service decides in the middle of a request have its time, not that of the model. */
  private learnTimes(order: ModelOrder, shown: ShownOrder, nowMs: number): void {
    const learnt = (known: number | null, said: number | null | undefined) =>
      known !== null && known !== order.expiresAt && typeof said === 'number' && known <= said && said <= nowMs
        ? said
        : known
    order.voidedAt = learnt(order.voidedAt, shown.voided_at)
    order.acceptedAt = learnt(order.acceptedAt, shown.accepted_at)
    for (const [n, option] of order.options.entries()) {
      option.voidedAt = learnt(option.voidedAt, shown.options[n]?.voided_at)
    }
  }

  private same(order: ModelOrder, shown: ShownOrder): void {
    this.compared += 1
    const { orders } = this.world.models
    const { status, paid_fraction, voided_at, accepted_at, options } = shown
    const found = { status, paid_fraction, voided_at, accepted_at, options: options.map(foundOf) }
    const wanted = {
      status: orders.status(order),
      paid_fraction: fractionText(orders.share(order)),
      voided_at: order.voidedAt,
      accepted_at: order.acceptedAt,
      options: order.options.map((option) => this.wantedOf(option)),
    }
    const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)]
    if (one !== other) this.world.violate(`the API says of ${order.reference} (${order.id}) ${one}, and it is ${other}`)
  }

  private wantedOf(option: ModelOption): unknown {
    const { orders } = this.world.models
    const { received, pending, own } = orders.payments.of(option)
    const payment = {
      status: received >= option.amount ? 'paid' : 'unpaid',
      received: decimalOf(received),
      pending: decimalOf(pending),
      own: decimalOf(own),
    }
    const remaining = decimalOf(orders.remaining(option))
    return {
      id: option.id,
      amount: decimalOf(option.amount),
      ...payment,
      rate: option.rate,
      remaining,
      voided_at: option.voidedAt,
    }
  }
}

function foundOf({ invoice, payment, rate, remaining, voided_at }: ShownOption): unknown {
  const { status, received, pending, own } = payment
  const amount = decimalOf(atomsOf(invoice.amount))
  return { id: invoice.id, amount, status, received, pending, own, rate, remaining, voided_at }
}

function nameOf({ network, txHash, toAddress, currency, amount, kind }: ExportedDeposit): string {
  return [network, txHash, toAddress, currency, amount, kind].join(' ')
}
