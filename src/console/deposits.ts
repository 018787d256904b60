import type { Deposit } from '../domain/deposit.js'
import { NETWORKS, type Network } from '../domain/network.js'
import { depositColumns } from '../listing/deposits.js'
import { markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { cursorOf, type Found, given, moreLink, oneOf, search } from './paging.js'
import { table } from './table.js'

export type DepositStore = Pick<Store, 'deposits' | 'overview'>

const KINDS = ['pending', 'confirmed', 'dropped'] as const
/** Transfers of a transaction that are looked for. */
const INDEXES_TRIED = 1000

/** The deposits of all networks or of one, newest first, or those of a transaction. */
export async function depositsPage({ deposits, overview }: DepositStore, { query }: Visit): Promise<ConsolePage> {
  const network = oneOf(query, 'network', NETWORKS)
  const [transaction, kind] = [given(query, 'transaction'), oneOf(query, 'state', KINDS)]
  const isWanted = (deposit: Deposit) =>
    (kind === null || deposit.kind === kind) && (network === null || deposit.network === network)
  const found =
    transaction === null
      ? await search((page) => overview.deposits(page), (kind ?? network) === null ? null : isWanted, cursorOf(query))
      : await ofTransaction(deposits, network === null ? NETWORKS : [network], transaction)
  const content = markup`${filterForm(links.deposits, [
    { name: 'network', label: 'Network', type: 'choice', value: network, choices: NETWORKS, any: 'any' },
    { name: 'transaction', label: 'Transaction', type: 'text', value: transaction },
    { name: 'state', label: 'State', type: 'choice', value: kind, choices: KINDS, any: 'any' },
  ])}
${table({
  caption: transaction === null ? 'Newest first, by when they were first seen' : 'The deposits of this transaction',
  columns: depositColumns,
  items: found.items,
  links: { transaction: (one) => links.transaction(one.network, one.txHash) },
  areIdsFull: transaction !== null,
  none: 'No deposit.',
})}
${moreLink(found, links.deposits, query)}`
  return { title: 'Deposits', section: 'deposits', content }
}

async function ofTransaction(
  deposits: DepositStore['deposits'],
  networks: readonly Network[],
  txHash: string,
): Promise<Found<Deposit>> {
  const items: Deposit[] = []
  for (const network of networks) {
    for (let index = 0; index < INDEXES_TRIED; index += 1) {
      const deposit = await deposits.find(network, txHash, index)
      if (deposit !== undefined) items.push(deposit)
    }
  }
  return { items, next: null, searched: null }
}
