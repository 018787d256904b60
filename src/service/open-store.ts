import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { createPooledRandom, IdGenerator, randomKeyId, randomSecretHex } from '../crypto/id.js'
import type { TokenDecimals } from '../domain/network.js'
import { addressCheck } from '../networks/wallet-address.js'
import { type LmdbStoreOptions, openLmdbStore } from '../store/lmdb/lmdb-store.js'
import type { Store } from '../store/store.js'

/** Opens the store in the configured data directory. Throws `StartError` if it cannot be used. */
export function openStore(
  settings: Settings,
  clock: Clock,
  observers: Pick<LmdbStoreOptions, 'commitObserver' | 'onCommitFailed' | 'migration'> = {},
): Promise<Store> {
  const random = createPooledRandom()
  const ids = new IdGenerator(random)
  return openLmdbStore({
    directory: settings.dataDirectory,
    clock,
    tokenDecimals: tokenDecimalsOf(settings),
    flawOfAddress: addressCheck({ SEP: settings.sepToken, 'TRX-NILE': settings.trxNileToken }),
    areWalletsShared: settings.sharedWallets,
    newId: ids.next.bind(ids),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
    ...observers,
  })
}

/** The decimals of the token on each network. */
export function tokenDecimalsOf(settings: Settings): TokenDecimals {
  return { SEP: settings.sepTokenDecimals, 'TRX-NILE': settings.trxNileTokenDecimals }
}
