import type { EventType } from '../domain/event.js'
import type { SigningSecrets, WebhookConfiguration, WebhookPayload } from '../domain/webhook.js'
import type { Awaitable } from './reading.js'

/** Where and how owners are notified. */
export interface WebhookPort {
  find(owner: string): Awaitable<WebhookConfiguration>
  /** Sets the default URL; the secret is made the first time only. Without `payload` or `types` these stay as they were. */
  put(
    owner: string,
    callbackUrl: string,
    payload?: WebhookPayload,
    types?: readonly EventType[],
  ): Promise<WebhookConfiguration>
  /** Replaces the secret; the previous one signs too until the overlap ends. Makes the first secret of an owner. */
  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration>
  /** Removes the record with its secret; false when there was none. */
  delete(owner: string): Promise<boolean>
  /** The secrets that the owner's deliveries are signed with now, made on demand (specification, PUT webhook). */
  secrets(owner: string): Promise<SigningSecrets>
}
