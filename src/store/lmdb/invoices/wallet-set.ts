import type { OwnerNo, SetNo } from '../tables/keys.js'

/** The wallets that an owner's invoices ask to be paid to. All invoices of a set receive the same deposits. */
export interface WalletSet {
  readonly no: SetNo
  readonly owner: string
  readonly ownerNo: OwnerNo
  readonly walletIds: readonly string[]
  /** The same, comma-joined. */
  readonly walletIdsText: string
}

/** The set of an owner that has one wallet alone. */
export type SetOfOneWallet = Pick<WalletSet, 'no' | 'ownerNo'>
