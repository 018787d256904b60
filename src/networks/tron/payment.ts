import { formatAmount, NATIVE_LABEL } from '../../domain/amount.js'
import type { ObservedTransfer } from '../../domain/block.js'
import type { Scalar } from '../node/json-shape.js'
import { addressOfAccount } from './address.js'
import { naturalOf } from './values.js'

/** An amount of TRX is an int64 of sun, 10⁻⁶ TRX. */
const SUN_MAX = 2n ** 63n - 1n
const ATOMS_PER_SUN = 10n ** 12n

/** A transfer to a watched address, without its transaction. */
export type Payment = Omit<ObservedTransfer, 'txHash'>

/** Sun as a node writes them; null for what is no amount of TRX. */
export function sunOf(value: Scalar | undefined): bigint | null {
  const sun = naturalOf(value)
  return sun === null || sun > SUN_MAX ? null : sun
}

export function nativePayment(index: number, account: string, sun: bigint): Payment {
  const amount = formatAmount(sun * ATOMS_PER_SUN)
  return { index, toAddress: addressOfAccount(account), currency: NATIVE_LABEL, amount }
}
