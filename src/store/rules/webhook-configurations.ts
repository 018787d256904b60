import { EVENT_TYPES, type EventType } from '../../domain/event.js'
import {
  type KeptSecrets,
  rotatedSecrets,
  type SigningSecrets,
  signingSecrets,
  unconfigured,
  type WebhookConfiguration,
  type WebhookPayload,
} from '../../domain/webhook.js'
import type { Awaitable } from '../reading.js'
import type { Asking } from './asking.js'
import { type CursorWork, followEvents, leaveEvents } from './queue-events.js'
import { askBoth } from './together.js'

/** What is kept of where and how an owner is notified. */
export interface KeptConfiguration extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
  /** Which events are sent with the payload `events`; null for all, also those of later versions. */
  readonly types: readonly EventType[] | null
}

/** What is kept of an owner who has set neither a payload, nor types of events, nor a second secret. */
export const UNSET = { payload: 'specified', types: null, previousSecret: null, overlapEndsAt: null } as const

/** What an engine does for webhook configurations, inside a transaction. */
export interface WebhookWork {
  readClock(): Awaitable<number>
  /** What is kept of an owner, which nobody else changes or makes until the commit. */
  kept(owner: string): Awaitable<KeptConfiguration | undefined>
  put(kept: KeptConfiguration): void
  /** The last event in the log of an owner, removed ones included; null for none. */
  lastEvent(owner: string): Awaitable<string | null>
}

/** What an owner sets. What is left out stays as it was. */
export interface Wanted {
  readonly callbackUrl: string
  readonly payload: WebhookPayload | undefined
  readonly types: readonly EventType[] | undefined
}

/**
 * Sets the default URL, and what is sent. The secret is made the first time only. A change of the payload counts from now on: events
 * of before are sent only if they were to be sent then.
 */
export function* setCallback(
  webhooks: WebhookWork & CursorWork,
  owner: string,
  wanted: Wanted,
  randomSecretHex: () => string,
): Asking<WebhookConfiguration> {
  const { kept, nowMs } = yield* found(webhooks, owner)
  const before = kept ?? first(owner, randomSecretHex(), nowMs)
  const { callbackUrl, payload = before.payload, types = before.types } = wanted
  const shown = written(webhooks, { ...before, callbackUrl, payload, types, updatedAt: nowMs })
  if (payload === before.payload) return shown
  // Behind the writing, which waits for what others record by the configuration of before.
  const lastEvent = () => webhooks.lastEvent(owner)
  if (payload === 'events') yield* followEvents(webhooks, owner, lastEvent)
  else if (before.payload === 'events') yield* leaveEvents(webhooks, owner, lastEvent)
  return shown
}

/** Replaces the secret; the previous one signs too until the overlap ends. Makes the first secret of an owner. */
export function* rotateSecret(
  webhooks: WebhookWork,
  owner: string,
  overlapMs: number,
  randomSecretHex: () => string,
): Asking<WebhookConfiguration> {
  const { kept, nowMs } = yield* found(webhooks, owner)
  const next = randomSecretHex()
  if (kept === undefined) return written(webhooks, first(owner, next, nowMs))
  return written(webhooks, { ...kept, ...rotatedSecrets(kept, next, overlapMs, nowMs), updatedAt: nowMs })
}

/** The secrets that sign an owner's deliveries now. Makes the first one. */
export function* secretsOf(
  webhooks: WebhookWork,
  owner: string,
  randomSecretHex: () => string,
): Asking<SigningSecrets> {
  const { kept, nowMs } = yield* found(webhooks, owner)
  if (kept !== undefined) return signingSecrets(kept, nowMs)
  const made = first(owner, randomSecretHex(), nowMs)
  webhooks.put(made)
  return signingSecrets(made, nowMs)
}

/** What is kept of an owner, as the API shows it. */
export function shownConfiguration(owner: string, kept: KeptConfiguration | undefined): WebhookConfiguration {
  if (kept === undefined) return unconfigured(owner)
  const { callbackUrl, secret, createdAt, updatedAt, payload, types } = kept
  const record = { owner, callback_url: callbackUrl, secret, created_at: createdAt, updated_at: updatedAt }
  if (payload === 'specified') return record
  return payload === 'events' ? { ...record, payload, types: types ?? EVENT_TYPES } : { ...record, payload }
}

function* found(
  webhooks: WebhookWork,
  owner: string,
): Asking<{ readonly kept: KeptConfiguration | undefined; readonly nowMs: number }> {
  const [kept, nowMs] = yield* askBoth(webhooks.kept(owner), webhooks.readClock())
  return { kept, nowMs }
}

function first(owner: string, secret: string, nowMs: number): KeptConfiguration {
  return { owner, callbackUrl: null, secret, createdAt: nowMs, updatedAt: nowMs, ...UNSET }
}

function written(webhooks: WebhookWork, kept: KeptConfiguration): WebhookConfiguration {
  webhooks.put(kept)
  return shownConfiguration(kept.owner, kept)
}
