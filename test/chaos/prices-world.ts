import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, ask, hashOf, pushEvents, pushHeaders } from './http-client.js'
import type { LeapingService } from './leaping-service.js'
import type { PersistentClient } from './persistent-client.js'
import { unitOf } from './prices-amounts.js'
import { addressOn, type Coin, labelOf, type PricedNetwork } from './prices-coins.js'
import type { PricesFeed } from './prices-feed.js'
import type { PricesModel } from './prices-model.js'
import type { AskedOption, AskedPrice, PricesQuotes } from './prices-quotes.js'
import type { RatesModel } from './prices-rates.js'
import { type ModelDeposit, type ModelOption, type ModelOrder, OWNER, type PricedWallet } from './prices-records.js'
import type { Push } from './prices-source.js'
import { atomsOf, decimalOf } from './shop-amounts.js'
import { Stuck } from './shop-client.js'

/** Real time. */
const LOOK_MS = 5
const LOOKS_A_LEAP = 8
const STUCK_MS = 30_000
/** Longer than the service waits before it notes an expiry. */
const NOTED_MS = 1100

/** An order as the shop places it. */
export interface AskedOrder {
  readonly price: AskedPrice
  readonly options: readonly AskedOption[]
  readonly reference: string
  /** Null for the default. */
  readonly expiresInSeconds: number | null
}

/** What the networks say of a deposit. */
export interface Report {
  readonly deposit: ModelDeposit
  readonly kind: ModelDeposit['kind']
}

/** The parts that know what must be. */
export interface PricesModels {
  readonly orders: PricesModel
  readonly rates: RatesModel
  readonly quotes: PricesQuotes
}

/** The service, and beside it the models, which are told of everything that is done to it. */
export class PricesWorld {
  readonly violations = new Set<string>()
  readonly wallets: PricedWallet[] = []
  /** Answers of what kind were given to requests for orders. */
  readonly refused = new Map<string, number>()
  private numbers = 0

  constructor(
    readonly service: LeapingService,
    readonly models: PricesModels,
    readonly client: PersistentClient,
    private readonly feed: PricesFeed,
  ) {}

  violate(violation: string): void {
    this.violations.add(violation)
  }

  now(): number {
    return this.service.now()
  }

  /** Lets time pass, in which orders expire and rates get old. */
  async leap(ms: number): Promise<void> {
    await this.service.leap(ms)
    this.models.orders.passTo(this.now())
  }

  async addWallet(network: PricedNetwork, set: string): Promise<PricedWallet> {
    const id = `${network.id.toLowerCase()}-${set}`
    const wallet: PricedWallet = { id, network, address: addressOn(network.kind, this.wallets.length + 1) }
    this.wallets.push(wallet)
    const told = { id, address: wallet.address, network: network.id }
    await this.push([{ id: `wallet ${id}`, type: 'wallet.assigned', wallet: told, owner: OWNER }])
    return wallet
  }

  async pushRates({ body, set }: Push): Promise<void> {
    const { rates } = this.models
    const expected = rates.take(set, this.now())
    const { status, json } = await this.client.change(() =>
      ask('POST', `${this.service.url}/internal/rates`, body, pushHeaders(body, this.now())),
    )
    const found = status === 400 && json.code === 'invalid_rates' ? 'refused' : String(json.status ?? status)
    // It was taken by a service that was killed before it could say so.
    const isRepetition = found === 'repeated' && expected === 'accepted'
    if (found !== expected && !isRepetition) this.violate(`a set of rates is ${expected}, and was ${found}: ${body}`)
  }

  /** Orders of one price and the same options, asked for at once. Returns those that are made: the others are refused, as they must be. */
  async orderAtOnce(asked: readonly AskedOrder[]): Promise<readonly ModelOrder[]> {
    this.models.orders.passTo(this.now())
    const from = this.now()
    const answers = await this.client.changeAtOnce(asked.map((order) => () => this.ask(order)))
    // The service has taken them one after the other, which their ids tell, and has refused only what came behind them.
    const inOrder = answers
      .map((answer, n) => ({ answer, order: asked[n] ?? assert.fail() }))
      .sort((one, other) => (placeOf(one.answer) < placeOf(other.answer) ? -1 : 1))
    const made: ModelOrder[] = []
    for (const { answer, order } of inOrder) made.push(...(await this.judge(order, answer, from)))
    return made
  }

  private ask({ price, options, reference, expiresInSeconds }: AskedOrder): Promise<Answered | null> {
    const asked = options.map(({ wallets, coin, fixed }) => {
      const walletIds = wallets.map(({ id }) => id)
      return { walletIds, currency: coin, ...(fixed === null ? {} : { amount: fixed }) }
    })
    const expiry = expiresInSeconds === null ? {} : { expiresInSeconds }
    const body = JSON.stringify({ owner: OWNER, name: 'Order', price, options: asked, reference, ...expiry })
    return ask('POST', `${this.service.url}/api/orders`, body, { 'Idempotency-Key': reference })
  }

