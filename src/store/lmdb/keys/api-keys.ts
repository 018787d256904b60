import { ACTIVE_KEYS_MAX, type ApiKey, PUBLIC_KEY_BYTES } from '../../../domain/api-key.js'
import type { KeyPort } from '../../keys.js'
import { answeredNow } from '../../rules/asking.js'
import { type KeyWork, registerKey, revokeKey } from '../../rules/keys.js'
import type { AtOnce } from '../at-once.js'
import { tracedIn } from '../audit-rows.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { pageOfOwner } from '../identities/owner-lists.js'
import { NUMBER_BYTES, numberKey, type OwnerNo, under } from '../tables/keys.js'
import { addActiveKey, countActiveKeys, removeActiveKey } from './active-keys.js'
import { apiKeyCodec } from './api-key-row.js'

const KEY_ID_BYTES = 8

/** API keys, by the 33 bytes of the public key: a public key names one record for ever (decisions 3). */
export function lmdbKeys(commits: CommitLoop, randomKeyId: () => string): AtOnce<KeyPort> {
  return {
    register: (registration) =>
      commits.run((commit) => answeredNow(registerKey(keyWorkOn(commit), registration, randomKeyId))),
    revoke: (id, owner, trace) =>
      commits.run((commit) => tracedIn(commit, trace, revokeKey(keyWorkOn(commit), id, owner))),
    withId(id) {
      const { snapshot } = commits
      const publicKey = publicKeyOf(snapshot, id)
      return publicKey === undefined ? undefined : findKey(snapshot, publicKey)
    },
    find({ buffer, byteOffset, length }) {
      if (length !== PUBLIC_KEY_BYTES) return undefined
      return findKey(commits.snapshot, Buffer.from(buffer, byteOffset, length))
    },
    page(owner, page) {
      const { snapshot } = commits
      const { ownerApiKeys } = snapshot.tables
      return pageOfOwner(snapshot, ownerApiKeys, NUMBER_BYTES, owner, page, (key) =>
        listedKey(snapshot, ownerApiKeys.get(key)),
      )
    },
  }
}

/** What a commit does for keys. */
export function keyWorkOn(commit: Commit): KeyWork {
  const { apiKeys, apiKeyIds, ownerApiKeys } = commit.tables
  return {
    readClock: () => commit.nowMs,
    newId(random) {
      for (;;) {
        const id = random()
        if (!apiKeyIds.doesExist(Buffer.from(id, 'hex'))) return id
      }
    },
    withPublicKey: (publicKey) => findKey(commit, Buffer.from(publicKey)),
    withId: (id) => findById(commit, id),
    /** Commits come one after the other. */
    hold() {},
    countActive(owner) {
      const ownerNo = ownerNoOf(commit, owner)
      return ownerNo === undefined ? 0 : countActiveKeys(commit, ownerNo, ACTIVE_KEYS_MAX)
    },
    add(publicKey, key) {
      const name = Buffer.from(publicKey)
      const ownerNo = internOwner(commit, key.owner)
      apiKeys.putSync(name, apiKeyCodec.encode(key))
      apiKeyIds.putSync(Buffer.from(key.id, 'hex'), name)
      ownerApiKeys.putSync(under(ownerNo, numberKey(commit.nextNo('apiKey'))), name)
      if (key.revoked_at === null) addActiveKey(commit, ownerNo, key)
    },
    revoke(key) {
      const publicKey = publicKeyOf(commit, key.id)
      if (publicKey === undefined) throw new Error('a key was revoked that is not there')
      apiKeys.putSync(publicKey, apiKeyCodec.encode(key))
      commit.caches.keys.set(key.id, key)
      removeActiveKey(commit, internOwner(commit, key.owner), key)
    },
  }
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

export function findById(commit: Commit, id: string): ApiKey | undefined {
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

/** Lists a key of an owner among the active ones, for a store that has no such list yet (data version 2). */
export function listActiveKey(commit: Commit, key: Buffer, value: Buffer): void {
  const record = listedKey(commit, value)
  if (record.revoked_at === null) addActiveKey(commit, key.readUInt32BE(0) as OwnerNo, record)
}
