import type { Wallet } from '../domain/wallet.js'
import { type Columns, timeOrNull } from './column.js'

export const walletColumns = {
  id: { title: 'Wallet', kind: 'id', of: ({ id }) => id },
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  address: { title: 'Address', kind: 'id', of: ({ address }) => address },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
  assigned: { title: 'Assigned', kind: 'time', of: ({ assignedAt }) => timeOrNull(assignedAt) },
} satisfies Columns<Wallet>

/** A wallet that was withdrawn from the pool, as it is listed. */
export interface WithdrawnRecord extends Pick<Wallet, 'id' | 'network' | 'address'> {
  /** The transaction of the ledger that gave it away. */
  readonly transaction: string
  /** Unix ms: the ledger's date of the transaction, and when the service withdrew the wallet. */
  readonly ledgerAt: number
  readonly withdrawnAt: number
}

export const withdrawnColumns = {
  id: { title: 'Wallet', kind: 'id', of: ({ id }) => id },
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  address: { title: 'Address', kind: 'id', of: ({ address }) => address },
  transaction: { title: 'Transaction', kind: 'id', of: ({ transaction }) => transaction },
  ledger: { title: 'Dated', kind: 'time', of: ({ ledgerAt }) => timeOrNull(ledgerAt) },
  withdrawn: { title: 'Withdrawn', kind: 'time', of: ({ withdrawnAt }) => timeOrNull(withdrawnAt) },
} satisfies Columns<WithdrawnRecord>
