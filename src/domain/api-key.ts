import { type Failure, type Outcome, refuse, succeed } from './failure.js'
import { isLongerThan } from './text.js'

/** Permission names that may be stored (specification, Permission names); only `invoices:create` is enforced. */
export const PERMISSIONS = ['invoices:create', 'payments:send', 'treasury:approve'] as const
export type Permission = (typeof PERMISSIONS)[number]

export const LABEL_LENGTH_MAX = 60
/** Active keys of one owner (decisions 3). */
export const ACTIVE_KEYS_MAX = 100
/** Bytes of a public key, which is kept compressed. */
export const PUBLIC_KEY_BYTES = 33
export const DAY_MS = 86_400_000

/** The API key record as the API shows it (specification, API key record). No private material exists. */
export interface ApiKey {
  /** 16 hex characters. */
  readonly id: string
  readonly owner: string
  readonly label: string
  /** As registered. */
  readonly public_key: string
  /** Comma-joined. */
  readonly permissions: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

/** A registration whose fields have been checked. */
export interface ApiKeyRegistration {
  readonly owner: string
  readonly label: string
  /** As sent by the client. */
  readonly publicKeyText: string
  /** The 33 bytes of the compressed key, by which it is looked up. */
  readonly publicKey: Uint8Array
  readonly permissions: readonly Permission[]
  readonly ttlDays: number | null
}

/**
 * The key that signed a request and the permission that the route requires. The transaction that acts on the request
 * checks both again.
 */
export interface Authority {
  /** 16 hex characters. */
  readonly keyId: string
  /** Null if any active key is enough. */
  readonly permission: Permission | null
}

/** The known permissions of a request, duplicates removed, in the order of the request (decisions 3). */
export function knownPermissions(names: readonly unknown[]): Permission[] {
  const kept = new Set<Permission>()
  for (const name of names) {
    if ((PERMISSIONS as readonly unknown[]).includes(name)) kept.add(name as Permission)
  }
  return [...kept]
}

/** Why the record of a key that this service did not register is none that it could have, as text; null if it is. */
export function flawOfKey({ label, permissions }: Pick<ApiKey, 'label' | 'permissions'>): string | null {
  if (label.trim() === '') return 'label is blank'
  if (isLongerThan(label, LABEL_LENGTH_MAX)) return `label is longer than ${LABEL_LENGTH_MAX} characters`
  const names = permissions.split(',')
  return knownPermissions(names).join() === permissions ? null : 'permissions must be names of permissions, each once'
}

/** Whether a key counts among the active ones of its owner. */
export function isActive({ revoked_at, expires_at }: ApiKey, nowMs: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at >= nowMs)
}

/** `expires_at` of a key registered now; undefined if `ttlDays` is not positive, or leads beyond the safe integers. */
export function expiryOf(nowMs: number, ttlDays: number): number | undefined {
  if (!Number.isFinite(ttlDays) || ttlDays <= 0) return undefined
  const expiresAt = nowMs + Math.ceil(ttlDays * DAY_MS)
  return Number.isSafeInteger(expiresAt) ? expiresAt : undefined
}

/**
 * Checks that a key whose signature was verified may use `permission` now; with null, that it is active. The order of
 * the checks (known, revoked, expired, permission) is specified (decisions 2).
 */
export function authorise(key: ApiKey | undefined, permission: Permission | null, nowMs: number): Outcome<ApiKey> {
  if (key === undefined) return refuse('unknown_api_key')
  if (key.revoked_at !== null) return refuse('api_key_revoked')
  if (key.expires_at !== null && nowMs > key.expires_at) return refuse('api_key_expired')
  if (permission !== null && !holds(key, permission)) {
    return refuse('permission_missing', { permission })
  }
  return succeed(key)
}

/** Why a signed request may no longer be acted on; null when it may. `key` is the one that signed it. */
export function refusalOf(key: ApiKey | undefined, { permission }: Authority, nowMs: number): Failure | null {
  const authorised = authorise(key, permission, nowMs)
  return authorised.ok ? null : authorised.failure
}

function holds({ permissions }: ApiKey, permission: Permission): boolean {
  // A fast path: most keys have one permission, and every signed request comes here.
  return permissions === permission || permissions.split(',').includes(permission)
}

const TIMESTAMP_WINDOW_MS = 300_000

const UNSIGNED_INTEGER = /^[0-9]+$/

/** Whether a timestamp header is a number of milliseconds. */
export function isTimestamp(text: string): boolean {
  return UNSIGNED_INTEGER.test(text) && Number.isSafeInteger(Number(text))
}

/** Whether a timestamp header is Unix milliseconds within five minutes of `nowMs` in either direction (decisions 2). */
export function isTimely(timestamp: string, nowMs: number): boolean {
  return UNSIGNED_INTEGER.test(timestamp) && Math.abs(nowMs - Number(timestamp)) <= TIMESTAMP_WINDOW_MS
}
