import type { LedgerNode } from './ledger-node.js'

/** What happens to the nodes of a ledger, or to the service, in turn. */
export const TROUBLES = [
  'one store is away',
  'two stores are away',
  'every store is away',
  'one read API is away',
  'two read APIs are away',
  'every read API is away',
  'one read API has lost its database',
  'two read APIs have lost their databases',
  'every read API has lost its database',
  'one node lags',
  'the service is killed',
] as const
export type Trouble = (typeof TROUBLES)[number]

/** After a minute of these the service has to say so. */
export const SHOWN: ReadonlySet<Trouble> = new Set(TROUBLES.filter((trouble) => trouble.endsWith(' away')))

/** Lets a trouble begin, at the first of the nodes. */
export function beginTrouble(trouble: Trouble, nodes: readonly LedgerNode[]): void {
  for (const node of nodes.slice(0, affected(trouble, nodes.length))) disturb(node, trouble)
}

export function endTroubles(nodes: readonly LedgerNode[]): void {
  for (const node of nodes) {
    node.isStoreAway = false
    node.apiTrouble = null
    node.isLagging = false
  }
}

/** How many nodes a trouble is about. */
function affected(trouble: Trouble, all: number): number {
  if (trouble.startsWith('every ')) return all
  if (trouble.startsWith('two ')) return 2
  return trouble.startsWith('one ') ? 1 : 0
}

function disturb(node: LedgerNode, trouble: Trouble): void {
  switch (trouble) {
    case 'one store is away':
    case 'two stores are away':
    case 'every store is away':
      node.isStoreAway = true
      return
    case 'one read API is away':
    case 'two read APIs are away':
    case 'every read API is away':
      node.apiTrouble = 'away'
      return
    case 'one read API has lost its database':
    case 'two read APIs have lost their databases':
    case 'every read API has lost its database':
      node.apiTrouble = 'empty'
      return
    case 'one node lags':
      node.isLagging = true
      return
    case 'the service is killed':
  }
}
