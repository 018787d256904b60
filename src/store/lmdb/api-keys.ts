import type { ApiKey, ApiKeyRegistration, Authority } from '../../domain/api-key.js'
import { ACTIVE_KEYS_MAX, authorise, expiryOf, LABEL_LENGTH_MAX } from '../../domain/api-key.js'
import { type Failure, type Outcome, refuse, refuseField, succeed } from '../../domain/failure.js'
import { truncate } from '../../domain/text.js'
import type { Page, PageOf } from '../pages.js'
import { ActiveKeys } from './active-keys.js'
import { NUMBER_BYTES, numberKey, under } from './bytes.js'
import type { Identities } from './identities.js'
import { pageKeys } from './pages.js'
import { recordCodec } from './record-codec.js'
import { RecordMemo } from './record-memo.js'
import { RowCache } from './row-cache.js'
import type { Sequences } from './sequences.js'
import type { Tables } from './tables.js'

const PUBLIC_KEY_BYTES = 33
const KEY_ID_BYTES = 8

const codec = recordCodec<ApiKey>(
  'api-keys',
  1,
  (key) => [
    key.id,
    key.owner,
    key.label,
    key.public_key,
    key.permissions,
    key.expires_at,
    key.revoked_at,
    key.created_at,
  ],
  (fields) => ({
    id: fields.text(),
    owner: fields.text(),
    label: fields.text(),
    public_key: fields.text(),
    permissions: fields.text(),
    expires_at: fields.integerOrNull(),
    revoked_at: fields.integerOrNull(),
    created_at: fields.integer(),
  }),
)

/** API keys, by the 33 bytes of the public key: a public key names one record for ever (decisions 3). */
export class ApiKeys {
  private readonly memo = new RecordMemo(codec)
  private readonly keysInCommit = new RowCache<ApiKey>()
  private readonly active: ActiveKeys

  constructor(
    private readonly tables: Tables,
    private readonly sequences: Sequences,
    private readonly identities: Identities,
    private readonly randomKeyId: () => string,
  ) {
    this.active = new ActiveKeys(tables)
  }

  find(publicKey: Uint8Array): ApiKey | undefined {
    if (publicKey.length !== PUBLIC_KEY_BYTES) return undefined
    const key = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength)
    const bytes = this.tables.apiKeys.getBinaryFast(key)
    return bytes === undefined ? undefined : this.memo.decode(key.toString('latin1'), bytes)
  }

  /** Why a request may not be acted on any more, as `authorise` has it; null when it may, or was not signed. */
  refusalOf(authority: Authority | undefined, nowMs: number): Failure | null {
    if (authority === undefined) return null
    const key = authorise(this.findInCommit(authority.keyId), authority.permission, nowMs)
    return key.ok ? null : key.failure
  }

  /** After an aborted commit. */
  forget(): void {
    this.keysInCommit.forget()
  }

  /** By id, in a commit. */
  private findInCommit(id: string): ApiKey | undefined {
    const known = this.keysInCommit.get(id)
    if (known !== undefined) return known
    const publicKey = this.publicKeyOf(id)
    const key = publicKey === undefined ? undefined : this.find(publicKey)
    if (key !== undefined) this.keysInCommit.set(id, key)
    return key
  }

  register(registration: ApiKeyRegistration, nowMs: number): Outcome<ApiKey> {
    if (this.find(registration.publicKey) !== undefined) return refuse('public_key_registered')
    const expiresAt = registration.ttlDays === null ? null : expiryOf(nowMs, registration.ttlDays)
    if (expiresAt === undefined) return refuseField('invalid_api_key_registration', 'ttlDays')
    const ownerNo = this.identities.numberOf(registration.owner)
    if (ownerNo !== undefined && this.active.count(ownerNo, nowMs, ACTIVE_KEYS_MAX) >= ACTIVE_KEYS_MAX) {
      return refuse('too_many_keys')
    }
    return succeed(this.insert(registration, ownerNo ?? this.identities.intern(registration.owner), expiresAt, nowMs))
  }

  private insert(registration: ApiKeyRegistration, ownerNo: number, expiresAt: number | null, nowMs: number): ApiKey {
    const key: ApiKey = {
      id: this.unusedId(),
      owner: registration.owner,
      label: truncate(registration.label, LABEL_LENGTH_MAX),
      public_key: registration.publicKeyText,
      permissions: registration.permissions.join(','),
      expires_at: expiresAt,
      revoked_at: null,
      created_at: nowMs,
    }
    const publicKey = Buffer.from(registration.publicKey)
    this.tables.apiKeys.putSync(publicKey, codec.encode(key))
    this.tables.apiKeyIds.putSync(Buffer.from(key.id, 'hex'), publicKey)
    this.tables.ownerApiKeys.putSync(under(ownerNo, numberKey(this.sequences.next('apiKey'))), publicKey)
    this.active.add(ownerNo, key, nowMs)
    return key
  }

  revoke(id: string, owner: string, nowMs: number): Outcome<ApiKey> {
    const publicKey = this.publicKeyOf(id)
    const key = publicKey === undefined ? undefined : this.find(publicKey)
    if (publicKey === undefined || key === undefined) return refuse('api_key_not_found')
    if (key.owner !== owner) return refuse('not_key_owner')
    if (key.revoked_at !== null) return succeed(key)
    const revoked = { ...key, revoked_at: nowMs }
    this.tables.apiKeys.putSync(publicKey, codec.encode(revoked))
    this.keysInCommit.set(id, revoked)
    this.active.remove(this.identities.intern(key.owner), key)
    return succeed(revoked)
  }

  /** The keys of an owner, newest first. */
  pageOf(owner: string, page: Page): PageOf<ApiKey> {
    const ownerNo = this.identities.numberOf(owner)
    if (ownerNo === undefined) return { items: [], next: null }
    return pageKeys(this.tables.ownerApiKeys, numberKey(ownerNo), NUMBER_BYTES, page, (key) => {
      const publicKey = this.tables.ownerApiKeys.get(key)
      const record = publicKey === undefined ? undefined : this.find(publicKey)
      if (record === undefined) throw new Error('the list of API keys names one that is not there')
      return record
    })
  }

  private publicKeyOf(id: string): Buffer | undefined {
    const bytes = Buffer.from(id, 'hex')
    if (bytes.length !== KEY_ID_BYTES || bytes.toString('hex') !== id) return undefined
    return this.tables.apiKeyIds.get(bytes)
  }

  private unusedId(): string {
    for (;;) {
      const id = this.randomKeyId()
      if (!this.tables.apiKeyIds.doesExist(Buffer.from(id, 'hex'))) return id
    }
  }
}

/** Enters the keys of a store that has no list of active ones yet. */
export function listActiveKeys(tables: Tables): void {
  const active = new ActiveKeys(tables)
  for (const { key, value } of tables.ownerApiKeys.getRange()) {
    const bytes = tables.apiKeys.get(value)
    if (bytes === undefined) throw new Error('the list of API keys names one that is not there')
    const record = codec.decode(bytes)
    if (record.revoked_at === null) active.add(key.readUInt32BE(0), record, 0)
  }
}
