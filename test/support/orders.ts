import assert from 'node:assert/strict'
import { COIN_DECIMALS } from '../../src/domain/network.js'
import { type OrderRequest, parseOrderRequest } from '../../src/domain/order.js'
import { type PriceDecimals, type QuotedRate, quoteOption, type Rates } from '../../src/domain/order-price.js'
import type { OrderCommand } from '../../src/store/commands.js'
import { START_MS } from './manual-clock.js'

/** Fields of an order that a test may set. The default is one of `alice` in euros, payable in USDT or in ether on `wallet-1`. */
export interface OrderFieldsOfTest {
  readonly owner?: string
  readonly price?: { readonly amount: string; readonly currency: string }
  readonly options?: readonly {
    readonly walletIds: readonly string[]
    readonly currency?: string
    readonly amount?: string
  }[]
  readonly name?: string
  readonly description?: string
  readonly reference?: string
  readonly orderNumber?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly returnUrl?: string
  readonly callbackUrl?: string
  readonly expiresInSeconds?: number
}

/** As the settings have them by default. */
export const PRICE_DECIMALS: PriceDecimals = { token: 2, coin: 6 }

/** The prices of coins in euros. */
const EUROS: Readonly<Record<string, string>> = { USDT: '0.92', ETH: '2950.10' }

export const TEST_RATES: Rates = {
  rateFor: (currency, coin): QuotedRate | null => {
    const rate = currency === 'EUR' ? EUROS[coin] : undefined
    return rate === undefined ? null : { rate, at: START_MS - 1000, spread: 0 }
  },
}

export const TWO_COINS = [
  { walletIds: ['wallet-1'], currency: 'USDT' },
  { walletIds: ['wallet-1'], currency: 'native' },
]

export function orderRequest(fields: OrderFieldsOfTest = {}): OrderRequest {
  const { owner = 'alice', ...rest } = fields
  const body = { price: { amount: '25.00', currency: 'EUR' }, options: TWO_COINS, name: 'Coffee', ...rest }
  const outcome = parseOrderRequest(body, owner)
  assert.ok(outcome.ok, outcome.ok ? '' : `the fixture is no valid request: ${outcome.failure.message}`)
  return outcome.value
}

/** The command that creates it, on wallets of SEP. */
export function orderCommand(
  fields: OrderFieldsOfTest = {},
  terms: NonNullable<OrderCommand['terms']> = {},
  rates: Rates = TEST_RATES,
): OrderCommand {
  const request = orderRequest(fields)
  const quotes = request.options.map((option) => {
    const coin =
      option.currency === 'native' ? { symbol: 'ETH', decimals: COIN_DECIMALS.evm } : { symbol: 'USDT', decimals: 6 }
    return quoteOption(request.price, option, coin, rates, PRICE_DECIMALS, START_MS)
  })
  return { type: 'order', request, quotes, terms }
}
