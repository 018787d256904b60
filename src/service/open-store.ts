import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { randomSecretHex } from '../crypto/hmac.js'
import { IdGenerator, randomKeyId } from '../crypto/id.js'
import { createPooledRandom } from '../crypto/random.js'
import type { TokenDecimals } from '../domain/network.js'
import { addressCheck } from '../networks/wallet-address.js'
import { assertDirectoryFits } from '../sandbox/sandbox-directory.js'
import { StartError } from '../start-error.js'
import type { CommitObserver } from '../store/commit-observer.js'
import { DATA_FILE } from '../store/lmdb/file/data-file.js'
import { openLmdbStore } from '../store/lmdb/lmdb-store.js'
import type { Store } from '../store/store.js'
import type { Shutdown } from './shutdown.js'
import { tokenContractsOf } from './tokens.js'

/**
 * Opens the store of a data directory that the service has used and no process uses now. Throws `StartError` otherwise.
 * The store is closed by `shutdown`.
 */
export async function openUnusedStore(
  settings: Settings,
  clock: Clock,
  tokenDecimals: TokenDecimals,
  shutdown: Shutdown,
): Promise<Store> {
  const { dataDirectory } = settings
  assertDirectoryFits(dataDirectory, false)
  if (!existsSync(join(dataDirectory, DATA_FILE))) {
    throw new StartError(`the data directory ${dataDirectory} holds no data`)
  }
  const store = await openStore(settings, clock, tokenDecimals, undefined)
  shutdown.add('store', () => store.close())
  return store
}

/** Opens the store in the configured data directory. Throws `StartError` if it cannot be used. */
export function openStore(
  settings: Settings,
  clock: Clock,
  tokenDecimals: TokenDecimals,
  commitObserver: CommitObserver | undefined,
): Promise<Store> {
  const random = createPooledRandom()
  const ids = new IdGenerator(random)
  return openLmdbStore({
    directory: settings.dataDirectory,
    clock,
    tokenDecimals,
    flawOfAddress: addressCheck(tokenContractsOf(settings)),
    areWalletsShared: settings.sharedWallets,
    newId: (nowMs) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
    ...(commitObserver === undefined ? {} : { commitObserver }),
  })
}
