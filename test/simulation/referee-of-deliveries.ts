import { createHmac } from 'node:crypto'
import type { Delivery, DeliveryResult } from '../../src/domain/webhook.js'
import type { OwedDelivery, WaitingDelivery } from '../../src/store/outbox.js'
import type { OutgoingDelivery } from '../../src/webhooks/sender.js'
import type { Model } from './model/model.js'
import { type ModelDelivery, type ModelOwed, namesOf } from './model/outbox.js'
import type { SendObserver } from './receivers.js'
import type { AnsweredCall } from './scheduler.js'
import type { Profile } from './steps.js'
import { expectEqual, violate } from './violation.js'

/** The upper bound of the first pause before a retry, how it grows, and its cap; how long a receiver may ask for. */
const FIRST_PAUSE_MS = 5000
const PAUSE_FACTOR = 4
const PAUSE_MAX_MS = 3_600_000
const ASKED_MAX_MS = 24 * 3_600_000
/** The places for new receivers, and for slow ones, are this part of all. */
const SMALL_POOL_FRACTION = 1 / 8
const GONE = 410
/** Before a delivery that was redelivered is redelivered again. */
const REDELIVERY_PAUSE_MS = 60_000

export interface DeliveryRefereeParts {
  readonly model: Model
  readonly profile: Profile
  /** Of this life of the process. */
  readonly attemptsMax: () => number
  readonly now: () => number
  readonly trace: (line: string) => void
  readonly touched: (id: string) => void
  /** When the attempt after an interrupted one is due, as the store has it. */
  readonly nextAttemptOf: (id: string) => number | null
  /** A delivery of an event, as the store has it: the model has no ids of events. They are compared with the log at the end. */
  readonly deliveryOf: (id: string) => Delivery | undefined
  /** Keeps a violation that the core would swallow. */
  readonly report: (error: unknown) => void
}

/** Judges the outbox: what is owed, marked, sent, ended and queued again. */
export class RefereeOfDeliveries {
  private readonly lanes = new Map<string, string>()
  private readonly secrets = new Map<string, string[]>()
  /** The attempts of the process that leads. */
  private sending = new Set<string>()
  /** By life of the process and delivery. */
  private results = new Map<string, DeliveryResult>()
  /** The life of the process that leads: the last one to settle what was interrupted. */
  private leader: number | null = null

  constructor(private readonly parts: DeliveryRefereeParts) {}

  /** Another life of a process begins. */
  reset(): void {
    for (const { marksHeard, sends } of this.parts.model.outbox.all()) {
      if (sends > marksHeard) violate('more attempts than marks', [sends, marksHeard])
    }
  }

  noteSecret(owner: string, secret: string): void {
    for (const known of this.secrets.values()) if (known.includes(secret)) violate('a secret that is not new', owner)
    this.secrets.set(owner, [...(this.secrets.get(owner) ?? []), secret])
  }

  enter(id: string, lane: string, owed: ModelOwed): void {
    const { model, now } = this.parts
    if (model.outbox.find(id) !== undefined) violate('an id of a delivery that is not new', id)
    const place = `${owed.owner} ${new URL(owed.url).origin}`
    const known = this.lanes.get(lane)
    if (known !== undefined) expectEqual('the lane of a delivery', place, known)
    else if ([...this.lanes.values()].includes(place)) violate('a second lane of a receiver', place)
    this.lanes.set(lane, place)
    model.outbox.enter(id, lane, owed, now())
  }

  enterEvent(id: string, lane: string, owner: string): void {
    const { model, deliveryOf } = this.parts
    const found = deliveryOf(id)
    if (found === undefined || found.event === null) return violate('a delivery of an event that tells none', found)
    const { invoiceId, status, event, url, body } = found
    const { callback_url: defaultUrl } = model.outbox.configuration(owner)
    const invoice = invoiceId === null ? undefined : model.invoices.find(invoiceId)
    // An event of an order goes where those of its invoices do.
    const order = model.orders.find(JSON.parse(body).data.orderId ?? '')
    const own = invoice?.callback_url ?? order?.callbackUrl ?? defaultUrl
    expectEqual('where an event is sent', url, own, event)
    this.enter(id, lane, { owner, invoiceId, status, event, url, body })
  }

