import { type ObservedBlock, type ObservedTransfer, sightedAgain } from '../domain/block.js'
import { type Deposit, type DepositReport, depositValue, type Sighting } from '../domain/deposit.js'
import { canonicalAddress, type Decimals, type Network } from '../domain/network.js'
import { receivedAtOf } from '../domain/received-at.js'

/** The fields in which a deposit can differ from its transfer. */
export type DepositField = 'toAddress' | 'currency' | 'amount' | 'receivedAt' | 'kind'

/** A difference between a confirmed part of a chain and the store. */
export type Difference =
  /** The store has no deposit of a transfer on the chain. */
  | { readonly type: 'missing'; readonly height: number; readonly transfer: Sighting }
  /** The store has other values. */
  | {
      readonly type: 'other'
      readonly height: number
      readonly fields: readonly DepositField[]
      readonly transfer: Sighting
      readonly deposit: Deposit
    }
  /** The block that the deposit was recorded from does not hold it. */
  | { readonly type: 'not_on_chain'; readonly height: number; readonly deposit: Deposit }
  /** No node tells what contracts send in a transaction. Deposits of it are not compared, and it is for somebody to look at. */
  | { readonly type: 'untold'; readonly height: number; readonly txHash: string; readonly reason: string }
  /**
   * The deposit has a time within these blocks, but no block holds it, and it may be of another one: another source reported
   * it, it was seen within the second of a block, or its token has left the catalogue. Its place is uncertain, so it is never repaired.
   */
  | { readonly type: 'unplaced'; readonly deposit: Deposit }

/** The difference between a transfer of a confirmed block and the store's deposit of it; null when they agree. */
export function compareTransfer(
  network: Network,
  block: ObservedBlock,
  observed: ObservedTransfer,
  deposit: Deposit | undefined,
  decimals: Decimals,
): Difference | null {
  const { height } = block
  const transfer = sightedAgain(block, { network, ...observed, receivedAt: receivedAtOf(block, null) }, deposit)
  if (deposit === undefined) return { type: 'missing', height, transfer }
  const [value, known] = [depositValue(transfer, decimals), depositValue(deposit, decimals)]
  const differs: Readonly<Record<DepositField, boolean>> = {
    toAddress: canonicalAddress(deposit.toAddress) !== canonicalAddress(transfer.toAddress),
    currency: known?.currency !== value?.currency,
    amount: known?.atoms !== value?.atoms,
    receivedAt: deposit.receivedAt !== transfer.receivedAt,
    kind: deposit.kind !== 'confirmed',
  }
  // The keys of the record are its names, but Object.keys does not say so.
  const fields = (Object.keys(differs) as DepositField[]).filter((field) => differs[field])
  return fields.length === 0 ? null : { type: 'other', height, fields, transfer, deposit }
}

/** The reports about deposits, in order, that make the store agree with the chain. */
export function repairOf(
  difference: Difference,
): readonly { readonly report: DepositReport; readonly sighting: Sighting }[] {
  switch (difference.type) {
    case 'missing':
      return [{ report: 'confirmed', sighting: difference.transfer }]
    case 'other': {
      const { fields, transfer, deposit } = difference
      const confirmed = { report: 'confirmed', sighting: transfer } as const
      const isOnlyKind = fields.every((field) => field === 'kind')
      // A dropped deposit is recorded again with the chain's values.
      if (isOnlyKind || deposit.kind === 'dropped') return [confirmed]
      return [{ report: 'dropped', sighting: deposit }, confirmed]
    }
    case 'not_on_chain':
      return [{ report: 'dropped', sighting: difference.deposit }]
    case 'unplaced':
    case 'untold':
      return []
  }
}
