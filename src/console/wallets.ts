import type { Wallet } from '../domain/wallet.js'
import { walletColumns } from '../listing/wallets.js'
import { type Markup, markup } from '../page/markup.js'
import type { Page } from '../store/reading.js'
import type { Store } from '../store/store.js'
import type { Visit } from './entrance.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { listPage } from './list-page.js'

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
  const { wallets, overview, turns } = store
  return await listPage(turns, query, {
    title: 'Wallets',
    section: 'wallets',
    what: 'wallet',
    filters: {
      owner: { label: 'Owner' },
      id: { label: 'Wallet or address' },
      state: { label: 'State', choices: STATES },
    },
    columns: walletColumns,
    links: walletLinks,
    above: await pool(store),
    choose: async ({ owner, id, state }) => ({
      caption: captionOf(owner, id),
      from:
        id === null
          ? (page: Page) => (owner === null ? overview.wallets(page) : wallets.page(owner, page))
          : await named(store, id),
      conditions: [
        id === null || owner === null ? null : (wallet: Wallet) => wallet.owner === owner,
        state === null ? null : (wallet: Wallet) => (wallet.owner === null) === (state === 'pool'),
      ],
      areIdsFull: id !== null,
    }),
  })
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

/** The wallet of an id, or those at an address, of which there is one on a network. */
async function named({ networks, wallets }: WalletStore, name: string): Promise<readonly Wallet[]> {
  const found = await Promise.all([wallets.find(name), ...networks.ids.map((network) => wallets.at(network, name))])
  return found.filter((wallet) => wallet !== undefined)
}