  /** Compares an answer to an order with what it must be. Returns the order, if one was made. */
  private async judge(asked: AskedOrder, { status, json }: Answered, from: number): Promise<readonly ModelOrder[]> {
    const { price, options, reference } = asked
    const { orders, quotes } = this.models
    const wanted = quotes.want(price, options, from)
    const found = status === 201 ? 'created' : String(json.code)
    this.refused.set(found, (this.refused.get(found) ?? 0) + 1)
    if (found !== wanted.kind) {
      this.violate(`${reference} must be ${JSON.stringify(wanted, textOfBigints)}, and was answered ${found}`)
      return []
    }
    if (wanted.kind === 'rate_unavailable' && !wanted.coins.includes(json.coin)) {
      this.violate(`${wanted.coins} have no rate, and ${json.coin} is said to have none`)
    }
    if (wanted.kind !== 'created') return []
    const { json: shown } = await this.client.get(`/api/orders/${json.id}`)
    const createdAt: number = shown.created_at
    if (createdAt < from || createdAt > this.now()) this.violate(`${json.id} was created at ${createdAt}`)
    const about = { reference, price, createdAt, expiresAt: Number(shown.expires_at) }
    const state = { standing: 'none' as const, isExpiryDecided: false, voidedAt: null, acceptedAt: null }
    const made: ModelOrder = { id: json.id, ...about, ...state, options: [] }
    for (const [n, option] of options.entries()) {
      const one = wanted.options[n] ?? assert.fail()
      const { id, amount, rate } = json.invoices[n]
      if (atomsOf(amount) !== one.amount || rate !== one.rate) {
        this.violate(
          `option ${n} of ${reference} asks ${amount} at ${rate}, and must ask ${decimalOf(one.amount)} at ${one.rate}`,
        )
      }
      const found = { ...one, amount: atomsOf(amount) }
      if (!quotes.isWithin(price, option, found)) this.violate(`option ${n} of ${reference} asks ${amount} at ${rate}`)
      const ends = { voidedAt: null, hasOutlived: false, isVoidedByOrder: false }
      made.options.push({ ...found, ...ends, id, order: made, wallets: option.wallets, coin: option.coin })
    }
    orders.create(made)
    return [made]
  }

  /** The shop voids an order, or accepts it. */
  async finish(order: ModelOrder, act: 'void' | 'accept'): Promise<void> {
    const { orders } = this.models
    orders.passTo(this.now())
    const isDone = act === 'void' ? orders.void(order, this.now()) : orders.accept(order, this.now())
    const expected = isDone ? 200 : 409
    const body = JSON.stringify({ owner: OWNER })
    const { status, json } = await this.client.change(() =>
      ask('POST', `${this.service.url}/api/orders/${order.id}/${act}`, body),
    )
    if (status !== expected) this.violate(`${act} of ${order.id} must be ${expected}, and was ${status} ${json.code}`)
  }

  /** The shop voids one of an order's invoices alone. */
  async voidOption(option: ModelOption): Promise<void> {
    const { orders } = this.models
    orders.passTo(this.now())
    const expected = orders.voidOption(option, this.now()) ? 200 : 409
    const body = JSON.stringify({ owner: OWNER })
    const { status, json } = await this.client.change(() =>
      ask('POST', `${this.service.url}/api/invoices/${option.id}/void`, body),
    )
    if (status !== expected) this.violate(`the end of ${option.id} must be ${expected}, and was ${status} ${json.code}`)
  }

  deposit(wallet: PricedWallet, coin: Coin, amount: bigint): ModelDeposit {
    this.numbers += 1
    const hash = hashOf(`payment ${this.numbers}`)
    const txHash = wallet.network.kind === 'tron' ? hash.slice(2) : hash
    const deposit: ModelDeposit = {
      txHash,
      wallet,
      coin,
      amount,
      receivedAt: 0,
      kind: 'dropped',
      match: null,
      isLate: false,
    }
    this.models.orders.payments.add(deposit)
    return deposit
  }

  /** What networks say in one push, in this order. */
  async report(reports: readonly Report[]): Promise<void> {
    const { orders } = this.models
    orders.passTo(this.now())
    const nowMs = this.now()
    const events = reports.map(({ deposit, kind }) => {
      this.numbers += 1
      if (deposit.kind === 'dropped') deposit.receivedAt = nowMs
      const type = `deposit.${kind}`
      if (kind === 'dropped') orders.drop(deposit, nowMs)
      else {
        if (deposit.kind === 'dropped') orders.see(deposit)
        if (kind === 'confirmed') orders.confirm(deposit, nowMs)
      }
      return { id: `report ${this.numbers}`, type, deposit: recordOf(deposit) }
    })
    await this.push(events)
  }

  /** Until the log has all that it must have by now, and nothing else. */
  async sync(): Promise<void> {
    const startedMs = Date.now()
    for (let looks = 1; ; looks += 1) {
      await this.feed.read((path) => this.client.get(path))
      const { missing, surplus } = this.feed.difference()
      for (const event of surplus) this.violate(`there is an event that should not be: ${event}`)
      if (missing.length === 0 && surplus.length === 0) return
      if (surplus.length > 0 || Date.now() - startedMs > STUCK_MS) {
        for (const event of missing) this.violate(`there is no event: ${event}`)
        throw new Stuck('the service did not tell what it must')
      }
      await sleep(LOOK_MS)
      if (looks % LOOKS_A_LEAP === 0) await this.leap(NOTED_MS)
    }
  }

  private async push(events: readonly unknown[]): Promise<void> {
    const { json } = await this.client.change(() => pushEvents(this.service.url, events, ask, this.now()))
    for (const result of json.results) assert.match(result.status, /^(applied|duplicate)$/, JSON.stringify(result))
  }
}

function recordOf({ txHash, wallet, coin, amount, receivedAt }: ModelDeposit): Readonly<Record<string, unknown>> {
  const { id: network, decimals } = wallet.network
  const sent = coin === 'native' ? decimalOf(amount) : String(amount / unitOf(decimals[coin] ?? 0))
  return { network, txHash, index: 0, toAddress: wallet.address, currency: labelOf(coin), amount: sent, receivedAt }
}

function textOfBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? decimalOf(value) : value
}

/** Sorts answers by the ids of orders, refusals behind them. */
function placeOf({ status, json }: Answered): string {
  return status === 201 ? json.id : '~'
}
