import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type ApiKeyRegistration,
  expiryOf,
  isActive,
  LABEL_LENGTH_MAX,
} from '../../domain/api-key.js'
import { type Outcome, refuse, refuseField, succeed, unchanged } from '../../domain/failure.js'
import { truncate } from '../../domain/text.js'
import type { ImportOutcome } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { ADDED, KNOWN, refused } from './import-outcomes.js'
import { askBoth } from './together.js'

/** What an engine does for API keys, inside a transaction. */
export interface KeyWork {
  readClock(): Awaitable<number>
  /** An id at random that no key has. */
  newId(random: () => string): string
  withPublicKey(publicKey: Uint8Array): Awaitable<ApiKey | undefined>
  /** The key of an id, which nobody else revokes until the commit. */
  withId(id: string): Awaitable<ApiKey | undefined>
  /** Keeps others from adding keys of an owner until the commit. */
  hold(owner: string): void
  /** How many keys of an owner are active then, counted no further than `ACTIVE_KEYS_MAX`. */
  countActive(owner: string, nowMs: number): Awaitable<number>
  add(publicKey: Uint8Array, key: ApiKey): void
  /** Writes a key that has just been revoked. */
  revoke(key: ApiKey): void
}

export function* registerKey(
  keys: KeyWork,
  registration: ApiKeyRegistration,
  randomKeyId: () => string,
): Asking<Outcome<ApiKey>> {
  const { owner, publicKey, ttlDays } = registration
  keys.hold(owner)
  const nowMs = yield* ask(keys.readClock())
  const [taken, active] = yield* askBoth(keys.withPublicKey(publicKey), keys.countActive(owner, nowMs))
  if (taken !== undefined) return refuse('public_key_registered')
  const expiresAt = ttlDays === null ? null : expiryOf(nowMs, ttlDays)
  if (expiresAt === undefined) return refuseField('invalid_api_key_registration', 'ttlDays')
  if (active >= ACTIVE_KEYS_MAX) return refuse('too_many_keys')
  const key: ApiKey = {
    id: keys.newId(randomKeyId),
    owner,
    label: truncate(registration.label, LABEL_LENGTH_MAX),
    public_key: registration.publicKeyText,
    permissions: registration.permissions.join(','),
    expires_at: expiresAt,
    revoked_at: null,
    created_at: nowMs,
  }
  keys.add(publicKey, key)
  return succeed(key)
}

/** Revokes a key for its owner. One that is revoked already stays as it is. */
export function* revokeKey(keys: KeyWork, id: string, owner: string): Asking<Outcome<ApiKey>> {
  const key = yield* ask(keys.withId(id))
  if (key === undefined) return refuse('api_key_not_found')
  if (key.owner !== owner) return refuse('not_key_owner')
  if (key.revoked_at !== null) return unchanged(key)
  const revoked = { ...key, revoked_at: yield* ask(keys.readClock()) }
  keys.revoke(revoked)
  return succeed(revoked)
}

/** Adds a key of another store as it was there. */
export function* importKey(keys: KeyWork, publicKey: Uint8Array, key: ApiKey): Asking<ImportOutcome> {
  const found = yield* askBoth(keys.withPublicKey(publicKey), keys.withId(key.id))
  const known = found.filter((one) => one !== undefined)
  if (known.length > 0) {
    return known.every((one) => isSameKey(one, key)) ? KNOWN : refused('another key has its id or its public key')
  }
  keys.hold(key.owner)
  const nowMs = yield* ask(keys.readClock())
  const isOneMore = isActive(key, nowMs)
  if (isOneMore && (yield* ask(keys.countActive(key.owner, nowMs))) >= ACTIVE_KEYS_MAX) {
    return refused(`its owner has ${ACTIVE_KEYS_MAX} active keys already`)
  }
  keys.add(publicKey, key)
  return ADDED
}

function isSameKey(known: ApiKey, { id, owner, public_key }: ApiKey): boolean {
  return known.id === id && known.owner === owner && known.public_key === public_key
}
