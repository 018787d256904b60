import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  type ApiKeyRegistration,
  type Authority,
  authorise,
  expiryOf,
  isActive,
  LABEL_LENGTH_MAX,
} from '../../../domain/api-key.js'
import { type Failure, type Outcome, refuse, refuseField, succeed } from '../../../domain/failure.js'
import { truncate } from '../../../domain/text.js'
import { TOO_MANY_KEYS } from '../../imports.js'
import type { ImportOutcome, KeyPort, Page, PageOf } from '../../store.js'
import { noteDone } from '../audit-rows.js'
import type { Commit, CommitLoop, Reader } from '../commit/commit-loop.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { pageOfOwner } from '../identities/owner-lists.js'
import { NUMBER_BYTES, numberKey, type OwnerNo, under } from '../tables/keys.js'
import { integer, orNull, recordCodec, text } from '../tables/record-codec.js'
import { addActiveKey, countActiveKeys, removeActiveKey } from './active-keys.js'

const PUBLIC_KEY_BYTES = 33
const KEY_ID_BYTES = 8

export const apiKeyCodec = recordCodec<ApiKey>('api-keys', 1, {
  id: text,
  owner: text,
  label: text,
  public_key: text,
  permissions: text,
  expires_at: orNull(integer),
  revoked_at: orNull(integer),
  created_at: integer,
})

/** API keys, by the 33 bytes of the public key: a public key names one record for ever (decisions 3). */
export class LmdbKeys implements KeyPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly randomKeyId: () => string,
  ) {}

  register(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>> {
    return this.commits.run((commit) => register(commit, registration, this.randomKeyId))
  }

  revoke(id: string, owner: string, trace?: string): Promise<Outcome<ApiKey>> {
    return this.commits.run((commit) => {
      const outcome = revoke(commit, id, owner)
      if (outcome.ok) noteDone(commit, trace)
      return outcome
    })
  }

  withId(id: string): ApiKey | undefined {
    const { snapshot } = this.commits
    const publicKey = publicKeyOf(snapshot, id)
    return publicKey === undefined ? undefined : findKey(snapshot, publicKey)
  }

  find(publicKey: Uint8Array): ApiKey | undefined {
    if (publicKey.length !== PUBLIC_KEY_BYTES) return undefined
    return findKey(this.commits.snapshot, Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength))
  }

  page(owner: string, page: Page): PageOf<ApiKey> {
    const { snapshot } = this.commits
    const { ownerApiKeys } = snapshot.tables
    return pageOfOwner(snapshot, ownerApiKeys, NUMBER_BYTES, owner, page, (key) =>
      listedKey(snapshot, ownerApiKeys.get(key)),
    )
  }
}

/** Why a signed request may no longer be acted on (`authorise`); null when it may, or was not signed. */
export function refusalOf(commit: Commit, authority: Authority | undefined): Failure | null {
  if (authority === undefined) return null
  const key = authorise(findById(commit, authority.keyId), authority.permission, commit.nowMs)
  return key.ok ? null : key.failure
}

function register(commit: Commit, registration: ApiKeyRegistration, randomKeyId: () => string): Outcome<ApiKey> {
  if (commit.tables.apiKeys.doesExist(Buffer.from(registration.publicKey))) return refuse('public_key_registered')
  const expiresAt = registration.ttlDays === null ? null : expiryOf(commit.nowMs, registration.ttlDays)
  if (expiresAt === undefined) return refuseField('invalid_api_key_registration', 'ttlDays')
  const ownerNo = ownerNoOf(commit, registration.owner)
  if (ownerNo !== undefined && countActiveKeys(commit, ownerNo, ACTIVE_KEYS_MAX) >= ACTIVE_KEYS_MAX) {
    return refuse('too_many_keys')
  }
  const key: ApiKey = {
    id: unusedId(commit, randomKeyId),
    owner: registration.owner,
    label: truncate(registration.label, LABEL_LENGTH_MAX),
    public_key: registration.publicKeyText,
    permissions: registration.permissions.join(','),
    expires_at: expiresAt,
    revoked_at: null,
    created_at: commit.nowMs,
  }
  insert(commit, Buffer.from(registration.publicKey), ownerNo ?? internOwner(commit, registration.owner), key)
  return succeed(key)
}

