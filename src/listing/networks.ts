import type { Columns } from './column.js'

/** How far the watcher of a network is. */
export interface NetworkRecord {
  readonly network: string
  /** Heights of the newest block of the network, of the last one that was read, and of the last confirmed one; null while unknown. */
  readonly head: number | null
  readonly block: number | null
  readonly confirmed: number | null
  readonly lag_blocks: number | null
  readonly lag_seconds: number | null
  readonly reorganisations: number
  /** Blocks that no node could give and that the network went on without. */
  readonly blocks_set_aside: number
  /** Why it cannot be watched, or why the last attempt failed; null if nothing is wrong. */
  readonly problem: string | null
}

/** A node of a watched network, counted since the start of the service. */
export interface NodeRecord {
  readonly network: string
  /** Scheme, host and port. */
  readonly name: string
  /** False while it is skipped after failures. */
  readonly is_used: boolean
  readonly requests: number
  readonly failures: number
}

/** How far the follower of the ledger is. */
export interface LedgerRecord {
  /** Since everything that the stores list was known; null before the first time. */
  readonly lag_seconds: number | null
  readonly stores: number
  readonly silent_stores: number
  readonly read_apis: number
  readonly silent_read_apis: number
  readonly transactions: number
  /** Listed transactions that could not be read, and why in words; null when there are none. */
  readonly set_aside: number
  readonly set_aside_why: string | null
  /** Why the last poll failed; null if it did not. */
  readonly problem: string | null
}

function figure(value: number | null): string | null {
  return value === null ? null : String(value)
}

export const networkColumns = {
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  head: { title: 'Head', kind: 'figure', of: ({ head }) => figure(head) },
  block: { title: 'Read up to', kind: 'figure', of: ({ block }) => figure(block) },
  confirmed: { title: 'Confirmed', kind: 'figure', of: ({ confirmed }) => figure(confirmed) },
  lagBlocks: { title: 'Lag, blocks', kind: 'figure', of: ({ lag_blocks }) => figure(lag_blocks) },
  lagSeconds: { title: 'Lag, s', kind: 'figure', of: ({ lag_seconds }) => figure(lag_seconds) },
  reorganisations: { title: 'Reorganisations', kind: 'figure', of: ({ reorganisations }) => figure(reorganisations) },
  blocksSetAside: { title: 'Set aside', kind: 'figure', of: ({ blocks_set_aside }) => figure(blocks_set_aside) },
  problem: { title: 'Problem', of: ({ problem }) => problem },
} satisfies Columns<NetworkRecord>

export const nodeColumns = {
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  name: { title: 'Node', of: ({ name }) => name },
  isUsed: { title: 'State', of: ({ is_used }) => (is_used ? 'used' : 'skipped after failures') },
  requests: { title: 'Requests', kind: 'figure', of: ({ requests }) => String(requests) },
  failures: { title: 'Failures', kind: 'figure', of: ({ failures }) => String(failures) },
} satisfies Columns<NodeRecord>

export const ledgerColumns = {
  lag: { title: 'Lag, s', kind: 'figure', of: ({ lag_seconds }) => figure(lag_seconds) },
  stores: { title: 'Stores', kind: 'figure', of: ({ stores }) => figure(stores) },
  silent: { title: 'Silent', kind: 'figure', of: ({ silent_stores }) => figure(silent_stores) },
  readApis: { title: 'Read APIs', kind: 'figure', of: ({ read_apis }) => figure(read_apis) },
  silentReadApis: { title: 'Silent', kind: 'figure', of: ({ silent_read_apis }) => figure(silent_read_apis) },
  transactions: { title: 'Transactions', kind: 'figure', of: ({ transactions }) => figure(transactions) },
  setAside: { title: 'Set aside', kind: 'figure', of: ({ set_aside }) => figure(set_aside) },
  setAsideWhy: { title: 'Why', of: ({ set_aside_why }) => set_aside_why },
  problem: { title: 'Problem', of: ({ problem }) => problem },
} satisfies Columns<LedgerRecord>
