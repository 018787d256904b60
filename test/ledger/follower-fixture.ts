import type { IncomingEvent } from '../../src/actors/intake.js'
import type { CommittedAt, LedgerCursor } from '../../src/domain/ledger-cursor.js'
import type { EventOutcome } from '../../src/domain/ledger-fact.js'
import type { FollowedContracts } from '../../src/ledger/followed-contracts.js'
import { LedgerFollower } from '../../src/ledger/follower.js'
import type { LedgerSource, Listing, LookedUp } from '../../src/ledger/ledger-source.js'
import { createLog } from '../../src/log.js'
import type { Cancel } from '../../src/scheduler.js'
import type { Store } from '../../src/store/store.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

export const POLL_MS = 1000
export const FOLLOWED: FollowedContracts = {
  contracts: [
    { role: 'onboard', namespace: 'shop', contract: 'c1' },
    { role: 'assign', namespace: 'shop', contract: 'c2' },
  ],
  onboardingName: 'shop.onboarding',
}

/** The id of a stream that a test calls by a short name. */
export function idOf(name: string): string {
  return Buffer.from(name).toString('hex').padStart(64, '0')
}

/** The name behind an id of `idOf`. */
export function nameOf(id: string): string {
  return Buffer.from(id.replace(/^(00)*/, ''), 'hex').toString()
}

export function onboardTx(publicKey: string) {
  return {
    $selfsign: true,
    $tx: { $contract: 'c1', $namespace: 'shop', $i: { otk: { publicKey, type: 'secp256k1' } } },
  }
}

/** The wallet and the owner by name. */
export function assignTx(wallet: string, owner: string) {
  const $i = { owner: { $stream: idOf(owner), personal: true } }
  return { $tx: { $contract: 'c2', $namespace: 'shop', $i, $o: { wallet: { $stream: idOf(wallet) } } } }
}

/** A ledger that does what the test wants, in no time. */
export class ScriptedLedger implements LedgerSource {
  readonly rows: CommittedAt[] = []
  /** Transactions that were looked up, in order. */
  readonly lookedUp: string[] = []
  /** The listings that were asked for. */
  readonly asked: { readonly fromMs: number; readonly limit: number }[] = []
  /** Transactions that no node tells at present. */
  readonly hidden = new Set<string>()
  /** Why listings fail at present; null when they do not. */
  failure: string | null = null
  isClosed = false
  private readonly transactions = new Map<string, LookedUp>()

  /** Commits a transaction, listed among its time's others in the order of their ids, as a node does. */
  commit(
    timestampMs: number,
    transaction: Readonly<Record<string, unknown>> | 'too-long',
    umid = this.nextUmid(),
  ): string {
    const isBefore = (row: CommittedAt) =>
      row.timestampMs < timestampMs || (row.timestampMs === timestampMs && row.umid < umid)
    this.rows.splice(this.rows.findLastIndex(isBefore) + 1, 0, { umid, timestampMs })
    const found = { kind: 'found', transaction: { ...(transaction as object), $umid: umid } } as const
    this.transactions.set(umid, transaction === 'too-long' ? { kind: 'too-long' } : found)
    return umid
  }

  async umids(fromMs: number, limit: number): Promise<Listing> {
    this.asked.push({ fromMs, limit })
    if (this.failure !== null) return { kind: 'unclear', why: this.failure }
    return { kind: 'rows', rows: this.since(fromMs).slice(0, limit) }
  }

  async transaction(umid: string): Promise<LookedUp> {
    this.lookedUp.push(umid)
    if (this.hidden.has(umid)) return { kind: 'missing' }
    return this.transactions.get(umid) ?? { kind: 'missing' }
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  private since(fromMs: number): readonly CommittedAt[] {
    return this.rows.slice(this.rows.findLastIndex((row) => row.timestampMs < fromMs) + 1)
  }

  private nextUmid(): string {
    return this.rows.length.toString(16).padStart(64, '0')
  }
}

/** The part of a service that a follower changes. */
export interface FollowingService extends Pick<Store, 'ledgerCursor' | 'saveLedgerCursor'> {
  apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]>
}

