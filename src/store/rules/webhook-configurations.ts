import {
  type KeptSecrets,
  rotatedSecrets,
  type SigningSecrets,
  signingSecrets,
  unconfigured,
  type WebhookConfiguration,
  type WebhookPayload,
} from '../../domain/webhook.js'
import type { Awaitable } from '../store.js'
import type { Asking } from './asking.js'
import { askBoth } from './together.js'

/** What is kept of where and how an owner is notified. */
export interface KeptConfiguration extends KeptSecrets {
  readonly owner: string
  readonly callbackUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: WebhookPayload
}

/** What is kept of an owner who has set neither a payload nor a second secret. */
export const UNSET = { payload: 'specified', previousSecret: null, overlapEndsAt: null } as const

/** What an engine does for webhook configurations, inside a transaction. */
export interface WebhookWork {
  readClock(): Awaitable<number>
  /** What is kept of an owner, which nobody else changes or makes until the commit. */
  kept(owner: string): Awaitable<KeptConfiguration | undefined>
  put(kept: KeptConfiguration): void
}

/** Sets the default URL. The secret is made the first time only; without `payload` the payload stays as it was. */
export function* setCallback(
  webhooks: WebhookWork,
  owner: string,
  callbackUrl: string,
  payload: WebhookPayload | undefined,
  randomSecretHex: () => string,
): Asking<WebhookConfiguration> {
  const { kept, nowMs } = yield* found(webhooks, owner)
  const before = kept ?? first(owner, randomSecretHex(), nowMs)
  return written(webhooks, { ...before, callbackUrl, payload: payload ?? before.payload, updatedAt: nowMs })
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
  const { callbackUrl, secret, createdAt, updatedAt, payload } = kept
  const record = { owner, callback_url: callbackUrl, secret, created_at: createdAt, updated_at: updatedAt }
  return payload === 'specified' ? record : { ...record, payload }
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
