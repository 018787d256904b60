import type { Logger } from '../../log.js'
import type { Scheduler } from '../../scheduler.js'

/** What is wrong with a push of the gateway: its signature, its body as a whole, or one of its events. */
export type GatewayRejection = 'signature' | 'body' | 'event'

/** Minimum time between two lines about the same kind of rejection. */
const PAUSE_MS = 10_000

const MESSAGES: Readonly<Record<GatewayRejection, string>> = {
  signature: 'a push of the gateway was rejected: its signature or its time is wrong',
  body: 'a push of the gateway was rejected: its body is not a list of events',
  event: 'an event of the gateway was rejected',
}

/**
 * Logs pushes of the gateway that were rejected: the first of each kind at once, then at most one line in ten seconds,
 * with the number of those not logged. Anyone can send bad signatures and must not be able to fill the log with them.
 */
export class GatewayComplaints {
  private readonly suppressed = new Map<GatewayRejection, number>()

  /** `count` is called with every rejection. */
  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly scheduler: Scheduler,
    private readonly count?: (kind: GatewayRejection, count: number) => void,
  ) {}

  /** `details` go into the log: the request and, for an event, its id and the reason. */
  rejected(kind: GatewayRejection, details: { readonly requestId: string; readonly [name: string]: unknown }): void {
    this.count?.(kind, 1)
    const untold = this.suppressed.get(kind)
    if (untold !== undefined) {
      this.suppressed.set(kind, untold + 1)
      return
    }
    this.log.warn(details, MESSAGES[kind])
    this.pause(kind)
  }

  private pause(kind: GatewayRejection): void {
    this.suppressed.set(kind, 0)
    this.scheduler.after(PAUSE_MS, () => {
      const untold = this.suppressed.get(kind) ?? 0
      this.suppressed.delete(kind)
      if (untold === 0) return
      this.log.warn({ suppressed: untold }, `${MESSAGES[kind]}; so many more in the last ten seconds`)
      this.pause(kind)
    })
  }
}
