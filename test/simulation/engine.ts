import type { RandomFill } from '../../src/crypto/id.js'
import { IdGenerator, randomKeyId, randomSecretHex } from '../../src/crypto/id.js'
import { DAY_MS } from '../../src/domain/api-key.js'
import { LATE_DAYS_DEFAULT } from '../../src/domain/voiding.js'
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { SETTLING_PACE } from '../../src/store/rules/judge-report.js'
import type { Store } from '../../src/store/store.js'
import { CATALOGUE_NETWORKS } from '../support/catalogue.js'
import { checkData } from '../support/check-data.js'
import type { ManualClock } from '../support/manual-clock.js'
import type { ManualScheduler } from '../support/manual-scheduler.js'
import { memoryDirectory } from '../support/temporary-directory.js'

/** What the store of a process takes from the world. */
export interface StoreParts {
  readonly clock: ManualClock
  /** Where ids, key ids and secrets come from. */
  readonly ids: RandomFill
  /** Whether so little is settled at once that deposits wait behind one that pays a few invoices. */
  readonly isSettlingSlow: boolean
  /** For the lease of the process that leads. */
  readonly scheduler: ManualScheduler
  /** What an invoice may miss that is accepted by itself, in hundredths of a percent. */
  readonly underpayment: number
}

/** The store of a process from a start to a crash or stop. */
export interface OpenedStore {
  readonly store: Store
  /** What can go wrong between the process and its database. Null where both are one. */
  readonly line: Line | null
  /** The process is gone, and nothing is closed in order. */
  abandon(): Promise<void>
}

/** Between a process and its database. */
export interface Line {
  /** Resets the connection that carries the next message but so many. */
  cutAfter(messages: number): void
  /** The process dies when the next message but so many is to pass. */
  dieAfter(messages: number): void
  /** How long a message takes from now on. */
  delay(ms: number): void
  readonly isDead: boolean
}

/** Where the processes of a world keep their data. */
export interface Engine {
  /** Whether reads answer with promises, and calls at once are performed in an order that the engine chooses. */
  readonly isRemote: boolean
  open(parts: StoreParts): Promise<OpenedStore>
  /** A store for looks from outside of all processes; null for that of the process. */
  readonly beside: Store | null
  /** The commit behind the next `commits` ones fails with this error of SQL, once. */
  failCommit(commits: number, code: string): Promise<void>
  /** What a check finds in the end. */
  check(): Promise<readonly unknown[]>
  remove(): Promise<void>
}

/** Makes the engine of one world. */
export type MakeEngine = (clock: ManualClock) => Promise<Engine>

/** Options that are the same for all engines. */
export function storeOptions({ clock, ids: fill, isSettlingSlow, underpayment }: Omit<StoreParts, 'scheduler'>) {
  const ids = new IdGenerator(fill)
  return {
    // How long a commit takes must not decide what it does.
    clock: { now: () => clock.now(), elapsed: () => 0 },
    networks: CATALOGUE_NETWORKS,
    flawOfAddress: () => null,
    areWalletsShared: true,
    lateMs: LATE_DAYS_DEFAULT * DAY_MS,
    underpayment,
    pace: isSettlingSlow ? { beforeChoices: 1, withDeposit: 1 } : SETTLING_PACE,
    areCoinsMixed: true,
    newId: (nowMs: number) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(fill),
    randomSecretHex: () => randomSecretHex(fill),
  } as const
}

/** One process on a directory in memory. */
export const onLmdb: MakeEngine = async () => {
  const place = memoryDirectory()
  return {
    isRemote: false,
    beside: null,
    open: async (parts) => {
      const store = await openLmdbStore({ directory: place.path, mayBegin: true, ...storeOptions(parts) })
      return { store, line: null, abandon: () => store.close() }
    },
    failCommit: async () => {},
    check: async () => (await checkData(place.path)).found,
    remove: async () => place.remove(),
  }
}
