import type { Wallet } from '../domain/wallet.js'
import { type Columns, timeOrNull } from './column.js'

export const walletColumns = {
  id: { title: 'Wallet', kind: 'id', of: ({ id }) => id },
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  address: { title: 'Address', kind: 'id', of: ({ address }) => address },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
  assigned: { title: 'Assigned', kind: 'time', of: ({ assignedAt }) => timeOrNull(assignedAt) },
} satisfies Columns<Wallet>
