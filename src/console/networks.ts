import type { Column } from '../listing/column.js'
import { type LedgerRecord, ledgerColumns, type NetworkRecord, networkColumns } from '../listing/networks.js'
import type { EndpointHealth } from '../networks/network-reader.js'
import { markup } from '../page/markup.js'
import type { ConsolePage } from './layout.js'
import { table } from './table.js'

/** A node, and the network that it is of. */
export type NodeHealth = EndpointHealth & { readonly network: string }

/** How far the watched networks and the followed ledger are. */
export interface Progress {
  networks(): readonly NetworkRecord[]
  nodes(): readonly NodeHealth[]
  /** Null if no ledger is followed. */
  ledger(): LedgerRecord | null
}

const nodeColumns = {
  network: { title: 'Network', of: ({ network }) => network },
  name: { title: 'Node', of: ({ name }) => name },
  isUsed: { title: 'State', of: ({ isUsed }) => (isUsed ? 'used' : 'skipped after failures') },
  requests: { title: 'Requests', kind: 'figure', of: ({ requests }) => String(requests) },
  failures: { title: 'Failures', kind: 'figure', of: ({ failures }) => String(failures) },
} satisfies Readonly<Record<string, Column<NodeHealth>>>

export function networksPage(progress: Progress): ConsolePage {
  const ledger = progress.ledger()
  const content = markup`${table({
    caption: 'Watched networks',
    columns: networkColumns,
    items: progress.networks(),
    links: {},
    none: 'No network is watched.',
  })}
<h2>Nodes</h2>
${table({ caption: 'Since the start', columns: nodeColumns, items: progress.nodes(), links: {}, none: 'None.' })}
<h2>Ledger</h2>
${table({
  caption: 'The followed ledger',
  columns: ledgerColumns,
  items: ledger === null ? [] : [ledger],
  links: {},
  none: 'No ledger is followed.',
})}`
  return { title: 'Networks', section: 'networks', content }
}
