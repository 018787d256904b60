import type { Settings } from '../config.js'
import type { Network } from '../domain/network.js'
import { builtInEntries } from '../networks/catalogue/built-in.js'
import type { NetworkEntry } from '../networks/catalogue/entry.js'

/** The networks of a service: the two that are built in, then those of the operator's file. */
export function catalogueOf(settings: Settings): readonly NetworkEntry[] {
  return [...builtInEntries(settings), ...settings.networkEntries]
}

export function entryOf(settings: Settings, network: Network): NetworkEntry | undefined {
  return catalogueOf(settings).find(({ id }) => id === network)
}

/** Whether deposits are read from its nodes, and not only told by the gateway. */
export function isWatched({ urls, tokens }: NetworkEntry): boolean {
  return urls.length > 0 && tokens.every(({ contract }) => contract !== null)
}

/** Whether somebody tells the service of deposits of a network: its nodes, a gateway, or the sandbox. */
export function isReported({ sandbox, gatewaySecrets }: Settings, entry: NetworkEntry | undefined): boolean {
  return sandbox || gatewaySecrets.length > 0 || (entry !== undefined && isWatched(entry))
}
