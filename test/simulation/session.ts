import type { RandomFill } from '../../src/crypto/id.js'
import { IdGenerator, randomKeyId, randomSecretHex } from '../../src/crypto/id.js'
import { type LmdbStore, openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import type { Store } from '../../src/store/store.js'
import type { ManualClock } from '../support/manual-clock.js'
import type { ChainMoves } from './chain-moves.js'
import { Commands } from './commands.js'
import type { Facts } from './facts.js'
import { Life } from './life.js'
import type { Model } from './model/model.js'
import { OpenCommands } from './open-commands.js'
import { Referee, type Touched } from './referee.js'
import type { RefereeOfDeliveries } from './referee-of-deliveries.js'
import type { Profile } from './steps.js'

/** The core from a start to the next crash or stop, on an open store. */
export interface Session {
  readonly store: LmdbStore
  readonly life: Life
  readonly commands: Commands
  readonly open: OpenCommands
}

/** Puts a defect between the core and the store, to see that it is found. */
export type Disturb = (store: Store) => Store

export interface SessionParts {
  readonly directory: string
  readonly disturb: Disturb
  readonly clock: ManualClock
  readonly model: Model
  readonly facts: Facts
  readonly moves: ChainMoves
  readonly deliveries: RefereeOfDeliveries
  readonly profile: Profile
  readonly attemptsMax: number
  /** Where ids, key ids and secrets come from. */
  readonly ids: RandomFill
  /** Where the jitter of retries comes from. */
  readonly jitter: () => number
  readonly trace: (line: string) => void
  readonly touched: (what: Touched) => void
  readonly report: (error: unknown) => void
}

/** Opens the store, and starts the core on it. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { clock, model, facts, moves, deliveries, profile, ids: fill, trace, touched, report } = parts
  const ids = new IdGenerator(fill)
  const store = await openLmdbStore({
    directory: parts.directory,
    clock,
    tokenDecimals: { SEP: 6, 'TRX-NILE': 6 },
    flawOfAddress: () => null,
    areWalletsShared: true,
    newId: (nowMs) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(fill),
    randomSecretHex: () => randomSecretHex(fill),
  })
  const open = new OpenCommands()
  const life = new Life({
    store: parts.disturb(store),
    clock,
    profile,
    attemptsMax: parts.attemptsMax,
    jitter: parts.jitter,
    calls: new Referee({ model, open, deliveries, now: () => clock.now(), trace, touched }),
    sends: deliveries,
    report,
  })
  const { directory, intake, dispatcher, calls } = life
  const commands = new Commands({
    model,
    open,
    profile,
    facts,
    moves,
    store: calls.port,
    directory,
    intake,
    dispatcher,
    trace,
    report,
  })
  return { store, life, commands, open }
}
