import { createPooledRandom, IdGenerator, randomKeyId, randomSecretHex } from '../src/crypto/id.js'
import { DAY_MS } from '../src/domain/api-key.js'
import { LATE_DAYS_DEFAULT } from '../src/domain/voiding.js'
import { type LmdbStore, openLmdbStore } from '../src/store/lmdb/lmdb-store.js'
import { TEST_NETWORKS } from '../test/support/networks.js'

/** A clock that advances by a millisecond each time it is read. */
export class SteppingClock {
  /** `commands` is about how many commands will run on it: it must not pass the present. */
  constructor(
    commands: number,
    public current = Date.now() - commands - 60_000,
  ) {}

  now(): number {
    this.current += 1
    return this.current
  }
}

const random = createPooledRandom()

/** Opens a store for measurements without a service. */
export function openBenchStore(directory: string, clock: SteppingClock): Promise<LmdbStore> {
  const ids = new IdGenerator(random)
  return openLmdbStore({
    mayBegin: true,
    directory,
    clock,
    networks: TEST_NETWORKS,
    flawOfAddress: () => null,
    areWalletsShared: true,
    lateMs: LATE_DAYS_DEFAULT * DAY_MS,
    underpayment: 0,
    areCoinsMixed: true,
    newId: (ms) => ids.next(ms),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
  })
}
