import { parseDatabaseAddress } from '../src/base/database-address.js'
import { createPooledRandom, IdGenerator, randomKeyId, randomSecretHex } from '../src/crypto/id.js'
import { DAY_MS } from '../src/domain/api-key.js'
import { LATE_DAYS_DEFAULT } from '../src/domain/voiding.js'
import { systemScheduler } from '../src/scheduler.js'
import { type LmdbStore, openLmdbStore } from '../src/store/lmdb/lmdb-store.js'
import { openPostgresStore } from '../src/store/postgres/postgres-store.js'
import type { Store } from '../src/store/store.js'
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

/** What both engines are opened with for measurements without a service. */
function options() {
  const ids = new IdGenerator(random)
  return {
    mayBegin: true,
    networks: TEST_NETWORKS,
    flawOfAddress: () => null,
    areWalletsShared: true,
    lateMs: LATE_DAYS_DEFAULT * DAY_MS,
    underpayment: 0,
    areCoinsMixed: true,
    newId: (ms: number) => ids.next(ms),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
  }
}

/** Opens a store for measurements in a directory. */
export function openBenchStore(directory: string, clock: SteppingClock): Promise<LmdbStore> {
  return openLmdbStore({ ...options(), clock, directory })
}

/** Opens one in a database. Its clock is that of the database unless another is given. */
export function openBenchDatabase(url: string, clock?: SteppingClock): Promise<Store> {
  const address = parseDatabaseAddress(url)
  if (address === undefined) throw new Error(`${url} is no address of a database`)
  return openPostgresStore({
    ...options(),
    ...(clock === undefined ? {} : { clock }),
    address,
    kind: 'real',
    scheduler: systemScheduler,
  })
}