  judge(call: AnsweredCall, life: number): void {
    const { outbox } = this.parts.model
    switch (call.method) {
      case 'outbox.settleInterrupted': {
        this.leader = life
        // What was under way is not any more.
        this.sending = new Set()
        const interrupted = outbox.inState('attempted')
        expectEqual('interrupted attempts', call.value, interrupted.length)
        for (const one of interrupted) {
          const result = { kind: 'failed', reason: 'interrupted', detail: '', durationMs: 0 } as const
          const next = this.parts.nextAttemptOf(one.record.id)
          this.checkNext(one, result, next)
          outbox.end(one, result, next)
          this.parts.touched(one.record.id)
        }
        return
      }
      case 'outbox.queuedLanes': {
        return expectEqual('the lanes with something queued', namesOf(call.value), outbox.queuedLanes())
      }
      case 'outbox.queued': {
        const [lane, after, limit] = call.args
        const queued = outbox.queued(lane).filter(({ record }) => after === null || record.id > after)
        const expected = queued.slice(0, limit).map(({ record }) => record.id)
        const actual = call.value.map(({ id }) => id)
        return expectEqual('what is queued in a lane', actual, expected, call.args)
      }
      case 'outbox.markAttempted':
        expectEqual('a mark', call.value, outbox.mark(call.args[0], this.parts.now()), call.args[0])
        this.parts.touched(call.args[0])
        return
      case 'outbox.recordResult': {
        const [id, result] = call.args
        const delivery = this.known(id)
        expectEqual('the state of a delivery with a result', delivery.record.state, 'attempted')
        expectEqual('a result', result, this.results.get(`${life} ${id}`))
        this.results.delete(`${life} ${id}`)
        this.checkNext(delivery, result, call.value)
        outbox.end(delivery, result, call.value)
        return this.parts.touched(id)
      }
      case 'outbox.nextRetryAt': {
        const due = outbox.inState('waiting').map(({ record }) => record.nextAttemptAt ?? 0)
        return expectEqual('the next retry', call.value, due.length === 0 ? null : Math.min(...due))
      }
      case 'outbox.adjustRetries':
        return this.judgeAdjustment(call.args[0], call.args[1], call.value)
      case 'outbox.releaseRetries':
        return this.judgeRelease(call.args[1], call.value)
      case 'outbox.redeliver': {
        const [owner, id] = call.args
        const delivery = outbox.find(id)
        const isTheirs = delivery !== undefined && delivery.record.owner === owner
        const expected = isTheirs ? this.refusalOf(delivery) : 'delivery_not_found'
        expectEqual('a redelivery', call.value.ok ? null : call.value.failure.code, expected, id)
        if (delivery === undefined || expected !== null || !call.value.ok) return
        expectEqual('the lane of a redelivery', call.value.value.owed, { id, lane: delivery.lane, owner })
        outbox.queueAgain(delivery, delivery.record.attempts)
        return this.parts.touched(id)
      }
      default:
        violate('a call that nobody judges', call.method)
    }
  }

  /** The dispatcher learns which of its marks hold. */
  heard(id: string, fate: PromiseSettledResult<unknown>): void {
    if (fate.status === 'fulfilled' && fate.value === true) this.known(id).marksHeard += 1
  }

  /** What observes the attempts of a life of a process. */
  observerOf(life: number): SendObserver {
    return {
      sent: (delivery, id) => {
        try {
          this.judgeSend(delivery, this.known(id), life)
        } catch (error) {
          this.parts.report(error)
        }
      },
      ended: (id, result) => {
        if (life === this.leader) this.sending.delete(id)
        this.results.set(`${life} ${id}`, result)
      },
    }
  }

  /** Why a delivery is not sent again; null when it is. */
  private refusalOf({ record }: ModelDelivery): string | null {
    const { state, attemptsBefore, attemptedAt } = record
    if (state === 'queued' || state === 'attempted') return 'delivery_in_progress'
    const isTooSoon = attemptsBefore > 0 && this.parts.now() < (attemptedAt ?? 0) + REDELIVERY_PAUSE_MS
    return isTooSoon ? 'too_many_redeliveries' : null
  }

  private judgeSend({ url, headers, body }: OutgoingDelivery, delivery: ModelDelivery, life: number): void {
    const { record, lane } = delivery
    this.parts.trace(`send ${record.id} ${headers['X-Service-Signature']}`)
    delivery.sends += 1
    if (delivery.sends > delivery.marksHeard) violate('an attempt without a mark of its own', record)
    expectEqual('what is sent', [url, Buffer.from(body).toString()], [record.url, record.body])
    const signatures = (this.secrets.get(record.owner) ?? []).map((secret) => signatureOf(secret, body))
    const signature = headers['X-Service-Signature']
    if (signature === undefined || !signatures.includes(signature)) violate('the signature of a webhook', record)
    // One that was replaced between its mark and now sends once all the same, and was counted as interrupted.
    if (life !== this.leader) return
    expectEqual('the state of what is sent', record.state, 'attempted', record)
    for (const other of [...this.sending].map((id) => this.known(id))) {
      if (other.lane === lane && other.record.invoiceId === record.invoiceId)
        violate('two at once for an invoice', record)
    }
    for (const other of this.parts.model.outbox.before(delivery)) {
      const isFirst = other.record.attempts === 0 || other.record.state === 'attempted'
      if (isFirst && other.record.state !== 'waiting' && record.attempts === 1) {
        violate('a delivery overtook an earlier one of its invoice', [other.record, record])
      }
    }
    this.sending.add(record.id)
    this.checkPlaces(delivery)
  }

