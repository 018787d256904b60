import { NETWORK_KINDS, type NetworkAbout, type Networks } from '../../domain/network.js'
import { withUsedNetworks } from '../rules/networks.js'
import { behindNetwork, networkKey } from './tables/keys.js'
import { flag, integer, oneOf, recordCodec, text } from './tables/record-codec.js'
import { firstKey, type Tables } from './tables/tables.js'

export const networkCodec = recordCodec<Omit<NetworkAbout, 'id'>>('networks', 1, {
  kind: oneOf(NETWORK_KINDS),
  name: text,
  symbol: text,
  tokenSymbol: text,
  decimals: integer,
  isTest: flag,
})

export function putNetwork({ networks }: Pick<Tables, 'networks'>, { id, ...about }: NetworkAbout): void {
  networks.putSync(Buffer.from(id), networkCodec.encode(about))
}

/**
 * Remembers what the catalogue says of the networks, and adds those to them that are used and not there any more. Throws
 * `OperatorError` when a network that is used has become another one.
 */
export async function rememberNetworks(tables: Tables, present: Networks): Promise<Networks> {
  const remembered = [...tables.networks.getRange()].map(({ key, value }): NetworkAbout => {
    return { id: key.toString(), ...networkCodec.decode(value) }
  })
  const all = withUsedNetworks(
    present,
    remembered.filter(({ id }) => isUsed(tables, id)),
  )
  const known = new Map(remembered.map((about) => [about.id, networkCodec.encode(about)]))
  const changed = present.all.filter((about) => known.get(about.id)?.equals(networkCodec.encode(about)) !== true)
  if (changed.length > 0) {
    await tables.root.transaction(() => {
      for (const about of changed) putNetwork(tables, about)
    })
  }
  return all
}

/** Whether a wallet or a deposit is on it. */
function isUsed({ addresses }: Tables, id: string): boolean {
  return firstKey(addresses, networkKey(id), behindNetwork(id)) !== undefined
}
