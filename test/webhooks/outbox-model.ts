import assert from 'node:assert/strict'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { afterSetBack, isUsedUp, type RetryDecision } from '../../src/domain/retry.js'
import type { Delivery, DeliveryResult } from '../../src/domain/webhook.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import type { Dispatcher, DispatcherOptions } from '../../src/webhooks/dispatcher.js'
import type { OutgoingDelivery } from '../../src/webhooks/sender.js'
import { ManualClock } from '../support/manual-clock.js'

/** A call that the dispatcher makes. */
export type Operation = keyof DispatcherOptions['outbox'] | keyof DispatcherOptions['webhooks']

/** Where the model may make the store wait or fail. */
export interface Disturbance {
  /** Turns of the event loop before an operation happens. */
  turns(): number
  fails(operation: Operation): boolean
}

export const UNDISTURBED: Disturbance = { turns: () => 0, fails: () => false }

/** The secret of every owner of the model. */
export const MODEL_SECRET = '5e'.repeat(32)

/**
 * An outbox in memory that answers as slowly and fails as often as the test likes. A lane is what the test calls one. It
 * asserts that nothing is marked or settled out of turn.
 */
export class OutboxModel {
  readonly deliveries = new Map<string, Delivery & { readonly lane: string }>()

  constructor(
    private readonly disturbance: Disturbance = UNDISTURBED,
    readonly clock: ManualClock = new ManualClock(),
  ) {}

  /** Enters a delivery and answers what the dispatcher is told. The id is in the URL, by which senders know it. */
  owe(owner: string, lane: string, invoiceId = `invoice-${this.deliveries.size}`): OwedDelivery {
    const id = this.deliveries.size.toString(16).padStart(32, '0')
    this.deliveries.set(id, {
      id,
      lane,
      owner,
      invoiceId,
      status: 'pending',
      event: null,
      url: `http://${lane}.test/${id}`,
      body: `{"id":"${id}"}`,
      state: 'queued',
      createdAt: 0,
      attemptedAt: null,
      attempts: 0,
      attemptsBefore: 0,
      nextAttemptAt: null,
      result: null,
    })
    return { id, lane, owner }
  }

  get(id: string): Delivery {
    return this.deliveries.get(id) ?? assert.fail(`no delivery ${id}`)
  }

  readonly webhooks: DispatcherOptions['webhooks'] = {
    secrets: async () => {
      await this.happen('secrets')
      return { current: MODEL_SECRET, previous: null }
    },
  }

