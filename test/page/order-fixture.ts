import { parseFormattedAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import type { UsedRate } from '../../src/domain/order.js'
import { paymentOf, type QualifyingDeposit } from '../../src/domain/payment.js'
import type { PageWallet } from '../../src/page/instructions.js'
import type { OptionView, OrderView } from '../../src/page/order-view.js'
import { START_MS } from '../support/manual-clock.js'
import { pageNetworks } from '../support/networks.js'
import { LATE_MS } from './frame.js'

/*
 * An order of 25 euros, payable in USDT on two networks and in ether, with what a test says of it.
 */

export const ORDER_ID = '018f2a4c5b6d7e8f9012345678abc000'

export const MINUTE_MS = 60_000

export const SEP_WALLET = { id: 'sep', network: 'SEP', address: '0x52908400098527886E0F7030069857D2E4169EE7' } as const
export const NILE_WALLET = { id: 'nile', network: 'TRX-NILE', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' } as const
export const ETHER_WALLET = {
  id: 'ether',
  network: 'SEP',
  address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
} as const

/** An option, as a test says it. */
export interface OptionOfTest {
  readonly currency?: string
  readonly amount?: string
  readonly wallets?: readonly PageWallet[]
  readonly rate?: UsedRate | null
  readonly decimals?: number
  readonly voidedAt?: number | null
  /** Newest first. */
  readonly deposits?: readonly QualifyingDeposit[]
  /** What is confirmed beside the deposits that are listed. */
  readonly older?: string
}

export interface OrderOfTest extends Partial<Omit<OrderView, 'options' | 'order'>> {
  readonly order?: Partial<OrderView['order']>
  readonly options?: readonly OptionOfTest[]
}

const RATE_AT = START_MS - MINUTE_MS

export const IN_USDT: OptionOfTest = {
  currency: 'USDT',
  amount: '27.18',
  wallets: [SEP_WALLET, NILE_WALLET],
  rate: { rate: '0.92', at: RATE_AT, spread: 0 },
  decimals: 2,
}

export const IN_ETHER: OptionOfTest = {
  currency: 'native',
  amount: '0.008475',
  wallets: [ETHER_WALLET],
  rate: { rate: '2950.10', at: RATE_AT, spread: 0 },
  decimals: 6,
}

/** A deposit, so many minutes after the order. */
export function cameIn(amount: string, minute: number, more: Partial<QualifyingDeposit> = {}): QualifyingDeposit {
  const receivedAt = RATE_AT + minute * MINUTE_MS
  const txHash = `0x${minute.toString(16).padStart(2, '0').repeat(32)}`
  return { network: 'SEP', txHash, index: 0, receivedAt, amount, isConfirmed: true, confirmations: null, ...more }
}

export const PENDING: Partial<QualifyingDeposit> = { isConfirmed: false, confirmations: 3 }

export function orderView({ order = {}, options = [IN_USDT, IN_ETHER], ...more }: OrderOfTest = {}): OrderView {
  const views = options.map(optionView)
  return {
    order: {
      id: ORDER_ID,
      owner: 'identity-of-the-merchant',
      price: { amount: '25.00', currency: 'EUR' },
      name: 'Tea set for six',
      description: null,
      reference: 'reference-4711',
      fields: { returnUrl: null, orderNumber: null, metadata: null },
      callbackUrl: 'https://shop.example/hook',
      createdAt: RATE_AT,
      expiresAt: START_MS + 14 * MINUTE_MS,
      voidedAt: null,
      acceptedAt: null,
      isExpiryDecided: false,
      standing: 'none',
      isLeaning: false,
      options: views.map(({ invoice, rate, decimals }) => ({
        invoiceId: invoice.id,
        rate,
        isFixed: rate === null,
        decimals,
        isVoidedByOrder: false,
      })),
      ...order,
    },
    options: views,
    strays: [],
    option: null,
    wallet: 0,
    networks: pageNetworks(),
    nowMs: START_MS,
    lateMs: LATE_MS,
    ...more,
  }
}

function optionView(
  {
    currency = 'USDT',
    amount = '27.18',
    wallets = [SEP_WALLET],
    rate = null,
    decimals = 2,
    voidedAt = null,
    deposits = [],
    older = '0',
  }: OptionOfTest,
  at: number,
): OptionView {
  const sum = (isConfirmed: boolean) =>
    deposits.reduce(
      (atoms, one) => atoms + (one.isConfirmed === isConfirmed ? parseFormattedAmount(one.amount) : 0n),
      0n,
    )
  const own = { confirmed: sum(true) + parseFormattedAmount(older), pending: sum(false) }
  const ids = wallets.map(({ id }) => id)
  return {
    invoice: {
      id: `018f2a4c5b6d7e8f9012345678abc00${at + 1}`,
      owner: 'identity-of-the-merchant',
      wallet_id: ids[0] ?? '',
      wallet_ids: ids.join(','),
      name: 'Tea set for six',
      description: null,
      reference: `reference-4711/${at + 1}`,
      amount,
      currency,
      callback_url: 'https://shop.example/hook',
      created_at: RATE_AT,
    },
    own: paymentOf(parseInvoiceAmount(amount) ?? 0n, { ...own, own }),
    voidedAt,
    deposits,
    hasMoreDeposits: older !== '0',
    wallets,
    rate,
    decimals,
  }
}
