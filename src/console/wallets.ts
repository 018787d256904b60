import type { Wallet } from '../domain/wallet.js'
import { walletColumns } from '../listing/wallets.js'
import { type Markup, markup } from '../page/markup.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import { filterForm } from './filter.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { ownerLinks } from './owner.js'
import { cursorOf, type Found, given, kept, moreLink, noneText, oneOf, search } from './paging.js'
import { table } from './table.js'

export type WalletStore = Pick<Store, 'networks' | 'wallets' | 'overview' | 'turns'>

const STATES = ['pool', 'assigned'] as const
/** Wallets that can be claimed are counted no further. */
const CLAIMABLE_COUNTED_MAX = 1000

/** From a wallet to itself, to what was deposited there, and to its owner's wallets. */
export const walletLinks = {
  id: ({ id }: Wallet) => links.wallet(id),
  address: ({ network, address }: Wallet) =>
    network === null || address === null ? null : links.depositsTo(network, address),
  owner: ({ owner }: Wallet) => (owner === null ? null : links.ofOwner('wallets', owner)),
}

/** The pool, and the wallets of all owners or of one. */
export async function walletsPage(store: WalletStore, { query }: Visit): Promise<ConsolePage> {
  const [owner, id, state] = [given(query, 'owner'), given(query, 'id'), oneOf(query, 'state', STATES)]
  const hasState = (wallet: Wallet) => state === null || (wallet.owner === null) === (state === 'pool')
  const isWanted = (wallet: Wallet) => hasState(wallet) && (owner === null || wallet.owner === owner)
  const found =
    id === null
      ? await list(store, query, owner, state === null ? null : hasState)
      : await kept(await named(store, id), isWanted)
  const content = markup`${await pool(store)}
${filterForm(links.wallets, [
  { name: 'owner', label: 'Owner', type: 'text', value: owner },
  { name: 'id', label: 'Wallet or address', type: 'text', value: id },
  { name: 'state', label: 'State', type: 'choice', value: state, choices: STATES, any: 'any' },
])}
${ownerLinks(owner, 'wallets')}
${table({
  caption: captionOf(owner, id),
  columns: walletColumns,
  items: found.items,
  links: walletLinks,
  areIdsFull: id !== null,
  none: noneText(found, query, 'wallet'),
})}
${moreLink(found, links.wallets, query)}`
  return { title: 'Wallets', section: 'wallets', content }
}

function captionOf(owner: string | null, id: string | null): string {
  if (id !== null) return 'The wallet with this id or address'
  return owner === null ? 'In the order of their ids' : 'Latest assignment first'
}

async function pool({ networks, wallets }: WalletStore): Promise<Markup> {
  const counts: Markup[] = []
  for (const network of networks.present) {
    const count = await wallets.countClaimable(network, CLAIMABLE_COUNTED_MAX)
    const text = count === CLAIMABLE_COUNTED_MAX ? `${CLAIMABLE_COUNTED_MAX} or more` : String(count)
    const unassigned = (await wallets.countUnassigned(network)).toLocaleString('en')
    const withdrawn = await wallets.countWithdrawn(network)
    const gone = withdrawn === 0 ? '' : `; ${withdrawn.toLocaleString('en')} were withdrawn from the pool`
    counts.push(markup`<li><strong>${text}</strong> can be claimed on ${network}, of ${unassigned} without an owner${gone}</li>
`)
  }
  return markup`<ul class="counts">
${counts}</ul>`
}

async function list(
  { wallets, overview, turns }: WalletStore,
  query: URLSearchParams,
  owner: string | null,
  isWanted: ((wallet: Wallet) => boolean) | null,
): Promise<Found<Wallet>> {
  return await search(
    turns,
    (page) => (owner === null ? overview.wallets(page) : wallets.page(owner, page)),
    isWanted,
    cursorOf(query),
  )
}

/** The wallet of an id, or those at an address, of which there is one on a network. */
async function named({ networks, wallets }: WalletStore, name: string): Promise<readonly Wallet[]> {
  const found = await Promise.all([wallets.find(name), ...networks.ids.map((network) => wallets.at(network, name))])
  return found.filter((wallet) => wallet !== undefined)
}
