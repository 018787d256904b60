import {
  type Currency,
  type CurrencyLabel,
  currencyOfLabel,
  NATIVE,
  parseNativeDepositAmount,
  parseTokenDepositAmount,
} from './amount.js'
import { ADDRESS_LENGTH_MAX, canonicalAddress, type Decimals, type Network } from './network.js'

const TX_HASH_LENGTH_MAX = 128
const DEPOSIT_INDEX_MAX = 0xffff_ffff
const LABEL_LENGTH_MAX = 64

/** The statuses of a deposit that webhooks report (specification, Deposit kind). */
export type DepositStatus = 'pending' | 'confirmed'

/** A report about a deposit: first seen, confirmed, or taken away by a reorganisation (decisions 5). */
export type DepositReport = DepositStatus | 'dropped'

/** A transfer to an address, as reported. Its identity is (network, txHash, index). */
export interface Sighting {
  readonly network: Network
  readonly txHash: string
  readonly index: number
  /** As observed. */
  readonly toAddress: string
  /** The raw label. */
  readonly currency: CurrencyLabel
  /** As reported: a raw integer for a token, decimal whole coins for the native coin. */
  readonly amount: string
  /** Unix milliseconds, by the block (`receivedAtOf`), else the time of first sight. */
  readonly receivedAt: number
}

/** The deposit record (decisions 5). Dropped deposits are kept, so that a repeated report changes nothing. */
export interface Deposit extends Sighting {
  readonly kind: DepositReport
  readonly confirmedAt: number | null
}

/** The currency and exact amount of a deposit. With a null currency it matches no invoice. */
export interface DepositValue {
  readonly currency: Currency | null
  readonly atoms: bigint
}

/** The currency of a deposit; null if its label is that of nothing that its network has: it matches no invoice then. */
export function currencyOf(
  { network, currency: label }: Pick<Sighting, 'network' | 'currency'>,
  decimals: Decimals,
): Currency | null {
  const named = currencyOfLabel(label)
  return named === null || decimals[network]?.[named] === undefined ? null : named
}

/** The value of a sighting; null if its amount is not a positive amount in its currency, or its network is not known. */
export function depositValue(
  sighting: Pick<Sighting, 'network' | 'currency' | 'amount'>,
  decimals: Decimals,
): DepositValue | null {
  const ofNetwork = decimals[sighting.network]
  if (ofNetwork === undefined) return null
  const currency = currencyOf(sighting, decimals)
  const places = currency === null || currency === NATIVE ? undefined : ofNetwork[currency]
  const atoms =
    places === undefined ? parseNativeDepositAmount(sighting.amount) : parseTokenDepositAmount(sighting.amount, places)
  return atoms === null ? null : { currency, atoms }
}

/**
 * The field in which two sightings of one deposit differ, compared by value; null if they describe the same transfer.
 * Labels that stand for no currency are compared as text.
 */
export function conflictOf(
  known: Pick<Sighting, 'network' | 'toAddress' | 'currency' | 'amount'>,
  sighting: Pick<Sighting, 'toAddress' | 'currency' | 'amount'>,
  decimals: Decimals,
): 'address' | 'currency' | 'amount' | null {
  const { network } = known
  const value = depositValue(known, decimals)
  const otherValue = depositValue({ ...sighting, network }, decimals)
  if (canonicalAddress(known.toAddress) !== canonicalAddress(sighting.toAddress)) return 'address'
  if (value?.currency !== otherValue?.currency) return 'currency'
  if (value?.currency === null && known.currency !== sighting.currency) return 'currency'
  return value?.atoms === otherValue?.atoms ? null : 'amount'
}

/** Why a sighting cannot be recorded, as text for the reporter's log; null if it can. */
export function flawOf(sighting: Sighting, decimals: Decimals): string | null {
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
  if (decimals[sighting.network] === undefined) return 'network is not one that is known'
  if (depositValue(sighting, decimals) === null) return 'amount is not a positive amount of its currency'
  return null
}

/** Times are stored in 48 bits, as in UUIDv7. */
const RECEIVED_AT_MAX = 0xffff_ffff_ffff

/** The effect of a report on a deposit. */
export interface Transition {
  readonly kind: DepositReport
  /** Statuses that the deposit reaches for the first time since it was last unseen, in order of notification. */
  readonly reaches: readonly DepositStatus[]
}

/** The store's answer to a report. */
export type DepositOutcome =
  | { readonly status: 'applied'; readonly deposit: Deposit }
  | { readonly status: 'duplicate'; readonly deposit: Deposit | null }
  | { readonly status: 'rejected'; readonly error: string }

/**
 * The life of a deposit: unseen → pending → confirmed, dropped from either, and back when a later block includes the
 * transaction again. Returns null if the report changes nothing.
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
