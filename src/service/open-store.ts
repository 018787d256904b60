import { parseDatabaseAddress } from '../base/database-address.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { createPooledRandom, IdGenerator, randomKeyId, randomSecretHex } from '../crypto/id.js'
import { DAY_MS } from '../domain/api-key.js'
import { networksOf } from '../networks/catalogue/entry.js'
import { addressCheck } from '../networks/wallet-address.js'
import { OperatorError } from '../operator-error.js'
import { systemScheduler } from '../scheduler.js'
import type { StoreCreation } from '../store/birth.js'
import type { CommitObserver } from '../store/commit-observer.js'
import { hasDataFile } from '../store/lmdb/file/data-file.js'
import { lockDirectory } from '../store/lmdb/file/directory-lock.js'
import { openLmdbStore } from '../store/lmdb/lmdb-store.js'
import type { MigrationControl } from '../store/migration.js'
import type { StorageUnavailable } from '../store/refusals.js'
import type { Store } from '../store/store.js'
import { catalogueOf } from './catalogue.js'

/** A volume that is not mounted is the usual cause. */
const CREATION_IS_OFF =
  ': see that it is the right one and that its volume is mounted; BILLHOOK_CREATE=on lets a new store begin there'

/** Who opens the store, and what is called meanwhile. */
interface Opening {
  readonly commitObserver?: CommitObserver
  readonly onUnavailable?: (reason: StorageUnavailable) => void
  readonly onDamaged?: (error: unknown) => void
  readonly onLockTimeout?: (reason: StorageUnavailable) => void
  readonly migration?: MigrationControl
  /** Whether it is a service, which decides what kind of data an empty database is to hold. Default: a command. */
  readonly isService?: boolean
  /** Whether a command may create a store where there is none, unless the settings forbid it. Default: a service may. */
  readonly mayBegin?: boolean
  readonly onCreated?: StoreCreation['onCreated']
  /** Called when the process that had the data directory before did not end in peace. */
  readonly onLeft?: () => void
}

/** Opens the configured store: the data directory's, or a database's. Throws `OperatorError` if it cannot be used. */
export async function openStore(settings: Settings, clock: Clock, opening: Opening = {}): Promise<Store> {
  const catalogue = catalogueOf(settings)
  const random = createPooledRandom()
  const ids = new IdGenerator(random)
  const { isService = false, mayBegin = isService, ...observers } = opening
  const common = {
    networks: networksOf(catalogue),
    flawOfAddress: addressCheck(catalogue),
    areWalletsShared: settings.sharedWallets,
    areCoinsMixed: settings.mixedNative,
    lateMs: settings.lateDays * DAY_MS,
    underpayment: settings.underpayment,
    newId: ids.next.bind(ids),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
    mayBegin: mayBegin && settings.create,
    ...(settings.create ? {} : { advice: CREATION_IS_OFF }),
    ...observers,
  }
  if (settings.store === 'lmdb') return openLmdbStore({ ...common, directory: settings.dataDirectory, clock })
  const address = parseDatabaseAddress(settings.store)
  if (address === undefined) throw new Error('a checked address of a database cannot be read')
  // The directory has the socket for commands and a sandbox's journal, of one process.
  const lock = lockDirectory(settings.dataDirectory)
  if (lock.before === 'death') observers.onLeft?.()
  try {
    const { openPostgresStore } = await import('../store/postgres/postgres-store.js')
    const kind = settings.sandbox ? 'sandbox' : 'real'
    const preparation = { kind: isService ? kind : null, scheduler: systemScheduler } as const
    const store = await openPostgresStore({ ...common, ...preparation, address })
    return { ...store, close: () => store.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Whether the state is in the data directory, and so are backups, checks and migrations the service's own work. */
export function keepsOwnData({ store }: Pick<Settings, 'store'>): boolean {
  return store === 'lmdb'
}

/** Throws `OperatorError` when the configured data directory holds no data. Opening says so of a database. */
export function assertHasData({ store, dataDirectory }: Pick<Settings, 'store' | 'dataDirectory'>, advice = ''): void {
  if (!keepsOwnData({ store }) || hasDataFile(dataDirectory)) return
  throw new OperatorError(`the data directory ${dataDirectory} holds no data${advice}`)
}