/** Adds a key of another store as it was there. */
export function importKey(commit: Commit, publicKey: Uint8Array, key: ApiKey): ImportOutcome {
  const known = findKey(commit, Buffer.from(publicKey)) ?? findById(commit, key.id)
  if (known !== undefined) {
    const isSame = known.id === key.id && known.owner === key.owner && known.public_key === key.public_key
    return isSame ? { status: 'known' } : { status: 'refused', error: 'another key has its id or its public key' }
  }
  const ownerNo = internOwner(commit, key.owner)
  if (isActive(key, commit.nowMs) && countActiveKeys(commit, ownerNo, ACTIVE_KEYS_MAX) >= ACTIVE_KEYS_MAX) {
    return { status: 'refused', error: TOO_MANY_KEYS }
  }
  insert(commit, Buffer.from(publicKey), ownerNo, key)
  return { status: 'added' }
}

function insert(commit: Commit, publicKey: Buffer, ownerNo: OwnerNo, key: ApiKey): void {
  const { apiKeys, apiKeyIds, ownerApiKeys } = commit.tables
  apiKeys.putSync(publicKey, apiKeyCodec.encode(key))
  apiKeyIds.putSync(Buffer.from(key.id, 'hex'), publicKey)
  ownerApiKeys.putSync(under(ownerNo, numberKey(commit.nextNo('apiKey'))), publicKey)
  if (key.revoked_at === null) addActiveKey(commit, ownerNo, key)
}

function revoke(commit: Commit, id: string, owner: string): Outcome<ApiKey> {
  const publicKey = publicKeyOf(commit, id)
  const key = publicKey === undefined ? undefined : findKey(commit, publicKey)
  if (publicKey === undefined || key === undefined) return refuse('api_key_not_found')
  if (key.owner !== owner) return refuse('not_key_owner')
  if (key.revoked_at !== null) return succeed(key)
  const revoked = { ...key, revoked_at: commit.nowMs }
  commit.tables.apiKeys.putSync(publicKey, apiKeyCodec.encode(revoked))
  commit.caches.keys.set(id, revoked)
  removeActiveKey(commit, internOwner(commit, key.owner), key)
  return succeed(revoked)
}

function findKey(at: Reader, publicKey: Buffer): ApiKey | undefined {
  const bytes = at.tables.apiKeys.getBinaryFast(publicKey)
  if (bytes === undefined) return undefined
  return at.caches === null ? at.memos.keys.decode(publicKey.toString('latin1'), bytes) : apiKeyCodec.decode(bytes)
}

/** The key that the list of an owner names. */
function listedKey(at: Reader, publicKey: Buffer | undefined): ApiKey {
  const key = publicKey === undefined ? undefined : findKey(at, publicKey)
  if (key === undefined) throw new Error('the list of API keys names one that is not there')
  return key
}

function findById(commit: Commit, id: string): ApiKey | undefined {
  const known = commit.caches.keys.get(id)
  if (known !== undefined) return known
  const publicKey = publicKeyOf(commit, id)
  const key = publicKey === undefined ? undefined : findKey(commit, publicKey)
  if (key !== undefined) commit.caches.keys.set(id, key)
  return key
}

function publicKeyOf({ tables }: Reader, id: string): Buffer | undefined {
  const bytes = Buffer.from(id, 'hex')
  if (bytes.length !== KEY_ID_BYTES || bytes.toString('hex') !== id) return undefined
  return tables.apiKeyIds.get(bytes)
}

function unusedId({ tables }: Commit, randomKeyId: () => string): string {
  for (;;) {
    const id = randomKeyId()
    if (!tables.apiKeyIds.doesExist(Buffer.from(id, 'hex'))) return id
  }
}

/** Lists a key of an owner among the active ones, for a store that has no such list yet (data version 2). */
export function listActiveKey(commit: Commit, key: Buffer, value: Buffer): void {
  const record = listedKey(commit, value)
  if (record.revoked_at === null) addActiveKey(commit, key.readUInt32BE(0) as OwnerNo, record)
}
