import { NETWORKS } from '../domain/network.js'
import type { Wallet } from '../domain/wallet.js'
import { walletColumns } from '../listing/wallets.js'
import { type Markup, markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { cursorOf, type Found, given, moreLink, oneOf, search } from './paging.js'
import { table } from './table.js'

export type WalletStore = Pick<Store, 'wallets' | 'overview'>

const STATES = ['pool', 'assigned'] as const
/** Wallets that can be claimed are counted no further. */
const CLAIMABLE_COUNTED_MAX = 1000

/** The pool, and the wallets of all owners or of one. */
export async function walletsPage(store: WalletStore, { query }: Visit): Promise<ConsolePage> {
  const [owner, id, state] = [given(query, 'owner'), given(query, 'id'), oneOf(query, 'state', STATES)]
  const found = id === null ? await list(store, query, owner, state) : await named(store, id)
  const content = markup`${await pool(store)}
${filterForm(links.wallets, [
  { name: 'owner', label: 'Owner', type: 'text', value: owner },
  { name: 'id', label: 'Wallet or address', type: 'text', value: id },
  { name: 'state', label: 'State', type: 'choice', value: state, choices: STATES, any: 'any' },
])}
${table({
  caption: owner === null ? 'In the order of their ids' : 'Latest assignment first',
  columns: walletColumns,
  items: found.items,
  links: {
    id: (wallet) => links.wallet(wallet.id),
    owner: (wallet) => (wallet.owner === null ? null : links.ofOwner('wallets', wallet.owner)),
  },
  areIdsFull: id !== null,
  none: 'No wallet.',
})}
${moreLink(found, links.wallets, query)}`
  return { title: 'Wallets', section: 'wallets', content }
}

async function pool({ wallets }: WalletStore): Promise<Markup> {
  const counts: Markup[] = []
  for (const network of NETWORKS) {
    const count = await wallets.countClaimable(network, CLAIMABLE_COUNTED_MAX)
    const text = count === CLAIMABLE_COUNTED_MAX ? `${CLAIMABLE_COUNTED_MAX} or more` : String(count)
    counts.push(markup`<li><strong>${text}</strong> can be claimed on ${network}</li>
`)
  }
  return markup`<ul class="counts">
${counts}</ul>`
}

async function list(
  { wallets, overview }: WalletStore,
  query: URLSearchParams,
  owner: string | null,
  state: (typeof STATES)[number] | null,
): Promise<Found<Wallet>> {
  const isWanted = state === null ? null : (wallet: Wallet) => (wallet.owner === null) === (state === 'pool')
  return await search(
    (page) => (owner === null ? overview.wallets(page) : wallets.page(owner, page)),
    isWanted,
    cursorOf(query),
  )
}

/** The wallet of an id, or those at an address, of which there is one on a network. */
async function named({ wallets }: WalletStore, name: string): Promise<Found<Wallet>> {
  const found = await Promise.all([wallets.find(name), ...NETWORKS.map((network) => wallets.at(network, name))])
  return { items: found.filter((wallet) => wallet !== undefined), next: null, searched: null }
}
