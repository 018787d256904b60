import { parseNativeDepositAmount, parseTokenDepositAmount } from './amount.js'
import { type Currency, type CurrencyLabel, currencyOfLabel } from './currency.js'
import { ADDRESS_LENGTH_MAX, canonicalAddress, type Network, type TokenDecimals } from './network.js'

const TX_HASH_LENGTH_MAX = 128
const DEPOSIT_INDEX_MAX = 0xffff_ffff
const LABEL_LENGTH_MAX = 64

/** What webhooks report of a deposit (specification, Deposit kind). */
export type DepositStatus = 'pending' | 'confirmed'

/** What an observer may report: a sighting, its confirmation, or that a reorganisation took it away (decisions 5). */
export type DepositReport = DepositStatus | 'dropped'

/** A transfer to an address, as an observer saw it. Its identity is (network, txHash, index). */
export interface Sighting {
  readonly network: Network
  readonly txHash: string
  readonly index: number
  /** As observed. */
  readonly toAddress: string
  /** The raw label. */
  readonly currency: CurrencyLabel
  /** As observed: a raw integer for a token, decimal whole coins for native. */
  readonly amount: string
  /** Unix milliseconds: the block's timestamp, else the time of first sight. */
  readonly receivedAt: number
}

/** The deposit record (decisions 5). `dropped` ones are kept, so that a repeated report changes nothing. */
export interface Deposit extends Sighting {
  readonly kind: DepositReport
  readonly confirmedAt: number | null
}

/** The currency a deposit counts in and its exact amount. Null currency: it matches nothing. */
export interface DepositValue {
  readonly currency: Currency | null
  readonly atoms: bigint
}

/** The value of a sighting, or null when its amount is not a positive amount of what its label names. */
export function depositValue(
  sighting: Pick<Sighting, 'network' | 'currency' | 'amount'>,
  tokenDecimals: TokenDecimals,
): DepositValue | null {
  const currency = currencyOfLabel(sighting.currency)
  const atoms =
    currency === 'USDT'
      ? parseTokenDepositAmount(sighting.amount, tokenDecimals[sighting.network])
      : parseNativeDepositAmount(sighting.amount)
  return atoms === null ? null : { currency, atoms }
}

/**
 * What two sightings of one deposit contradict each other in, however they write it; null when they tell of the same
 * transfer. Labels that stand for no currency are compared as they are.
 */
export function conflictOf(
  known: Pick<Sighting, 'network' | 'toAddress' | 'currency' | 'amount'>,
  sighting: Pick<Sighting, 'toAddress' | 'currency' | 'amount'>,
  tokenDecimals: TokenDecimals,
): 'address' | 'currency' | 'amount' | null {
  const { network } = known
  const value = depositValue(known, tokenDecimals)
  const otherValue = depositValue({ ...sighting, network }, tokenDecimals)
  if (canonicalAddress(network, known.toAddress) !== canonicalAddress(network, sighting.toAddress)) return 'address'
  if (value?.currency !== otherValue?.currency) return 'currency'
  if (value?.currency === null && known.currency !== sighting.currency) return 'currency'
  return value?.atoms === otherValue?.atoms ? null : 'amount'
}

/** Why a sighting cannot be recorded, in words for the observer's log; null when it can. */
export function flawOf(sighting: Sighting, tokenDecimals: TokenDecimals): string | null {
  if (sighting.txHash === '' || sighting.txHash.length > TX_HASH_LENGTH_MAX)
    return 'txHash must have 1 to 128 characters'
  if (!Number.isInteger(sighting.index) || sighting.index < 0 || sighting.index > DEPOSIT_INDEX_MAX) {
    return 'index must be an integer from 0 to 4294967295'
  }
  if (sighting.toAddress === '' || sighting.toAddress.length > ADDRESS_LENGTH_MAX) {
    return 'toAddress must have 1 to 128 characters'
  }
  if (sighting.currency !== null && sighting.currency.length > LABEL_LENGTH_MAX) return 'currency is too long'
  if (!Number.isSafeInteger(sighting.receivedAt) || sighting.receivedAt <= 0 || sighting.receivedAt > RECEIVED_AT_MAX) {
    return 'receivedAt must be Unix milliseconds'
  }
  if (depositValue(sighting, tokenDecimals) === null) return 'amount is not a positive amount of its currency'
  return null
}

/** Times are kept in 48 bits, as in UUIDv7. */
const RECEIVED_AT_MAX = 0xffff_ffff_ffff

/** What a report does to a deposit. */
export interface Transition {
  readonly kind: DepositReport
  /** Statuses that the report makes true for the first time since the deposit was last unseen, in order of notification. */
  readonly reaches: readonly DepositStatus[]
}

/** How the store answers a report. */
export type DepositOutcome =
  | { readonly status: 'applied'; readonly deposit: Deposit }
  | { readonly status: 'duplicate'; readonly deposit: Deposit | null }
  | { readonly status: 'rejected'; readonly error: string }

/**
 * The life of a deposit: unseen → pending → confirmed, dropped from either, and back when a later block includes the
 * transaction again. Null: the report repeats what is known, and changes nothing.
 */
export function transitionOf(kind: DepositReport | 'unseen', report: DepositReport): Transition | null {
  switch (report) {
    case 'pending':
      return kind === 'unseen' || kind === 'dropped' ? { kind: 'pending', reaches: ['pending'] } : null
    case 'confirmed':
      if (kind === 'confirmed') return null
      return { kind: 'confirmed', reaches: kind === 'pending' ? ['confirmed'] : ['pending', 'confirmed'] }
    case 'dropped':
      return kind === 'pending' || kind === 'confirmed' ? { kind: 'dropped', reaches: [] } : null
  }
}
