import type { SetAside } from '../listing/aside.js'
import type { Store } from '../store/store.js'

/** What was set aside, of all networks. */
export async function setAsideOf({ networks, aside }: Pick<Store, 'networks' | 'aside'>): Promise<SetAside> {
  const blocks = await Promise.all(networks.ids.map((network) => aside.blocks(network)))
  return { blocks: blocks.flat(), deposits: await aside.deposits() }
}
