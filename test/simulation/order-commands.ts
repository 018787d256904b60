import type { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { parseOrderRequest } from '../../src/domain/order.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { Rates } from '../../src/domain/order-price.js'
import { readRateSet } from '../../src/domain/rate-set.js'
import { type RateTable, rateFor } from '../../src/domain/rates.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { quotesFor } from '../../src/http/order-quotes.js'
import type { GivenRates } from '../../src/store/rates.js'
import type { Store } from '../../src/store/store.js'
import { CATALOGUE_NETWORKS } from '../support/catalogue.js'
import { type Model, RATE_TERMS } from './model/model.js'
import { type ModelOrderRequest, ModelOrders } from './model/orders.js'
import { type ModelCoin, type ModelQuote, quoteOf } from './model/quotes.js'
import { orderNumberOf, ownerName, walletName } from './names.js'
import { decimalsOf, type ScriptNetworks, symbolOf } from './networks.js'
import type { OpenOrder } from './open-commands.js'
import { Random } from './random.js'
import type { OrderStep, RatesStep } from './steps.js'
import { expectEqual } from './violation.js'

const TERMS = { currencies: CATALOGUE_NETWORKS.currencies, defaultExpirySeconds: 900 }
/** As the settings have them by default. */
const PLACES = { token: 2, coin: 6 }
/** How much later than now a rate may be dated that is used: the clock may have been set back. */
const AHEAD_MS = 2000
/** The prices of coins; those of one that is not named are the first one's. */
const PRICES: Readonly<Record<string, number>> = {
  USDT: 0.92,
  USDC: 0.93,
  ETH: 2950.1,
  TRX: 0.2511,
  BNB: 601.5,
  POL: 0.41,
}
const PRICE_CURRENCIES = { EUR: 1, USD: 1.08 }
/** By how much rates move from set to set: less than a jump. */
const MOVES = 0.03
const RATE_PLACES = 6
const FUTURE_MS = 5000

export interface OrderCommandParts {
  readonly model: Model
  readonly networks: ScriptNetworks
  /** What the HTTP routes use. */
  readonly store: Store
  readonly directory: WalletDirectory
  /** What is charged on top of rates, in hundredths of a percent. */
  readonly spread: number
  readonly now: () => number
}

/** An order that was asked for, as its body says. */
export interface AskedOrder {
  readonly request: ModelOrderRequest
  readonly body: Readonly<Record<string, unknown>>
}

/** A request that is priced and ready for its wallets. */
export interface PricedOrder extends Pick<OpenOrder, 'request' | 'walletIds' | 'quotes'> {
  readonly command: Parameters<WalletDirectory['createOrder']>[0]
}

/** What clients ask for orders, and sources of rates give, at the moment at which a step is taken. */
export class OrderCommands {
  private lastSet = ''

  constructor(private readonly parts: OrderCommandParts) {}

  /** Null when nothing can be asked for. */
  asked(step: OrderStep, callbackUrl: string | null, isCallbackValid: boolean): AskedOrder | null {
    const owner = this.ownerOf(step)
    const options = this.optionsOf(step, owner)
    if (options.length === 0) return null
    const reference = step.reference === null ? null : `order-${step.reference}`
    const orderNumber = step.reference === null ? null : orderNumberOf(step.reference)
    const request: ModelOrderRequest = {
      ...{ owner, price: step.price, options, name: 'Tea', reference, callbackUrl, isCallbackValid },
      fields: { ...NO_ORDER_FIELDS, orderNumber },
      expiresInSeconds: step.expiresInSeconds ?? TERMS.defaultExpirySeconds,
    }
    const body = {
      ...{ price: step.price, name: request.name, reference, callbackUrl, orderNumber },
      options: options.map(({ walletIds, currency, fixed }) => ({ walletIds, currency, amount: fixed })),
      expiresInSeconds: step.expiresInSeconds,
    }
    return { request, body }
  }

  /** Prices a request as the route does it. Null when its shape is refused. */
  async priced({ request, body }: AskedOrder): Promise<PricedOrder | null> {
    const { store, now, spread } = this.parts
    const parsed = parseOrderRequest(body, request.owner, TERMS)
    const shape = parsed.ok ? null : parsed.failure.code
    expectEqual('the shape of an order', shape, ModelOrders.shapeRefusal(request), body)
    if (!parsed.ok) return null
    const wallets = new Map<string, Wallet | undefined>()
    let table: RateTable | null = null
    let nowMs = 0
    const quotes = await quotesFor(
      {
        networks: CATALOGUE_NETWORKS,
        wallets: {
          find: async (id) => {
            const found = await store.wallets.find(id)
            wallets.set(id, found)
            return found
          },
        },
        ratesNow: async () => {
          const current = await store.rates.current()
          table = current
          return ratesOf(current, spread)
        },
        places: PLACES,
        now: () => {
          nowMs = now()
          return nowMs
        },
      },
      parsed.value,
    )
    // What the wallets and the rates were the referee has compared when they were read.
    const inForce = (currency: string, symbol: string) => rateIn(table, currency, symbol, nowMs)
    const wanted = request.options.map(({ walletIds, currency, fixed }): ModelQuote | string => {
      const coin = coinOf(request.owner, walletIds, currency, wallets)
      return quoteOf({ price: request.price, currency, fixed, coin, inForce, spread })
    })
    const told = quotes.map((quote) => (quote.ok ? quote.value : quote.failure.code))
    expectEqual('what the options of an order cost', told, wanted, [body, nowMs])
    const walletIds = [...new Set(request.options.flatMap((option) => option.walletIds))]
    return { request, walletIds, quotes: wanted, command: { request: parsed.value, quotes } }
  }

  /** What a source gives, and what the model takes it for. */
  ratesOf({ kind, ageMs, level, salt }: RatesStep): GivenRates {
    const random = new Random(salt)
    const at = this.parts.now() + (kind === 'future' ? FUTURE_MS : -ageMs)
    const coins = this.coins()
    const left = kind === 'left-out' ? random.below(coins.length) : -1
    const ofCurrency = (factor: number) =>
      Object.fromEntries(
        coins.flatMap((coin, i) => {
          const moved = 1 + MOVES * (random.fraction() * 2 - 1)
          const price = (PRICES[coin] ?? 1) * factor * moved * (i === 0 && level === 1 ? 2 : 1)
          if (i === left) return []
          return [[coin, kind === 'bad' && i === coins.length - 1 ? '-1' : price.toFixed(RATE_PLACES)]]
        }),
      )
    const rates = Object.entries(PRICE_CURRENCIES).map(([currency, factor]) => [currency, ofCurrency(factor)])
    const text = JSON.stringify({ at, rates: Object.fromEntries(rates) })
    if (kind !== 'again') this.lastSet = text
    const read = readRateSet(kind === 'again' ? this.lastSet : text)
    expectEqual('whether a set of rates can be read', read.ok, kind !== 'bad' && this.isReadable(), text)
    return read.ok ? { origin: 'push', set: read.set } : { origin: 'push', refusal: read.refusal }
  }

  /** Whether the last set was not a bad one. */
  private isReadable(): boolean {
    return this.lastSet !== '' && !this.lastSet.includes('-1')
  }

  /** The coins of the two networks. */
  private coins(): readonly string[] {
    const symbols = this.parts.networks.map((network) => symbolOf(network, 'native') ?? '')
    return [...new Set([...symbols, 'USDT', 'USDC'])]
  }

  /** One who has a wallet with an address, if there is one and the request is not flawed. */
  private ownerOf({ owner, isFlawed }: OrderStep): string {
    const wallets = this.parts.model.wallets.all().filter(({ address }) => address !== null)
    const owners = [...new Set(wallets.flatMap((wallet) => wallet.owner ?? []))].sort()
    return (isFlawed ? undefined : owners[owner % owners.length]) ?? ownerName(owner)
  }

  /** What would be in two options is left out of the second one. */
  private optionsOf({ options, isFlawed }: OrderStep, owner: string): ModelOrderRequest['options'] {
    const { wallets: all } = this.parts.model
    const own = all.of(owner).flatMap(({ id, address }) => (address === null && !isFlawed ? [] : [id]))
    const taken = new Set<string>()
    return options.flatMap(({ wallets, currency, fixed }) => {
      const picked = new Set(wallets.map((pick) => own[pick % own.length] ?? walletName(pick % 2)))
      const walletIds = [...picked].filter((id) => isFlawed || !taken.has(`${currency} ${id}`))
      for (const id of walletIds) taken.add(`${currency} ${id}`)
      return walletIds.length === 0 ? [] : [{ walletIds, currency, fixed }]
    })
  }
}

/** As the service has it. */
function ratesOf(table: RateTable, spread: number): Rates {
  return {
    rateFor: (currency, coin, nowMs) => {
      const found = rateFor(table, { currency, coin }, RATE_TERMS.maxAgeMs, nowMs)
      return found.ok ? { rate: found.rate, at: found.at, spread } : null
    },
  }
}

/** The rate of a pair that the present set has and that is not held back, while it is not too old. */
function rateIn(table: RateTable | null, currency: string, coin: string, nowMs: number) {
  const known = table?.known.find((one) => one.currency === currency && one.coin === coin)
  if (known === undefined || known.held !== null || known.at !== table?.at) return null
  const isUsed = known.at >= nowMs - RATE_TERMS.maxAgeMs && known.at <= nowMs + AHEAD_MS
  return isUsed ? { rate: known.rate, at: known.at } : null
}

/** The one coin of some wallets with the places that it has on all of them, or the code of the refusal. */
function coinOf(
  owner: string,
  walletIds: readonly string[],
  currency: string,
  wallets: ReadonlyMap<string, Wallet | undefined>,
): ModelCoin | string {
  const coins: ModelCoin[] = []
  for (const id of walletIds) {
    const wallet = wallets.get(id)
    if (wallet === undefined || wallet.owner !== owner || wallet.network === null) return 'wallet_not_owned'
    const symbol = symbolOf(wallet.network, currency)
    const decimals = decimalsOf(wallet.network, currency)
    if (symbol === null || decimals === null) return 'rate_unavailable'
    coins.push({ symbol, decimals })
  }
  const symbols = new Set(coins.map(({ symbol }) => symbol))
  const [symbol] = symbols
  if (symbol === undefined || symbols.size > 1) return currency === 'native' ? 'mixed_native_coins' : 'rate_unavailable'
  return { symbol, decimals: Math.min(...coins.map(({ decimals }) => decimals)) }
}
