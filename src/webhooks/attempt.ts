import { type BackOff, backOffMs } from '../base/back-off.js'
import type { Clock } from '../clock.js'
import { nextAttemptAt, ONE_ATTEMPT, type RetryDecision, type RetryPolicy } from '../domain/retry.js'
import { type Delivery, type DeliveryResult, isDelivered } from '../domain/webhook.js'
import type { SigningSecrets } from '../domain/webhook-secret.js'
import type { Logger } from '../log.js'
import { pause, type Scheduler, wakefulScheduler } from '../scheduler.js'
import type { OutboxPort } from '../store/outbox.js'
import { StorageUnavailable } from '../store/refusals.js'
import type { WebhookPort } from '../store/webhooks.js'
import { AttemptMarks } from './attempt-marks.js'
import type { Sender } from './sender.js'
import { deliveryHeaders } from './signature.js'

/** After failures of the store in a row. */
const STORE_PAUSES: BackOff = { firstMs: 100, maxMs: 5000 }

/**
 * How an attempt ended. `sent`: it was made, and recorded unless the store failed to the end; the next attempt is due
 * at `retryAt`, Unix ms, null when there is none. `not_queued`: it
 * was not this dispatcher's to send any more. `store_failed`: nothing was sent, and it is still queued.
 */
export type AttemptEnd =
  | { readonly kind: 'sent'; readonly retryAt: number | null }
  | { readonly kind: 'not_queued' }
  | { readonly kind: 'store_failed'; readonly error: unknown }

/** Hears of attempts that ended. Must not throw. */
export interface AttemptObserver {
  /** An attempt was made, and ended so. */
  ended(result: DeliveryResult): void
  /** So many attempts of an earlier process were found without an end. */
  interrupted(count: number): void
}

/** Hears of one attempt. Must not throw. */
export interface AttemptSteps {
  onSent(): void
  onAnswered(result: DeliveryResult): void
}

export interface AttemptParts {
  readonly outbox: Pick<OutboxPort, 'markAttempted' | 'recordResult'>
  readonly webhooks: Pick<WebhookPort, 'secrets'>
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  /** For pauses, and the due times of retries; the machine's timers when absent. */
  readonly scheduler?: Scheduler
  readonly log: Logger
  /** One attempt when absent. */
  readonly retry?: RetryPolicy
  readonly observer?: AttemptObserver
}

/** Makes attempts: marked durably, sent once, outcome recorded and logged. */
export class Attempts {
  private readonly marks: AttemptMarks
  private readonly stopping = new AbortController()

  constructor(private readonly parts: AttemptParts) {
    this.marks = new AttemptMarks(parts.outbox)
  }

  /** What is not marked yet will not be sent; what is will be, and recorded. */
  stop(): void {
    this.stopping.abort()
    this.marks.stop()
  }

  /** Never rejects. `steps` are told when it is sent, and how it ended before that is recorded. */
  async make(delivery: Delivery, steps: AttemptSteps): Promise<AttemptEnd> {
    let secrets: SigningSecrets
    try {
      // Before the mark: whatever can fail in the store must fail while the delivery is still queued.
      secrets = await this.parts.webhooks.secrets(delivery.owner)
      if (!(await this.marks.mark(delivery.id))) return { kind: 'not_queued' }
    } catch (error) {
      return { kind: 'store_failed', error }
    }
    steps.onSent()
    const result = await this.send(delivery, secrets)
    this.parts.observer?.ended(result)
    const recorded = this.record(delivery, result)
    steps.onAnswered(result)
    const retryAt = await recorded
    this.report(delivery, result, retryAt)
    return { kind: 'sent', retryAt }
  }

  /** When a delivery is attempted again after a result. */
  readonly decideRetry: RetryDecision = (delivery, result) =>
    nextAttemptAt(delivery, result, this.parts.retry ?? ONE_ATTEMPT, this.parts.clock.now())

  /** Resolves after the pause that many failures of the store in a row call for, or at once when stopping. */
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
      // A defect of this service. The delivery is marked and will not be made again, so it gets an outcome all the same.
      log.error({ err: error, deliveryId: delivery.id }, 'a webhook could not be sent')
      return { kind: 'failed', reason: 'connection', detail: 'internal error', durationMs: 0 }
    }
  }

  /** Tries until the outcome is durable, or once more after `stop`; without it the next start finds it interrupted. */
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

  /** Without the body, the signatures, and the path of the URL, which may hold a credential of the receiver. */
  private report(delivery: Delivery, result: DeliveryResult, retryAt: number | null): void {
    const { log } = this.parts
    const { id, invoiceId, status, url } = delivery
    const about = {
      deliveryId: id,
      invoiceId,
      status,
      origin: new URL(url).origin,
      durationMs: result.durationMs,
      ...(retryAt === null ? {} : { nextAttemptAt: retryAt }),
    }
    switch (result.kind) {
      case 'answered':
        if (isDelivered(result)) log.info({ ...about, httpStatus: result.httpStatus }, 'webhook delivered')
        else log.warn({ ...about, httpStatus: result.httpStatus }, 'webhook answered without success')
        return
      case 'failed':
        log.warn({ ...about, failure: result.reason, detail: result.detail }, 'webhook not delivered')
        return
    }
  }
}
