import { EVENT_TYPES, type EventName } from '../../../src/domain/event.js'
import type { Delivery, DeliveryResult, WebhookConfiguration, WebhookPayload } from '../../../src/domain/webhook.js'
import type { LaneOfOwner } from '../../../src/store/outbox.js'
import type { ModelEvents } from './events.js'

/** A delivery with what was seen of its attempts. */
export interface ModelDelivery {
  record: Delivery
  readonly lane: string
  /** Marks that the dispatcher was told of. */
  marksHeard: number
  /** Attempts that were made. */
  sends: number
}

/** What a deposit or an event owes. */
export interface ModelOwed {
  readonly owner: string
  readonly invoiceId: string | null
  readonly status: Delivery['status']
  readonly event: EventName | null
  readonly url: string
  readonly body: string
}

/** While an owner has the payload `events`: by how many events of the model's log were before, at the begin and the end. */
export interface Following {
  readonly from: number
  readonly to: number
  /**
   * `left`: by the choice of another payload, so that all up to then are sent. `over`: they are. `dropped`: with the configuration, before
   * they all were.
   */
  readonly end: 'open' | 'left' | 'over' | 'dropped'
  /** Events were chosen again before all that was left was sent: what happened between is sent, too. */
  readonly isJoined: boolean
}

/** Webhook configurations and deliveries (specification, Webhook delivery; decisions 7), in order of their making. */
export class ModelOutbox {
  private readonly configurations = new Map<string, WebhookConfiguration>()
  /** Secrets before the last rotation, while they sign too. */
  private readonly overlaps = new Map<string, { readonly secret: string; readonly endsAt: number }>()
  private readonly followings = new Map<string, readonly Following[]>()
  private readonly deliveries: ModelDelivery[] = []
  private readonly byId = new Map<string, ModelDelivery>()
  /** Deliveries whose state is not `settled`: the only ones that looks at what is to be done must see. */
  private readonly open = new Set<ModelDelivery>()

  constructor(private readonly events: ModelEvents) {}

  configuration(owner: string): WebhookConfiguration {
    return (
      this.configurations.get(owner) ?? { owner, callback_url: null, secret: null, created_at: null, updated_at: null }
    )
  }

  /** The secret is new only when there was none, and the payload stays unless it is set. */
  put(owner: string, url: string | null, payload: WebhookPayload | undefined, secret: string, nowMs: number): void {
    const known = this.configurations.get(owner)
    this.configurations.set(owner, {
      owner,
      callback_url: url,
      secret: known?.secret ?? secret,
      created_at: known?.created_at ?? nowMs,
      updated_at: nowMs,
      ...shownPayload(payload ?? known?.payload),
    })
    const isSent = this.configuration(owner).payload === 'events'
    if (isSent && known?.payload !== 'events') this.follow(owner)
    if (!isSent && known?.payload === 'events') this.endFollowing(owner, 'left')
  }

  /** When the events of an owner were to be sent, in order. */
  followingsOf(owner: string): readonly Following[] {
    return this.followings.get(owner) ?? []
  }

  private follow(owner: string): void {
    const { length } = this.events.of(owner)
    this.change(owner, (one) => (one.end === 'left' ? { ...one, isJoined: true } : one))
    const begun: Following = { from: length, to: Number.POSITIVE_INFINITY, end: 'open', isJoined: false }
    this.followings.set(owner, [...this.followingsOf(owner), begun])
  }

  /** All events that were to be sent until now are queued. */
  allQueued(owner: string): void {
    this.change(owner, (one) => (one.end === 'left' ? { ...one, end: 'over' } : one))
  }

  /** What was left may not be sent yet when the configuration is removed. */
  private endFollowing(owner: string, end: 'left' | 'dropped'): void {
    const now = this.events.of(owner).length
    this.change(owner, (one) => {
      if (one.end === 'open') return { ...one, end, to: now }
      return one.end === 'left' ? { ...one, end } : one
    })
  }

  private change(owner: string, what: (one: Following) => Following): void {
    this.followings.set(owner, this.followingsOf(owner).map(what))
  }

  /** What receivers use stays in use until the overlap ends. */
  rotate(owner: string, secret: string, overlapMs: number, nowMs: number): void {
    const known = this.configurations.get(owner)
    if (known === undefined) return this.put(owner, null, undefined, secret, nowMs)
    const [inUse = ''] = this.signing(owner, nowMs)
    if (overlapMs === 0) this.overlaps.delete(owner)
    else this.overlaps.set(owner, { secret: inUse, endsAt: nowMs + overlapMs })
    this.configurations.set(owner, { ...known, secret, updated_at: nowMs })
  }

  /** The secrets that sign, that of `X-Service-Signature` first. */
  signing(owner: string, nowMs: number): readonly string[] {
    const overlap = this.overlaps.get(owner)
    const old = overlap !== undefined && overlap.endsAt > nowMs ? [overlap.secret] : []
    return [...old, this.configuration(owner).secret ?? '']
  }

