import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { randomSecretHex } from '../crypto/hmac.js'
import { createIdGenerator, randomKeyId } from '../crypto/id.js'
import { createPooledRandom } from '../crypto/random.js'
import type { TokenDecimals } from '../domain/network.js'
import { addressCheck } from '../networks/wallet-address.js'
import type { CommitObserver } from '../store/commit-observer.js'
import { openLmdbStore } from '../store/lmdb/lmdb-store.js'
import type { Store } from '../store/store.js'

/** Opens the store in the configured data directory. Throws `StartError` if it cannot be used. */
export function openStore(
  settings: Settings,
  clock: Clock,
  tokenDecimals: TokenDecimals,
  commitObserver: CommitObserver | undefined,
): Promise<Store> {
  const random = createPooledRandom()
  const ids = createIdGenerator(random)
  return openLmdbStore({
    directory: settings.dataDirectory,
    clock,
    tokenDecimals,
    flawOfAddress: addressCheck({ SEP: settings.sepToken, 'TRX-NILE': settings.trxNileToken }),
    areWalletsShared: settings.sharedWallets,
    newId: (nowMs) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
    ...(commitObserver === undefined ? {} : { commitObserver }),
  })
}
