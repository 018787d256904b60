import type { Clock } from '../clock.js'
import { type Failure, retryLater } from '../domain/failure.js'
import { clientReader } from '../http/guards/client-address.js'
import { RateLimiter } from '../http/guards/rate-limiter.js'
import type { RequestHead } from '../http/server.js'
import type { Scheduler } from '../scheduler.js'

/** Passwords that one client address may try in a minute. */
export const TRIALS_PER_MINUTE = 10
/** The same for all addresses together, which a proxy may name as it likes. */
export const ALL_TRIALS_PER_MINUTE = 60
/** Trials that wait for their turn. */
export const WAITING_MAX = 64
/** Client addresses whose trials are remembered. */
const CLIENTS_MAX = 1024
const LOOK_MS = 1000
/** In what time most trials of a full waiting room have had their turn. */
const RETRY_SECONDS = 60

export interface TrialParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** The proxies that may name the client. */
  readonly trustedProxies: readonly string[]
  /** At least 0 and below 1. */
  readonly random: () => number
}

interface Trial {
  readonly client: string
  /** Whether its address may try one more, so that only the turn among all is missing. */
  isGranted: boolean
  readonly settle: (refusal: Failure | null) => void
}

/**
 * Bounds how fast passwords are tried. A trial beyond that waits for its turn instead of being refused, and turns go to those that wait
 * at random: a stranger who tries many passwords slows the operator down, and cannot lock the operator out. Where too many wait, one of
 * the address with the most of them is refused, so an address that sends thousands refuses its own.
 */
export class PasswordTrials {
  private readonly clientOf: (head: RequestHead) => { readonly key: string }
  private readonly limiter: RateLimiter
  private readonly allLimiter: RateLimiter
  private waiting: Trial[] = []
  private isLooking = false

  constructor(private readonly parts: TrialParts) {
    this.clientOf = clientReader(parts.trustedProxies)
    this.limiter = new RateLimiter(TRIALS_PER_MINUTE, parts.clock, CLIENTS_MAX)
    this.allLimiter = new RateLimiter(ALL_TRIALS_PER_MINUTE, parts.clock, 2)
  }

  /** Resolves when a password may be tried, with null; or with the refusal where too many wait. */
  take(head: RequestHead): Promise<Failure | null> {
    const client = this.clientOf(head).key
    return new Promise((settle) => {
      this.waiting.push({ client, isGranted: false, settle })
      this.giveTurns()
      if (this.waiting.length > WAITING_MAX) this.takeOneOfMost().settle(retryLater('rate_limited', RETRY_SECONDS))
      this.look()
    })
  }

  private giveTurns(): void {
    const trials: Trial[] = []
    while (this.waiting.length > 0) trials.push(this.takeOne(this.waiting))
    for (const trial of trials) {
      trial.isGranted ||= this.limiter.take(trial.client) === 0
      if (trial.isGranted && this.allLimiter.take('') === 0) trial.settle(null)
      else this.waiting.push(trial)
    }
  }

  /** Takes one of the addresses out that have the most trials among those that wait. */
  private takeOneOfMost(): Trial {
    const counts = new Map<string, number>()
    for (const { client } of this.waiting) counts.set(client, (counts.get(client) ?? 0) + 1)
    const most = Math.max(...counts.values())
    return this.takeOne(this.waiting.filter(({ client }) => counts.get(client) === most))
  }

  /** Takes one of some that wait out, at random. */
  private takeOne(among: readonly Trial[]): Trial {
    const trial = among[Math.floor(this.parts.random() * among.length)]
    if (trial === undefined) throw new Error('nobody waits')
    this.waiting.splice(this.waiting.indexOf(trial), 1)
    return trial
  }

  private look(): void {
    if (this.isLooking || this.waiting.length === 0) return
    this.isLooking = true
    this.parts.scheduler.after(LOOK_MS, () => {
      this.isLooking = false
      this.giveTurns()
      this.look()
    })
  }
}
