import { createHash } from 'node:crypto'
import type { Order, UsedRate } from '../domain/order.js'
import type { StrayDeposit } from '../domain/payment.js'
import type { PageWallet } from './instructions.js'
import type { PageNetworks } from './networks.js'
import type { PaymentOption } from './order-payment.js'
import { transactionsShown } from './transactions.js'

/** An option of an order, with its wallets in the order of its invoice. */
export interface OptionView extends PaymentOption {
  /** Null where the amount was not converted. */
  readonly rate: UsedRate | null
  readonly wallets: readonly PageWallet[]
}

/** What the page of an order is made of. */
export interface OrderView {
  readonly order: Order
  readonly options: readonly OptionView[]
  /** What came to its wallets in coins that it does not ask for there, newest first. */
  readonly strays: readonly StrayDeposit[]
  /** Position of the option that the payer asked for; null for none. */
  readonly option: number | null
  /** Position of the wallet of the option whose address is shown first. */
  readonly wallet: number
  readonly networks: PageNetworks
  /** Unix ms. */
  readonly nowMs: number
  /** How long it waits, when it is closed, for what is sent too late. */
  readonly lateMs: number
}

const VERSION_LENGTH = 16

/** A short text that changes with everything that can change on the page of an order, whichever option it shows. */
export function orderVersionOf({
  order,
  options,
  strays,
  networks,
}: Pick<OrderView, 'order' | 'options' | 'strays' | 'networks'>): string {
  const shown = options.map((option) => {
    const addresses = option.wallets.map(({ address }) => address)
    return [option.own, option.voidedAt !== null, addresses, transactionsShown(option, networks)]
  })
  const text = JSON.stringify([order.acceptedAt !== null, order.voidedAt !== null, strays, shown])
  return createHash('sha256').update(text).digest('base64url').slice(0, VERSION_LENGTH)
}
