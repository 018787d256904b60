import type { Decimals } from '../domain/network.js'
import { blockAsideColumns, depositAsideColumns, type SetAside } from '../listing/aside.js'
import {
  type LedgerRecord,
  ledgerColumns,
  type NetworkRecord,
  type NodeRecord,
  networkColumns,
  nodeColumns,
} from '../listing/networks.js'
import { markup } from '../page/markup.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { table } from './table.js'

/** How far the watched networks and the followed ledger are. */
export interface Progress {
  networks(): readonly NetworkRecord[]
  nodes(): readonly NodeRecord[]
  /** Null if no ledger is followed. */
  ledger(): LedgerRecord | null
}

export function networksPage(progress: Progress, aside: SetAside, decimals: Decimals): ConsolePage {
  const ledger = progress.ledger()
  const content = markup`<p><a href="">Refresh</a></p>
${table({
  caption: 'Watched networks',
  columns: networkColumns,
  items: progress.networks(),
  links: {},
  none: 'No network is watched: deposits are reported by the gateway or, in the sandbox, simulated.',
})}
<h2>Nodes</h2>
${table({ caption: 'Counted since the start of the service', columns: nodeColumns, items: progress.nodes(), links: {}, none: 'No node is asked.' })}
<h2>Set aside</h2>
${table({
  caption: 'Blocks that no node can give in full: those that are set aside are asked for in the background',
  columns: blockAsideColumns,
  items: aside.blocks,
  links: {},
  none: 'Every block could be read.',
})}
${table({
  caption: 'Deposits whose recording failed: they are kept, and tried again',
  columns: depositAsideColumns(decimals),
  items: aside.deposits,
  links: {
    transaction: ({ sighting }) => links.transaction(sighting.network, sighting.txHash),
    address: ({ sighting }) => links.wallet(sighting.toAddress),
  },
  none: 'Every deposit could be recorded.',
})}
<h2>Ledger</h2>
${table({
  caption: 'The followed ledger',
  columns: ledgerColumns,
  items: ledger === null ? [] : [ledger],
  links: {},
  none: 'No ledger is followed: wallets are reported by the gateway or, in the sandbox, simulated.',
})}`
  return { title: 'Networks', section: 'networks', content }
}
