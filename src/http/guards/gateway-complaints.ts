import type { Logger } from '../../log.js'
import type { Scheduler } from '../../scheduler.js'

/** What may be wrong with what the gateway pushes: the signature, the body as a whole, or one event of it. */
export type GatewayRejection = 'signature' | 'body' | 'event'

/** What is told of a rejection: which request it was, and, for an event, its id and why. */
export interface RejectionDetails {
  readonly requestId: string
  readonly [name: string]: string | null | undefined
}

/** Between two lines about the same kind of rejection. */
const PAUSE_MS = 10_000

const MESSAGES: Readonly<Record<GatewayRejection, string>> = {
  signature: 'a push of the gateway was rejected: its signature or its time is wrong',
  body: 'a push of the gateway was rejected: its body is not a list of events',
  event: 'an event of the gateway was rejected',
}

export interface GatewayComplaintsOptions {
  readonly log: Pick<Logger, 'warn'>
  readonly scheduler: Scheduler
  /** Counts every rejection. */
  readonly count?: (kind: GatewayRejection, count: number) => void
}

/**
 * Tells the operator of what the gateway pushes in vain. A line of each kind at once, then at most one in ten seconds, which
 * says how many went untold: anybody can send bad signatures, and must not fill the log with them.
 */
export class GatewayComplaints {
  private readonly suppressed = new Map<GatewayRejection, number>()

  constructor(private readonly options: GatewayComplaintsOptions) {}

  rejected(kind: GatewayRejection, details: RejectionDetails): void {
    const { log, count } = this.options
    count?.(kind, 1)
    const untold = this.suppressed.get(kind)
    if (untold !== undefined) {
      this.suppressed.set(kind, untold + 1)
      return
    }
    log.warn({ ...details }, MESSAGES[kind])
    this.pause(kind)
  }

  private pause(kind: GatewayRejection): void {
    this.suppressed.set(kind, 0)
    this.options.scheduler.after(PAUSE_MS, () => {
      const untold = this.suppressed.get(kind) ?? 0
      this.suppressed.delete(kind)
      if (untold === 0) return
      this.options.log.warn({ suppressed: untold }, `${MESSAGES[kind]}; so many more in the last ten seconds`)
      this.pause(kind)
    })
  }
}
