import type { DeliveryResult } from '../../src/domain/webhook.js'
import type { OutgoingDelivery, Sender } from '../../src/webhooks/sender.js'
import type { Ending } from './steps.js'

const RETRY_AFTER_MS = 90_000
const DURATION_MS = 7

/** An attempt that its receiver has not ended. */
export interface OpenSend {
  readonly delivery: OutgoingDelivery
  readonly id: string
  readonly resolve: (result: DeliveryResult) => void
}

/** Told of every attempt as it begins and as it ends. */
export interface SendObserver {
  sent(delivery: OutgoingDelivery, id: string): void
  ended(id: string, result: DeliveryResult): void
}

/** All receivers of webhooks. An attempt hangs until a step ends it. */
export class Receivers implements Pick<Sender, 'send'> {
  private open: OpenSend[] = []

  constructor(private readonly observer: SendObserver) {}

  get openCount(): number {
    return this.open.length
  }

  send(delivery: OutgoingDelivery): Promise<DeliveryResult> {
    const id = delivery.headers['webhook-id'] ?? ''
    this.observer.sent(delivery, id)
    return new Promise((resolve) => this.open.push({ delivery, id, resolve }))
  }

  /** Ends one of the open attempts. */
  answer(pick: number, ending: Ending): void {
    const one = this.open[pick % this.open.length]
    if (one === undefined) return
    this.open = this.open.filter((other) => other !== one)
    const result = resultOf(ending)
    this.observer.ended(one.id, result)
    one.resolve(result)
  }
}

function resultOf(ending: Ending): DeliveryResult {
  switch (ending) {
    case 'ok':
      return { kind: 'answered', httpStatus: 204, durationMs: DURATION_MS }
    case 'error':
      return { kind: 'answered', httpStatus: 500, durationMs: DURATION_MS }
    case 'gone':
      return { kind: 'answered', httpStatus: 410, durationMs: DURATION_MS }
    case 'retry_after':
      return { kind: 'answered', httpStatus: 503, durationMs: DURATION_MS, retryAfterMs: RETRY_AFTER_MS }
    case 'redirect':
      return { kind: 'answered', httpStatus: 302, durationMs: DURATION_MS }
    case 'timeout':
    case 'dns':
    case 'connection':
      return { kind: 'failed', reason: ending, detail: 'simulated', durationMs: DURATION_MS }
    case 'refused':
      return { kind: 'failed', reason: 'refused_address', detail: 'simulated', durationMs: DURATION_MS }
  }
}