  private checkPlaces({ lane, record }: ModelDelivery): void {
    const { concurrency, concurrencyPerDestination } = this.parts.profile
    const all = [...this.sending].map((id) => this.known(id))
    const ofOwner = all.filter((one) => one.record.owner === record.owner).length
    const pools = poolSizes(concurrency)
    // Those that take longer than a second go on beside the places, as many as there are.
    if (all.length > sum(pools) + concurrency) violate('too many attempts at once', all.length)
    if (all.filter((one) => one.lane === lane).length > concurrencyPerDestination) violate('too many of a lane', lane)
    const shares = pools.map((size) => Math.ceil(size / 2))
    if (ofOwner > sum(shares) + concurrency) violate('too many attempts of an owner', record.owner)
  }

  /** The next that wait, behind one of them: those whose attempt is in the future wait from now on. */
  private judgeAdjustment(after: WaitingDelivery | null, limit: number, answered: WaitingDelivery | null): void {
    const { outbox } = this.parts.model
    const nowMs = this.parts.now()
    const placeOf = ({ record }: ModelDelivery) => ({ dueAt: record.nextAttemptAt ?? 0, id: record.id })
    const isBehind = (one: ModelDelivery) => {
      const { dueAt, id } = placeOf(one)
      return after === null || dueAt > after.dueAt || (dueAt === after.dueAt && id > after.id)
    }
    const examined = outbox
      .inState('waiting')
      .filter(isBehind)
      .sort((one, other) => (dueKey(one) < dueKey(other) ? -1 : 1))
      .slice(0, limit)
    const last = examined.length < limit ? undefined : examined.at(-1)
    expectEqual('where the adjustment goes on', answered, last === undefined ? null : placeOf(last))
    for (const one of examined) {
      const { attemptedAt, nextAttemptAt, id } = one.record
      if (attemptedAt === null || nextAttemptAt === null || attemptedAt <= nowMs) continue
      outbox.wait(one, nowMs, nowMs + Math.max(0, nextAttemptAt - attemptedAt))
      this.parts.touched(id)
    }
  }

  private judgeRelease(limit: number, owed: readonly OwedDelivery[]): void {
    const { outbox } = this.parts.model
    const due = outbox
      .inState('waiting')
      .filter(({ record }) => (record.nextAttemptAt ?? 0) <= this.parts.now())
      .sort((one, other) => (dueKey(one) < dueKey(other) ? -1 : 1))
      .slice(0, limit)
    const again: OwedDelivery[] = []
    for (const one of due) {
      const { attempts, attemptsBefore, id } = one.record
      if (attempts - attemptsBefore >= this.parts.attemptsMax()) outbox.giveUp(one)
      else {
        outbox.queueAgain(one, attemptsBefore)
        again.push({ id, lane: one.lane, owner: one.record.owner })
      }
      this.parts.touched(id)
    }
    expectEqual('what is attempted again', owed, again)
  }

  /** Decisions 7: exponential back-off with jitter, `Retry-After`, 410 and success end the attempts. */
  private checkNext({ record }: ModelDelivery, result: DeliveryResult, next: number | null): void {
    const isOver =
      result.kind === 'answered' &&
      (result.httpStatus === GONE || (result.httpStatus >= 200 && result.httpStatus <= 299))
    const attempts = record.attempts - record.attemptsBefore
    if (isOver || attempts >= this.parts.attemptsMax()) return expectEqual('no further attempt', next, null, record)
    const asked = result.kind === 'answered' ? Math.min(result.retryAfterMs ?? 0, ASKED_MAX_MS) : 0
    const pause = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * PAUSE_FACTOR ** (attempts - 1))
    const now = this.parts.now()
    if (next === null || next < now + asked || next > now + Math.max(pause, asked)) {
      violate('when the next attempt is due', [next, now, record])
    }
  }

  private known(id: string): ModelDelivery {
    return this.parts.model.outbox.find(id) ?? violate('a delivery that nobody owes', id)
  }
}

function dueKey({ record }: ModelDelivery): string {
  return `${String(record.nextAttemptAt).padStart(16, '0')} ${record.id}`
}

function signatureOf(secret: string, body: Uint8Array): string {
  return createHmac('sha256', Buffer.from(secret, 'ascii')).update(body).digest('hex')
}

/** Places for prompt, new and slow receivers. */
function poolSizes(places: number): readonly number[] {
  const small = Math.max(1, Math.floor(places * SMALL_POOL_FRACTION))
  return [Math.max(1, places - 2 * small), small, small]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
