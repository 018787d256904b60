import type { Network } from '../../../domain/network.js'
import { NEVER_WATCHED, type Watch } from '../../../domain/watch.js'
import type { Commit, Reader } from '../commit/commit.js'
import { networkKey } from '../tables/keys.js'
import { integer, orNull, recordCodec, text } from '../tables/record-codec.js'

export const watchCodec = recordCodec<Watch>('watches', 1, {
  watchedAt: orNull(integer),
  firstWalletAt: orNull(integer),
  settings: orNull(text),
})

export function findWatch({ tables }: Reader, network: Network): Watch {
  const bytes = tables.watches.getBinaryFast(networkKey(network))
  return bytes === undefined ? NEVER_WATCHED : watchCodec.decode(bytes)
}

export function putWatch(commit: Commit, network: Network, change: Partial<Watch>): Watch {
  const watch = { ...findWatch(commit, network), ...change }
  commit.tables.watches.putSync(networkKey(network), watchCodec.encode(watch))
  return watch
}

/** Notes that a wallet of the network is known: the first one counts. */
export function noteWallet(commit: Commit, network: Network, atMs: number): void {
  const { firstWalletAt } = findWatch(commit, network)
  if (firstWalletAt === null || atMs < firstWalletAt) putWatch(commit, network, { firstWalletAt: atMs })
}
