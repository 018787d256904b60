import type { Intake } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import { type DepositAside, isTrouble, isWaiting } from '../domain/aside.js'
import type { Network } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import type { AsidePort } from '../store/aside.js'
import { BackgroundWork } from './background-work.js'

/** Pause between two looks at what is set aside. */
const ROUND_MS = 1000
/** Pause between two attempts at what waits. Each settles a piece of what it waits for. */
const WAITING_PAUSE_MS = 50
/** Pause between two attempts at what failed. The first one is made at the start: a new version may have fixed the cause. */
const RETRY_MS = 10 * 60_000
/** Deposits that are tried together. All their wallets take one turn. */
const TRIED_AT_ONCE = 50

export interface DepositsAsideOptions {
  readonly aside: Pick<AsidePort, 'deposits'>
  readonly intake: Pick<Intake, 'observe'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
}

/** Records the deposits that wait, tries those again whose recording failed, and knows how many are in trouble. */
export class DepositsAside {
  private readonly work: BackgroundWork
  private counts: ReadonlyMap<Network, number> = new Map()
  private triedAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly options: DepositsAsideOptions) {
    const { scheduler, log } = options
    this.work = new BackgroundWork({
      piece: () => this.round(),
      pauseMs: WAITING_PAUSE_MS,
      roundMs: ROUND_MS,
      scheduler,
      log,
      complaint: 'deposits that were set aside cannot be tried again',
    })
  }

  start(): void {
    this.work.start()
  }

  /** Resolves when no attempt is in progress. */
  stop(): Promise<void> {
    return this.work.stop()
  }

  /** How many of them an operator should know of, at the last look, by network. */
  byNetwork(): ReadonlyMap<Network, number> {
    return this.counts
  }

  /** Whether some still wait. */
  private async round(): Promise<boolean> {
    const deposits = await this.read()
    if (deposits.length === 0) return false
    const waiting = deposits.filter(isWaiting).sort(byAge)
    for (const [network, own] of byNetwork(waiting)) await this.record(network, own.slice(0, TRIED_AT_ONCE))
    const failed = deposits.filter((one) => !isWaiting(one))
    if (failed.length > 0) await this.tryAgain(failed)
    return (await this.read()).some(isWaiting)
  }

  private async tryAgain(failed: readonly DepositAside[]): Promise<void> {
    const { clock, log } = this.options
    if (Math.abs(clock.now() - this.triedAtMs) < RETRY_MS) return
    this.triedAtMs = clock.now()
    for (const [network, own] of byNetwork(failed)) {
      for (let i = 0; i < own.length; i += TRIED_AT_ONCE) {
        const recorded = await this.record(network, own.slice(i, i + TRIED_AT_ONCE))
        if (recorded > 0) log.warn({ network, deposits: recorded }, 'deposits that were set aside are recorded')
      }
    }
  }

  private async read(): Promise<readonly DepositAside[]> {
    const { aside, clock } = this.options
    const deposits = await aside.deposits()
    const trouble = deposits.filter((one) => isTrouble(one, clock.now()))
    this.counts = new Map([...byNetwork(trouble)].map(([network, own]) => [network, own.length]))
    return deposits
  }

  /** Answers how many were recorded. */
  private async record(network: Network, deposits: readonly DepositAside[]): Promise<number> {
    const outcome = await this.options.intake.observe({ type: 'retry', network, deposits })
    const reports = outcome.status === 'applied' ? outcome.reports : []
    return reports.filter(({ outcome: { status } }) => status !== 'rejected').length
  }
}

/** In the order of the chain, as far as it is known. */
function byAge(one: DepositAside, other: DepositAside): number {
  return one.since - other.since || (one.height ?? 0) - (other.height ?? 0)
}

function byNetwork(deposits: readonly DepositAside[]): ReadonlyMap<Network, readonly DepositAside[]> {
  const networks = new Set(deposits.map(({ sighting }) => sighting.network))
  return new Map([...networks].map((one) => [one, deposits.filter(({ sighting }) => sighting.network === one)]))
}
