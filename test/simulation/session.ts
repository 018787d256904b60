import type { RandomFill } from '../../src/crypto/id.js'
import type { Store } from '../../src/store/store.js'
import type { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import type { ChainMoves } from './chain-moves.js'
import { Commands } from './commands.js'
import type { Engine, OpenedStore } from './engine.js'
import type { Facts } from './facts.js'
import { Life } from './life.js'
import type { Model } from './model/model.js'
import type { ScriptNetworks } from './networks.js'
import { OpenCommands } from './open-commands.js'
import { Referee, type Touched } from './referee.js'
import type { RefereeOfDeliveries } from './referee-of-deliveries.js'
import type { Profile } from './steps.js'

/** The core of a process from a start to the next crash or stop, on an open store. */
export interface Session extends OpenedStore {
  readonly life: Life
  readonly commands: Commands
  readonly open: OpenCommands
  /** Of the lease of the process that leads. */
  readonly lease: ManualScheduler
}

/** Puts a defect between the core and the store, to see that it is found. */
export type Disturb = (store: Store) => Store

export interface SessionParts {
  readonly engine: Engine
  readonly disturb: Disturb
  /** Counts the lives of all processes. */
  readonly number: number
  readonly clock: ManualClock
  readonly model: Model
  readonly facts: Facts
  readonly moves: ChainMoves
  readonly deliveries: RefereeOfDeliveries
  readonly profile: Profile
  readonly attemptsMax: number
  readonly isSettlingSlow: boolean
  readonly networks: ScriptNetworks
  /** What is charged on top of rates, in hundredths of a percent. */
  readonly spread: number
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
  const { engine, number, clock, model, facts, moves, deliveries, profile, ids, trace, touched, report } = parts
  const lease = new ManualScheduler()
  const { isSettlingSlow } = parts
  const { underpayment } = profile
  const opened = await engine.open({ clock, ids, scheduler: lease, isSettlingSlow, underpayment })
  const open = new OpenCommands()
  const life = new Life({
    store: parts.disturb(opened.store),
    areReadsSlow: engine.isRemote,
    clock,
    profile,
    attemptsMax: parts.attemptsMax,
    jitter: parts.jitter,
    calls: new Referee({ life: number, model, open, deliveries, now: () => clock.now(), trace, touched }),
    sends: deliveries.observerOf(number),
    report,
  })
  const { directory, intake, notify, calls } = life
  const commands = new Commands({
    model,
    open,
    profile,
    facts,
    moves,
    store: calls.port,
    directory,
    intake,
    notify,
    networks: parts.networks,
    spread: parts.spread,
    now: () => clock.now(),
    mayReadsFail: engine.isRemote,
    trace,
    report,
  })
  return { ...opened, life, commands, open, lease }
}
