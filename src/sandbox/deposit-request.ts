import { type Currency, isCurrency } from '../domain/amount.js'
import type { DepositStatus } from '../domain/deposit.js'
import { type Outcome, refuseField, succeed } from '../domain/failure.js'
import { isNetwork, NETWORKS, type Network } from '../domain/network.js'
import { wellFormed } from '../domain/text.js'

/** The receiver of a simulated deposit. */
export type DepositTarget =
  | { readonly type: 'address'; readonly address: string }
  | { readonly type: 'invoice'; readonly invoiceId: string }

/** The checked body of `POST /sandbox/deposits` (decisions 9). Null fields get defaults later. */
export interface DepositRequest {
  readonly target: DepositTarget
  /** A decimal in the currency. */
  readonly amount: string | null
  readonly currency: Currency | null
  readonly network: Network | null
  readonly txHash: string | null
  /** Unix milliseconds. */
  readonly receivedAt: number | null
  /** Null: pending at once and confirmed after a delay. */
  readonly kind: DepositStatus | null
}

/** Refuses with `invalid_sandbox_deposit`, which names the first wrong field. Null counts as absent. */
export function parseDepositRequest(body: Readonly<Record<string, unknown>>): Outcome<DepositRequest> {
  const address = textOf(body['address'])
  const invoiceId = textOf(body['invoiceId'])
  const amount = textOf(body['amount'])
  const txHash = textOf(body['txHash'])
  const currency = body['currency'] ?? null
  const network = body['network'] ?? null
  const receivedAt = body['receivedAt'] ?? null
  const kind = body['kind'] ?? null
  if (address === undefined) return refuseDeposit('address', 'address must be a non-empty string')
  if (invoiceId === undefined) return refuseDeposit('invoiceId', 'invoiceId must be a non-empty string')
  if ((address === null) === (invoiceId === null))
    return refuseDeposit('address', 'either address or invoiceId is needed')
  if (amount === undefined) return refuseDeposit('amount', 'amount must be a decimal string')
  if (currency !== null && (typeof currency !== 'string' || !isCurrency(currency))) {
    return refuseDeposit('currency', 'currency must be native or USDT')
  }
  if (network !== null && !isNetwork(network))
    return refuseDeposit('network', `network must be one of ${NETWORKS.join(', ')}`)
  if (txHash === undefined) return refuseDeposit('txHash', 'txHash must be a non-empty string')
  if (receivedAt !== null && (typeof receivedAt !== 'number' || !Number.isSafeInteger(receivedAt))) {
    return refuseDeposit('receivedAt', 'receivedAt must be Unix milliseconds, an integer')
  }
  if (kind !== null && kind !== 'pending' && kind !== 'confirmed') {
    return refuseDeposit('kind', 'kind must be pending or confirmed')
  }
  const target: DepositTarget =
    address === null ? { type: 'invoice', invoiceId: invoiceId ?? '' } : { type: 'address', address }
  return succeed({ target, amount, currency, network, txHash, receivedAt, kind })
}

/** Refuses a simulated deposit because of a field. */
export function refuseDeposit(field: string, reason: string) {
  return refuseField('invalid_sandbox_deposit', field, { reason })
}

/** A non-empty string, null when absent, undefined for anything else. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  return typeof value === 'string' && value !== '' ? wellFormed(value) : undefined
}
