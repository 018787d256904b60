import type { Wallet } from '../../../domain/wallet.js'
import type { AddressNo, Numbers, OwnerNo, WalletNo } from '../tables/keys.js'
import { integer, orNull, recordCodec, text } from '../tables/record-codec.js'

export interface WalletRow extends Wallet {
  readonly no: WalletNo
  readonly addressNo: AddressNo | null
  readonly ownerNo: OwnerNo | null
  /** Orders the wallets of an owner by when they were assigned. */
  readonly assignmentNo: Numbers['assignment'] | null
  /** When its lease ends, Unix ms; 0 when it was never handed out. */
  readonly leasedUntil: number
}

export const walletCodec = recordCodec<WalletRow>('wallets', 1, {
  id: text,
  no: integer,
  network: orNull(text),
  address: orNull(text),
  addressNo: orNull(integer),
  owner: orNull(text),
  ownerNo: orNull(integer),
  assignedAt: orNull(integer),
  assignmentNo: orNull(integer),
  leasedUntil: integer,
})
