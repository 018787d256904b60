import type { Intake } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { DepositAside } from '../domain/aside.js'
import type { Network } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import type { AsidePort } from '../store/store.js'
import { BackgroundWork } from './background-work.js'

/** Pause between two looks at what is set aside. */
const ROUND_MS = 15_000
/** Pause between two attempts at recording it. The first one is made at the start: a new version may have fixed the cause. */
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

/** Tries again to record the deposits that were set aside, and knows how many there are. */
export class DepositsAside {
  private readonly work: BackgroundWork
  private counts: ReadonlyMap<Network, number> = new Map()
  private triedAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly options: DepositsAsideOptions) {
    const { scheduler, log } = options
    this.work = new BackgroundWork({
      piece: () => this.round(),
      pauseMs: ROUND_MS,
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

  /** How many there were at the last look, by network. */
  byNetwork(): ReadonlyMap<Network, number> {
    return this.counts
  }

  private async round(): Promise<boolean> {
    const { clock } = this.options
    const deposits = await this.read()
    if (deposits.length === 0 || Math.abs(clock.now() - this.triedAtMs) < RETRY_MS) return false
    this.triedAtMs = clock.now()
    for (const [network, own] of byNetwork(deposits)) {
      for (let i = 0; i < own.length; i += TRIED_AT_ONCE) await this.retry(network, own.slice(i, i + TRIED_AT_ONCE))
    }
    await this.read()
    return false
  }

  private async read(): Promise<readonly DepositAside[]> {
    const deposits = await this.options.aside.deposits()
    this.counts = new Map([...byNetwork(deposits)].map(([network, own]) => [network, own.length]))
    return deposits
  }

  private async retry(network: Network, deposits: readonly DepositAside[]): Promise<void> {
    const { intake, log } = this.options
    const outcome = await intake.observe({ type: 'retry', network, deposits })
    const reports = outcome.status === 'applied' ? outcome.reports : []
    const recorded = reports.filter(({ outcome: { status } }) => status !== 'rejected').length
    if (recorded > 0) log.warn({ network, deposits: recorded }, 'deposits that were set aside are recorded')
  }
}

function byNetwork(deposits: readonly DepositAside[]): ReadonlyMap<Network, readonly DepositAside[]> {
  const networks = new Set(deposits.map(({ sighting }) => sighting.network))
  return new Map([...networks].map((one) => [one, deposits.filter(({ sighting }) => sighting.network === one)]))
}