  readonly outbox: DispatcherOptions['outbox'] = {
    settleInterrupted: async (retry) => {
      await this.happen('settleInterrupted')
      let settled = 0
      for (const { id, state } of this.deliveries.values()) {
        if (state !== 'attempted') continue
        this.end(id, { kind: 'failed', reason: 'interrupted', detail: '', durationMs: 0 }, retry)
        settled += 1
      }
      return settled
    },
    queuedLanes: async () => {
      await this.happen('queuedLanes')
      const queued = [...this.deliveries.values()].filter(({ state }) => state === 'queued')
      return [...new Map(queued.map(({ lane, owner }) => [lane, { lane, owner }])).values()]
    },
    queued: async (lane, after, limit) => {
      const found = () =>
        [...this.deliveries.values()]
          .filter((one) => one.lane === lane && one.state === 'queued' && (after === null || one.id > after))
          .slice(0, limit)
      await this.happen('queued')
      const rows = found()
      // What is read is a little old when it arrives.
      await this.linger()
      return rows
    },
    markAttempted: async (id) => {
      await this.happen('markAttempted')
      const { state, attempts } = this.get(id)
      if (state === 'queued') this.update(id, { state: 'attempted', attempts: attempts + 1 })
      await this.linger()
      return state === 'queued'
    },
    recordResult: async (id, result, retry) => {
      await this.happen('recordResult')
      assert.equal(this.get(id).state, 'attempted')
      const nextAttemptAt = this.end(id, result, retry)
      await this.linger()
      return nextAttemptAt
    },
    nextRetryAt: async () => {
      await this.happen('nextRetryAt')
      const due = [...this.deliveries.values()].flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])
      return due.length === 0 ? null : Math.min(...due)
    },
    adjustRetries: async () => {
      await this.happen('adjustRetries')
      for (const one of this.deliveries.values()) {
        const adjusted = afterSetBack(one, this.clock.now())
        if (adjusted !== null) this.update(one.id, adjusted)
      }
      return null
    },
    releaseRetries: async (attemptsMax, limit) => {
      await this.happen('releaseRetries')
      const due = [...this.deliveries.values()].filter(
        ({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= this.clock.now(),
      )
      const owed = due.slice(0, limit).flatMap((one) => {
        const state = isUsedUp(one, attemptsMax) ? 'settled' : 'queued'
        this.update(one.id, { state, nextAttemptAt: null })
        return state === 'queued' ? [{ id: one.id, lane: one.lane, owner: one.owner }] : []
      })
      await this.linger()
      return owed
    },
  }

  /** Queues a delivery whose attempts are over once more, as a client's redelivery does. */
  redeliver(id: string): OwedDelivery {
    const { state, attempts, lane, owner } = this.deliveries.get(id) ?? assert.fail(`no delivery ${id}`)
    assert.ok(state === 'settled' || state === 'waiting')
    this.update(id, { state: 'queued', attemptsBefore: attempts, nextAttemptAt: null })
    return { id, lane, owner }
  }

  private end(id: string, result: DeliveryResult, retry: RetryDecision): number | null {
    const nextAttemptAt = retry(this.get(id), result)
    this.update(id, { state: nextAttemptAt === null ? 'settled' : 'waiting', nextAttemptAt, result })
    return nextAttemptAt
  }

  private async happen(operation: Operation): Promise<void> {
    await this.linger()
    if (this.disturbance.fails(operation)) throw new StorageUnavailable(new Error('no space left on device'))
  }

  private async linger(): Promise<void> {
    for (let turns = this.disturbance.turns(); turns > 0; turns -= 1) await nextTurnOfLoop()
  }

  private update(id: string, change: Partial<Delivery>): void {
    this.deliveries.set(id, { ...(this.deliveries.get(id) ?? assert.fail(`no delivery ${id}`)), ...change })
  }
}

export const DELIVERED: DeliveryResult = { kind: 'answered', httpStatus: 200, durationMs: 1 }
export const TIMED_OUT: DeliveryResult = { kind: 'failed', reason: 'timeout', detail: '', durationMs: 8000 }

/** An attempt that the test has not ended. */
export interface HeldAttempt {
  readonly id: string
  readonly host: string
  readonly delivery: OutgoingDelivery
  end(result?: DeliveryResult): void
}

/** A sender whose attempts end when the test says so. */
export class HoldingSender {
  /** All attempts, in the order in which they began. */
  readonly begun: HeldAttempt[] = []
  underWay = 0
  peak = 0
  private waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = []

  readonly send = (delivery: OutgoingDelivery): Promise<DeliveryResult> => {
    this.underWay += 1
    this.peak = Math.max(this.peak, this.underWay)
    return new Promise((resolve) => {
      const { pathname, hostname } = new URL(delivery.url)
      let isEnded = false
      const end = (result = DELIVERED) => {
        if (isEnded) return
        isEnded = true
        this.underWay -= 1
        resolve(result)
      }
      this.begun.push({ id: pathname.slice(1), host: hostname.replace(/\.test$/, ''), delivery, end })
      const met = this.waiting.filter(({ isMet }) => isMet())
      this.waiting = this.waiting.filter((one) => !met.includes(one))
      for (const one of met) one.resolve()
    })
  }

  /** Resolves when the condition holds after the beginning of an attempt. */
  until(isMet: () => boolean): Promise<void> {
    return isMet() ? Promise.resolve() : new Promise((resolve) => this.waiting.push({ isMet, resolve }))
  }

  began(count: number): Promise<void> {
    return this.until(() => this.begun.length >= count)
  }

  get ids(): readonly string[] {
    return this.begun.map(({ id }) => id)
  }

  of(id: string): HeldAttempt {
    return this.begun.find((one) => one.id === id) ?? assert.fail(`${id} was not begun`)
  }
}

/** How many attempts of a dispatcher may be in flight, by default. */
export const CONCURRENCY = { concurrency: 256, concurrencyPerDestination: 16 }

/** Resolves when nothing is queued or in flight. Deliveries that wait for a retry do not count. */
export async function idle(dispatcher: Dispatcher): Promise<void> {
  while (dispatcher.laneCount > 0) await nextTurnOfLoop()
}
