import type { ApiKey, ApiKeyRegistration } from '../domain/api-key.js'
import type { Outcome } from '../domain/failure.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/** The API keys of identities. */
export interface KeyPort {
  /** Refuses with `public_key_registered`, `too_many_keys` or `invalid_api_key_registration`. */
  register(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>>
  /** Refuses with `api_key_not_found` or `not_key_owner`. A second revocation keeps the first `revoked_at`. */
  revoke(id: string, owner: string, trace?: string): Promise<Outcome<ApiKey>>
  /** The record of the key with an id. */
  withId(id: string): Awaitable<ApiKey | undefined>
  /** The record of a public key of 33 bytes. It includes every revocation that was answered. */
  find(publicKey: Uint8Array): Awaitable<ApiKey | undefined>
  /** The keys of an owner, newest first. */
  page(owner: string, page: Page): Awaitable<PageOf<ApiKey>>
}
