import type { BlockAside, DepositAside } from '../domain/aside.js'
import type { Decimals } from '../domain/network.js'
import { type Columns, timeText } from './column.js'
import { amountText, currencyText } from './deposits.js'

/** What was set aside, of all networks. */
export interface SetAside {
  /** Those for which a network still waits, too. */
  readonly blocks: readonly BlockAside[]
  readonly deposits: readonly DepositAside[]
}

export const blockAsideColumns = {
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  height: { title: 'Block', kind: 'figure', of: ({ height }) => String(height) },
  state: { title: 'State', kind: 'word', of: ({ hash }) => (hash === null ? 'waited for' : 'set aside') },
  since: { title: 'Since', kind: 'time', of: ({ since }) => timeText(since) },
  hash: { title: 'Hash', kind: 'id', of: ({ hash }) => hash },
  reason: { title: 'Answers', of: ({ reason }) => reason },
} satisfies Columns<BlockAside>

export function depositAsideColumns(decimals: Decimals) {
  return {
    since: { title: 'Since', kind: 'time', of: ({ since }) => timeText(since) },
    network: { title: 'Network', kind: 'word', of: ({ sighting }) => sighting.network },
    report: { title: 'Reported as', kind: 'word', of: ({ report }) => report },
    amount: { title: 'Amount', kind: 'figure', of: ({ sighting }) => amountText(sighting, decimals) },
    currency: { title: 'Currency', of: ({ sighting }) => currencyText(sighting.currency) },
    transaction: { title: 'Transaction', kind: 'id', of: ({ sighting }) => sighting.txHash },
    index: { title: 'Index', kind: 'figure', of: ({ sighting }) => String(sighting.index) },
    address: { title: 'Address', kind: 'id', of: ({ sighting }) => sighting.toAddress },
    error: { title: 'Error', of: ({ error }) => error },
  } satisfies Columns<DepositAside>
}