  remove(owner: string): boolean {
    this.overlaps.delete(owner)
    this.endFollowing(owner, 'dropped')
    return this.configurations.delete(owner)
  }

  enter(id: string, lane: string, owed: ModelOwed, nowMs: number): ModelDelivery {
    const delivery: ModelDelivery = {
      record: {
        id,
        ...owed,
        state: 'queued',
        createdAt: nowMs,
        attemptedAt: null,
        attempts: 0,
        attemptsBefore: 0,
        nextAttemptAt: null,
        result: null,
      },
      lane,
      marksHeard: 0,
      sends: 0,
    }
    this.deliveries.push(delivery)
    this.byId.set(id, delivery)
    this.open.add(delivery)
    return delivery
  }

  find(id: string): ModelDelivery | undefined {
    return this.byId.get(id)
  }

  get count(): number {
    return this.deliveries.length
  }

  at(position: number): ModelDelivery | undefined {
    return this.deliveries[position]
  }

  all(): readonly ModelDelivery[] {
    return this.deliveries
  }

  /** Newest first. */
  of(owner: string): readonly Delivery[] {
    return this.deliveries
      .map(({ record }) => record)
      .filter((record) => record.owner === owner)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  /** Oldest first, as the store has them: one that was redelivered was entered into `open` again. */
  inState(...states: readonly Delivery['state'][]): readonly ModelDelivery[] {
    return [...this.open]
      .filter(({ record }) => states.includes(record.state))
      .sort((one, other) => (one.record.id < other.record.id ? -1 : 1))
  }

  /** The lanes with something queued, told like `namesOf` tells them. */
  queuedLanes(): readonly string[] {
    const queued = this.inState('queued').map(({ lane, record }) => ({ lane, owner: record.owner }))
    return [...new Set(namesOf(queued))]
  }

  /** Deliveries of a lane to be attempted, oldest first. */
  queued(lane: string): readonly ModelDelivery[] {
    return this.inState('queued').filter((one) => one.lane === lane)
  }

  /** Deliveries of the same lane and invoice that are older than this one. */
  before({ lane, record }: ModelDelivery): readonly ModelDelivery[] {
    return [...this.open].filter(
      (one) => one.lane === lane && one.record.invoiceId === record.invoiceId && one.record.id < record.id,
    )
  }

  /** False when it is not queued. */
  mark(id: string, nowMs: number): boolean {
    const delivery = this.byId.get(id)
    if (delivery?.record.state !== 'queued') return false
    const attempts = delivery.record.attempts + 1
    delivery.record = { ...delivery.record, state: 'attempted', attemptedAt: nowMs, attempts }
    return true
  }

  /** Ends an attempt: waiting until `nextAttemptAt`, settled when that is null. */
  end(delivery: ModelDelivery, result: DeliveryResult, nextAttemptAt: number | null): void {
    const state = nextAttemptAt === null ? 'settled' : 'waiting'
    delivery.record = { ...delivery.record, state, nextAttemptAt, result: kept(result) }
    if (state !== 'settled') return
    this.open.delete(delivery)
    if (result.kind === 'failed' || result.httpStatus < 200 || result.httpStatus > 299) this.failed(delivery)
  }

  queueAgain(delivery: ModelDelivery, attemptsBefore: number): void {
    delivery.record = { ...delivery.record, state: 'queued', attemptsBefore, nextAttemptAt: null }
    this.open.add(delivery)
  }

  /** It waits for another time, as if its attempt had been at this one. */
  wait(delivery: ModelDelivery, attemptedAt: number, nextAttemptAt: number): void {
    delivery.record = { ...delivery.record, attemptedAt, nextAttemptAt }
  }

  giveUp(delivery: ModelDelivery): void {
    delivery.record = { ...delivery.record, state: 'settled', nextAttemptAt: null }
    this.open.delete(delivery)
    this.failed(delivery)
  }

  private failed({ record }: ModelDelivery): void {
    const { id, owner, invoiceId, status, event, attempts, result } = record
    const httpStatus = result?.kind === 'answered' ? result.httpStatus : null
    const failure = result?.kind === 'failed' ? result.reason : null
    const delivery = { id, status, attempt: attempts, httpStatus, failure, event }
    this.events.add(owner, 'delivery.failed', invoiceId, { delivery })
  }
}

function shownPayload(payload: WebhookPayload | undefined): Pick<WebhookConfiguration, 'payload' | 'types'> {
  if (payload === 'events') return { payload, types: EVENT_TYPES }
  return payload === 'with-invoice' ? { payload } : {}
}

/** What is kept of a result. */
function kept(result: DeliveryResult): DeliveryResult {
  if (result.kind === 'failed') return result
  return { kind: 'answered', httpStatus: result.httpStatus, durationMs: result.durationMs }
}

/** Lanes and whose they are, in an order of their own. */
export function namesOf(lanes: readonly LaneOfOwner[]): readonly string[] {
  return lanes.map(({ lane, owner }) => `${lane} of ${owner}`).sort()
}
