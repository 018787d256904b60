import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { OrderWithDeposits } from '../../../src/store/orders.js'
import { START_MS } from '../../support/manual-clock.js'
import {
  cameIn,
  ETHER_WALLET,
  IN_ETHER,
  IN_USDT,
  MINUTE_MS,
  NILE_WALLET,
  type OrderOfTest,
  orderView,
  PENDING,
} from '../order-fixture.js'

/*
 * What the page of an order shows. Everything in it is fixed, so that it looks the same each time.
 */

const COINED_WALLET = { ...NILE_WALLET, id: 'order-coined' }

export const ORDER_WALLETS = [ETHER_WALLET, COINED_WALLET]

const GONE = { voidedAt: START_MS - MINUTE_MS }
const EXPIRED = { expiresAt: START_MS - MINUTE_MS }
const FIELDS = { returnUrl: 'https://shop.example/cart', orderNumber: '4711', metadata: null }
const IN_TRX = {
  ...IN_ETHER,
  amount: '99.561928',
  wallets: [COINED_WALLET],
  rate: { rate: '0.2511', at: 1, spread: 150 },
}

const states = {
  'order-unseen': { options: [IN_USDT, IN_ETHER, IN_TRX] },
  'order-seen-in-part': {
    options: [
      { ...IN_USDT, deposits: [cameIn('13.59', 1)] },
      { ...IN_ETHER, deposits: [cameIn('0.002', 2, PENDING)] },
    ],
  },
  'order-rest': {
    order: EXPIRED,
    options: [
      { ...IN_USDT, deposits: [cameIn('13.59', 1)] },
      { ...IN_ETHER, ...GONE },
    ],
  },
  'order-seen': {
    options: [
      { ...IN_USDT, deposits: [cameIn('13.59', 1)] },
      { ...IN_ETHER, deposits: [cameIn('0.004238', 2, PENDING)] },
    ],
  },
  'order-paid': {
    options: [
      { ...IN_USDT, deposits: [cameIn('13.59', 1)] },
      { ...IN_ETHER, deposits: [cameIn('0.004238', 2)] },
    ],
  },
  'order-overpaid': {
    options: [
      { ...IN_USDT, deposits: [cameIn('27.18', 1)] },
      { ...IN_ETHER, ...GONE, deposits: [cameIn('0.008475', 2)] },
    ],
  },
  'order-expired': {
    order: EXPIRED,
    options: [
      { ...IN_USDT, ...GONE },
      { ...IN_ETHER, ...GONE },
    ],
  },
  'order-late': {
    order: EXPIRED,
    options: [
      { ...IN_USDT, ...GONE, deposits: [cameIn('5', 2, PENDING)] },
      { ...IN_ETHER, ...GONE },
    ],
  },
  'order-void': {
    order: { voidedAt: START_MS - MINUTE_MS },
    options: [
      { ...IN_USDT, ...GONE },
      { ...IN_ETHER, ...GONE },
    ],
  },
} as const satisfies Record<string, OrderOfTest>

export type OrderStateName = keyof typeof states

export const orderStateNames = Object.keys(states) as readonly OrderStateName[]

export function isOrderState(name: string): name is OrderStateName {
  return Object.hasOwn(states, name)
}

/** A state is the id of its order. */
export function findOrderWithDeposits(name: string): OrderWithDeposits | undefined {
  if (!isOrderState(name)) return undefined
  const state: OrderOfTest = states[name]
  const { order, options } = orderView({ ...state, order: { id: name, fields: FIELDS, ...state.order } })
  const invoices = options.map(({ invoice, own, voidedAt, deposits, hasMoreDeposits }) => ({
    invoice: { ...invoice, owner: 'merchant' },
    order: NO_ORDER_FIELDS,
    payment: own,
    own,
    voidedAt,
    acceptedAt: null,
    expiresAt: order.expiresAt,
    orderId: name,
    deposits,
    hasMoreDeposits,
  }))
  return { order, invoices, readAt: START_MS }
}
