import { type BackOff, backOffMs } from '../base/back-off.js'
import type { Clock } from '../clock.js'
import { nextAttemptAt, ONE_ATTEMPT, type RetryDecision, type RetryPolicy } from '../domain/retry.js'
import type { SigningSecrets } from '../domain/webhook.js'
import { type Delivery, type DeliveryResult, isDelivered, originOf } from '../domain/webhook.js'
import type { Logger } from '../log.js'
import { pause, type Scheduler, wakefulScheduler } from '../scheduler.js'
import type { OutboxPort } from '../store/outbox.js'
import { StorageUnavailable } from '../store/refusals.js'
import type { WebhookPort } from '../store/webhooks.js'
import type { Sender } from './sender.js'
import { deliveryHeaders } from './signature.js'

/** Pauses after failures of the store in a row. */
const STORE_PAUSES: BackOff = { firstMs: 100, maxMs: 5000 }

/**
 * How an attempt ended. `sent`: it was made, and recorded unless the store kept failing; the retry is due at `retryAt`,
 * Unix ms, null for none. `not_begun`: the delivery was no longer queued, or the service stops. `store_failed`: nothing
 * was sent, and the delivery is still queued.
 */
export type AttemptEnd =
  | { readonly kind: 'sent'; readonly retryAt: number | null }
  | { readonly kind: 'not_begun' }
  | { readonly kind: 'store_failed'; readonly error: unknown }

/** Observes attempts. Must not throw. */
export interface AttemptObserver {
  /** An attempt ended with this result. */
  ended(result: DeliveryResult): void
  /** This many attempts of an earlier process had no outcome. */
  interrupted(count: number): void
}

/** Observes one attempt. Must not throw. */
export interface AttemptSteps {
  onSent(): void
  onAnswered(result: DeliveryResult): void
}

export interface AttemptParts {
  readonly outbox: Pick<OutboxPort, 'markAttempted' | 'recordResult'>
  readonly webhooks: Pick<WebhookPort, 'secrets'>
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  /** For pauses and due times. Default: the machine's timers. */
  readonly scheduler?: Scheduler
  readonly log: Logger
  /** Default: one attempt. */
  readonly retry?: RetryPolicy
  readonly observer?: AttemptObserver
}

/** Makes attempts: marks them durably, sends once, records and logs the outcome. */
export class Attempts {
  private readonly stopping = new AbortController()

  constructor(private readonly parts: AttemptParts) {}

  /** Deliveries whose mark was not requested yet stay queued; the others are sent, and recorded. */
  stop(): void {
    this.stopping.abort()
  }

  /** Never rejects. `steps` is called when the delivery is sent, and with the result before it is recorded. */
  async make(delivery: Delivery, steps: AttemptSteps): Promise<AttemptEnd> {
    const { webhooks, outbox, observer } = this.parts
    let secrets: SigningSecrets
    try {
      // Before the mark: any failure of the store must come while the delivery is still queued.
      secrets = await webhooks.secrets(delivery.owner)
      if (this.stopping.signal.aborted || !(await outbox.markAttempted(delivery.id))) return { kind: 'not_begun' }
    } catch (error) {
      return { kind: 'store_failed', error }
    }
    steps.onSent()
    const result = await this.send(delivery, secrets)
    observer?.ended(result)
    const recorded = this.record(delivery, result)
    steps.onAnswered(result)
    const retryAt = await recorded
    this.report(delivery, result, retryAt)
    return { kind: 'sent', retryAt }
  }

  /** Decides when a delivery is retried after a result. */
  readonly decideRetry: RetryDecision = (delivery, result) =>
    nextAttemptAt(delivery, result, this.parts.retry ?? ONE_ATTEMPT, this.parts.clock.now())

  /** Resolves after the pause for this many failures of the store in a row, or at once when stopping. */
  pause(failures: number): Promise<void> {
    return pause(this.parts.scheduler ?? wakefulScheduler, backOffMs(failures, STORE_PAUSES), this.stopping.signal)
  }

  private async send(delivery: Delivery, secrets: SigningSecrets): Promise<DeliveryResult> {
    const { sender, clock, log } = this.parts
    try {
      const body = Buffer.from(delivery.body)
      const headers = deliveryHeaders({ id: delivery.id, body }, secrets, clock.now())
      return await sender.send({ url: delivery.url, headers, body })
    } catch (error) {
      // A defect of this service. The delivery is marked and will not be sent again, so it gets an outcome.
      log.error({ err: error, deliveryId: delivery.id }, 'a webhook could not be sent')
      return { kind: 'failed', reason: 'connection', detail: 'internal error', durationMs: 0 }
    }
  }

  /**
   * Retries until the outcome is durable, or once more after `stop`. Without it the next start finds the attempt
   * interrupted.
   */
  private async record(delivery: Delivery, result: DeliveryResult): Promise<number | null> {
    const { outbox, log } = this.parts
    for (let failures = 1; ; failures += 1) {
      const isLast = this.stopping.signal.aborted
      try {
        return await outbox.recordResult(delivery.id, result, this.decideRetry)
      } catch (error) {
        log.error({ err: error, deliveryId: delivery.id }, 'the outcome of a webhook was not recorded')
        if (isLast || !(error instanceof StorageUnavailable)) return null
      }
      await this.pause(failures)
    }
  }

  /** Omits the body, the signatures, and the path of the URL, which may hold a credential of the receiver. */
  private report(delivery: Delivery, result: DeliveryResult, retryAt: number | null): void {
    const { log } = this.parts
    const { id, invoiceId, status, event, url } = delivery
    const about = {
      deliveryId: id,
      invoiceId,
      ...(event === null ? { status } : { event: event.type, eventId: event.id }),
      origin: originOf(url),
      durationMs: result.durationMs,
      ...(retryAt === null ? {} : { nextAttemptAt: retryAt }),
    }
    if (result.kind === 'failed') {
      log.warn({ ...about, failure: result.reason, detail: result.detail }, 'webhook not delivered')
    } else if (isDelivered(result)) {
      log.info({ ...about, httpStatus: result.httpStatus }, 'webhook delivered')
    } else {
      log.warn({ ...about, httpStatus: result.httpStatus }, 'webhook answered without success')
    }
  }
}
