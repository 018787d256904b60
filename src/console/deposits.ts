import type { Deposit } from '../domain/deposit.js'
import { canonicalAddress, type Network } from '../domain/network.js'
import { depositColumns } from '../listing/deposits.js'
import { markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { ownerLinks } from './owner.js'
import { cursorOf, given, kept, moreLink, noneText, oneOf, search } from './paging.js'
import { table } from './table.js'

export type DepositStore = Pick<Store, 'networks' | 'deposits' | 'overview' | 'wallets' | 'turns'>

const KINDS = ['pending', 'confirmed', 'dropped'] as const
/** Transfers of a transaction that are looked for. */
const INDEXES_TRIED = 1000

/** The deposits of all networks or of one, newest first, those to an address or to an owner, or those of a transaction. */
export async function depositsPage(store: DepositStore, { query }: Visit): Promise<ConsolePage> {
  const { ids, decimals } = store.networks
  const [network, kind] = [oneOf(query, 'network', ids), oneOf(query, 'state', KINDS)]
  const [transaction, address, owner] = [given(query, 'transaction'), given(query, 'address'), given(query, 'owner')]
  const isWanted = filterOf(store, { network, kind, address, owner })
  const found =
    transaction === null
      ? await search(store.turns, (page) => store.overview.deposits(page), isWanted, cursorOf(query))
      : await kept(await ofTransaction(store.deposits, network === null ? ids : [network], transaction), isWanted)
  const content = markup`${filterForm(links.deposits, [
    { name: 'network', label: 'Network', type: 'choice', value: network, choices: ids, any: 'any' },
    { name: 'transaction', label: 'Transaction', type: 'text', value: transaction },
    { name: 'address', label: 'Address', type: 'text', value: address },
    { name: 'owner', label: 'Owner of the wallet', type: 'text', value: owner },
    { name: 'state', label: 'State', type: 'choice', value: kind, choices: KINDS, any: 'any' },
  ])}
${ownerLinks(owner, 'deposits')}
${table({
  caption: transaction === null ? 'Newest first, by when they were first seen' : 'The deposits of this transaction',
  columns: depositColumns(decimals),
  items: found.items,
  links: {
    transaction: (one) => links.transaction(one.network, one.txHash),
    address: ({ toAddress }) => links.wallet(toAddress),
  },
  areIdsFull: transaction !== null,
  none: noneText(found, query, 'deposit'),
})}
${moreLink(found, links.deposits, query)}`
  return { title: 'Deposits', section: 'deposits', content }
}

interface Wanted {
  readonly network: Network | null
  readonly kind: (typeof KINDS)[number] | null
  readonly address: string | null
  /** Who has the wallet now. */
  readonly owner: string | null
}

/** Whether a deposit is wanted; null if all are. */
function filterOf({ wallets }: DepositStore, { network, kind, address, owner }: Wanted) {
  if (network === null && kind === null && address === null && owner === null) return null
  const isTo = (one: Deposit, wanted: string) => canonicalAddress(one.toAddress) === canonicalAddress(wanted)
  return async (deposit: Deposit): Promise<boolean> => {
    if (kind !== null && deposit.kind !== kind) return false
    if (network !== null && deposit.network !== network) return false
    if (address !== null && !isTo(deposit, address)) return false
    return owner === null || (await wallets.at(deposit.network, deposit.toAddress))?.owner === owner
  }
}

async function ofTransaction(
  deposits: DepositStore['deposits'],
  networks: readonly Network[],
  txHash: string,
): Promise<readonly Deposit[]> {
  const items: Deposit[] = []
  for (const one of networks) {
    for (let index = 0; index < INDEXES_TRIED; index += 1) {
      const deposit = await deposits.find(one, txHash, index)
      if (deposit !== undefined) items.push(deposit)
    }
  }
  return items
}
