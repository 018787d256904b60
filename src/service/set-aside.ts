import { isTrouble } from '../domain/aside.js'
import type { SetAside } from '../listing/aside.js'
import type { Store } from '../store/store.js'

/** What was set aside, of all networks, and an operator should know of. */
export async function setAsideOf(store: Pick<Store, 'networks' | 'aside' | 'readClock'>): Promise<SetAside> {
  const { networks, aside } = store
  const blocks = await Promise.all(networks.ids.map((network) => aside.blocks(network)))
  const nowMs = await store.readClock()
  const deposits = (await aside.deposits()).filter((one) => isTrouble(one, nowMs))
  return { blocks: blocks.flat(), deposits }
}
