import type { Coin, PricedNetwork } from './prices-coins.js'

/* What the model of orders knows. Amounts are in units of 10⁻¹⁸, times in Unix milliseconds. */

/** The shop, which has all wallets. */
export const OWNER = 'shop'

export interface PricedWallet {
  readonly id: string
  readonly network: PricedNetwork
  readonly address: string
}

export interface ModelOption {
  readonly id: string
  readonly order: ModelOrder
  readonly wallets: readonly PricedWallet[]
  readonly coin: Coin
  readonly amount: bigint
  /** Decimal places to which what is asked for is rounded up. */
  readonly places: number
  /** Null where there is none. */
  readonly rate: string | null
  voidedAt: number | null
  /** Something had come for it when it would have expired. */
  hasOutlived: boolean
  isVoidedByOrder: boolean
}

export interface ModelOrder {
  readonly id: string
  readonly reference: string
  readonly price: { readonly amount: string; readonly currency: string }
  readonly createdAt: number
  readonly expiresAt: number
  readonly options: ModelOption[]
  /** What was told of it last. */
  standing: 'none' | 'partly' | 'paid'
  isExpiryDecided: boolean
  voidedAt: number | null
  acceptedAt: number | null
}

export interface ModelDeposit {
  readonly txHash: string
  readonly wallet: PricedWallet
  readonly coin: Coin
  readonly amount: bigint
  receivedAt: number
  kind: 'pending' | 'confirmed' | 'dropped'
  match: ModelOption | null
  isLate: boolean
}

/** What the owner's log of events must have once. */
export interface ModelEvent {
  readonly type: string
  readonly orderId: string | null
  readonly invoiceId: string | null
  readonly txHash: string | null
  readonly isLate: boolean
}

export type Status = 'unpaid' | 'partly' | 'paid' | 'expired' | 'void'

export function isAlive({ voidedAt }: ModelOption): boolean {
  return voidedAt === null
}
