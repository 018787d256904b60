import type { ApiKey, ApiKeyRegistration } from '../../../src/domain/api-key.js'

const ACTIVE_MAX = 100
const DAY_MS = 24 * 60 * 60 * 1000

/** API keys (specification, API key; decisions 3), in order of registration. */
export class ModelKeys {
  private readonly keys: { readonly publicKey: string; record: ApiKey }[] = []

  find(publicKey: Uint8Array): ApiKey | undefined {
    const hex = Buffer.from(publicKey).toString('hex')
    return this.keys.find((one) => one.publicKey === hex)?.record
  }

  get count(): number {
    return this.keys.length
  }

  publicKeyAt(position: number): Buffer | undefined {
    const found = this.keys[position]
    return found === undefined ? undefined : Buffer.from(found.publicKey, 'hex')
  }

  /** Newest first. */
  of(owner: string): readonly ApiKey[] {
    return this.keys
      .map(({ record }) => record)
      .filter((record) => record.owner === owner)
      .reverse()
  }

  all(): readonly ApiKey[] {
    return this.keys.map(({ record }) => record)
  }

  /** The record that registering now gives, its id aside, or the code of the refusal. */
  judge(registration: ApiKeyRegistration, nowMs: number): Omit<ApiKey, 'id'> | string {
    if (this.find(registration.publicKey) !== undefined) return 'public_key_registered'
    const expiresAt = registration.ttlDays === null ? null : nowMs + Math.ceil(registration.ttlDays * DAY_MS)
    if (expiresAt !== null && !Number.isSafeInteger(expiresAt)) return 'invalid_api_key_registration'
    const active = this.of(registration.owner).filter((key) => {
      return key.revoked_at === null && (key.expires_at === null || key.expires_at >= nowMs)
    })
    if (active.length >= ACTIVE_MAX) return 'too_many_keys'
    return {
      owner: registration.owner,
      label: registration.label,
      public_key: registration.publicKeyText,
      permissions: registration.permissions.join(','),
      expires_at: expiresAt,
      revoked_at: null,
      created_at: nowMs,
    }
  }

  add(publicKey: Uint8Array, record: ApiKey): void {
    this.keys.push({ publicKey: Buffer.from(publicKey).toString('hex'), record })
  }

  /** The record after revoking, or the code of the refusal. The first `revoked_at` stays. */
  revoke(id: string, owner: string, nowMs: number): ApiKey | string {
    const found = this.keys.find(({ record }) => record.id === id)
    if (found === undefined) return 'api_key_not_found'
    if (found.record.owner !== owner) return 'not_key_owner'
    if (found.record.revoked_at === null) found.record = { ...found.record, revoked_at: nowMs }
    return found.record
  }

  /** The code that a request signed with the key gets, null when it is accepted (specification, 401 on signed requests). */
  refusalOf(publicKey: Uint8Array, permission: string, nowMs: number): string | null {
    const record = this.find(publicKey)
    if (record === undefined) return 'unknown_api_key'
    if (record.revoked_at !== null) return 'api_key_revoked'
    if (record.expires_at !== null && record.expires_at < nowMs) return 'api_key_expired'
    return record.permissions.split(',').includes(permission) ? null : 'permission_missing'
  }
}