/** A service that fails when the test wants it to. What is in it outlives the follower, like a disk. */
export class ScriptedService implements FollowingService {
  cursor: LedgerCursor | undefined
  /** Facts that were applied, in order. */
  readonly applied: IncomingEvent[] = []
  /** Everything that was told, repetitions included. */
  told = 0
  applyFailure: Error | null = null
  saveFailure: Error | null = null
  private readonly known = new Set<string>()

  async apply(events: readonly IncomingEvent[]): Promise<readonly EventOutcome[]> {
    if (this.applyFailure !== null) throw this.applyFailure
    this.told += events.length
    return events.map((event) => this.applyOne(event))
  }

  ledgerCursor(): LedgerCursor | undefined {
    return this.cursor
  }

  async saveLedgerCursor(cursor: LedgerCursor): Promise<void> {
    if (this.saveFailure !== null) throw this.saveFailure
    this.cursor = cursor
  }

  private applyOne(event: IncomingEvent): EventOutcome {
    const { eventId, fact } = event
    if (eventId === null) throw new Error('a fact of the ledger has no id')
    if (this.known.has(eventId)) return { status: 'duplicate' }
    if (fact.type === 'wallet.assigned' && fact.owner === idOf('')) return { status: 'rejected', error: 'no owner' }
    this.known.add(eventId)
    this.applied.push(event)
    return { status: 'applied' }
  }
}

/** Tells when a follower begins a pause. */
export class PauseScheduler extends ManualScheduler {
  private readonly wakes: ((delayMs: number) => void)[] = []

  override after(delayMs: number, task: () => void): Cancel {
    for (const wake of this.wakes.splice(0)) wake(delayMs)
    return super.after(delayMs, task)
  }

  /** The length of the next pause, in milliseconds, once it begins. */
  paused(): Promise<number> {
    return new Promise((resolve) => this.wakes.push(resolve))
  }
}

export interface FollowerFields {
  readonly followed?: FollowedContracts
  readonly origin?: string
  readonly fromMs?: number
  readonly random?: () => number
}

/** A follower in the hands of a test. */
export class FollowerFixture {
  readonly clock = new ManualClock()
  readonly scheduler = new PauseScheduler()
  /** What was logged, parsed. */
  readonly log: Readonly<Record<string, unknown>>[] = []
  readonly follower: LedgerFollower

  constructor(
    readonly ledger: LedgerSource,
    readonly service: FollowingService,
    { followed = FOLLOWED, origin = 'origin', fromMs = 0, random = () => 1 }: FollowerFields = {},
  ) {
    this.follower = new LedgerFollower({
      source: ledger,
      followed,
      origin,
      fromMs,
      pollMs: POLL_MS,
      store: service,
      apply: (events) => service.apply(events),
      clock: this.clock,
      scheduler: this.scheduler,
      random,
      log: createLog('info', { write: (line: string) => this.log.push(JSON.parse(line)) }),
    })
  }

  /** What was logged as a warning or an error. */
  get complaints(): readonly Readonly<Record<string, unknown>>[] {
    return this.log.filter(({ level }) => level !== 'info')
  }

  /** Starts, and answers the pause after the first looks. */
  async start(): Promise<number> {
    const paused = this.scheduler.paused()
    this.follower.start()
    return paused
  }

  /** Lets so much time pass and answers the pause after the looks that follow. */
  async pass(ms: number): Promise<number> {
    const paused = this.scheduler.paused()
    this.clock.advance(ms)
    this.scheduler.pass(ms)
    return paused
  }
}

/** Follows from the start until there is nothing more, then stops. */
export async function followOnce(
  ledger: LedgerSource,
  service: FollowingService,
  fields: FollowerFields = {},
): Promise<FollowerFixture> {
  const fixture = new FollowerFixture(ledger, service, fields)
  await fixture.start()
  await fixture.follower.stop()
  return fixture
}
