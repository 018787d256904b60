import type { Clock } from '../../src/clock.js'
import { createPooledRandom, IdGenerator, randomKeyId } from '../../src/crypto/id.js'
import { DAY_MS } from '../../src/domain/api-key.js'
import { LATE_DAYS_DEFAULT } from '../../src/domain/voiding.js'
import { type LmdbStore, type LmdbStoreOptions, openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import type { StoreHarness } from '../contract/store/harness.js'
import { assertSound } from './check-data.js'
import { ManualClock } from './manual-clock.js'
import { TEST_NETWORKS } from './networks.js'
import { memoryDirectory } from './temporary-directory.js'

/** Options of an LMDB store in `directory` for tests: real ids, and secrets that count up. */
export function lmdbStoreOptions(directory: string, clock: Clock): LmdbStoreOptions {
  const random = createPooledRandom()
  const ids = new IdGenerator(random)
  let secrets = 0
  return {
    directory,
    mayBegin: true,
    // How long a commit takes must not decide what it does.
    clock: { now: () => clock.now(), elapsed: () => 0 },
    networks: TEST_NETWORKS,
    flawOfAddress: () => null,
    areWalletsShared: true,
    lateMs: LATE_DAYS_DEFAULT * DAY_MS,
    underpayment: 0,
    areCoinsMixed: true,
    newId: (nowMs) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => (++secrets).toString(16).padStart(64, '0'),
  }
}

/** An LMDB store in a directory of its own. What every scenario leaves behind must stand up to a check. */
export async function openLmdbHarness(): Promise<StoreHarness> {
  const directory = memoryDirectory()
  const clock = new ManualClock()
  const options = lmdbStoreOptions(directory.path, clock)
  let failure: Error | null = null
  let flaw: RegExp | null = null
  const newId = (nowMs: number): Buffer => {
    if (failure !== null) throw failure
    return options.newId(nowMs)
  }
  let store: LmdbStore = await openLmdbStore({ ...options, newId })
  return {
    get store() {
      return store
    },
    clock,
    failIds(error) {
      failure = error
    },
    async reopen(changed = {}) {
      await store.close()
      store = await openLmdbStore({ ...options, newId, ...changed })
    },
    expectFlaw(what) {
      flaw = what
    },
    async discard() {
      await store.close()
      try {
        await assertSound(directory.path, flaw)
      } finally {
        directory.remove()
      }
    },
  }
}
