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
import { noteDone } from '../audit.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { internOwner } from '../identities.js'
import { numberOfCursor, pageOf } from '../pages.js'

const PUBLIC_KEY_BYTES = 33

interface KeyColumns {
  readonly public_key: Buffer
  readonly id: string
  readonly no: number
  readonly owner: string
  readonly label: string
  readonly public_key_text: string
  readonly permissions: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly created_at: number
}

const COLUMNS = sql`public_key, id, no, owner, label, public_key_text, permissions, expires_at, revoked_at, created_at`

/** API keys, by the 33 bytes of the public key: a public key names one record for ever (decisions 3). */
export class PostgresKeys implements KeyPort {
  /** One statement for the keys of all requests that arrive together. */
  private readonly finder = new Batcher<string, ApiKey>((hexes) => this.findAll(hexes))

  constructor(
    private readonly database: Database,
    private readonly randomKeyId: () => string,
  ) {}

  register(registration: ApiKeyRegistration): Promise<Outcome<ApiKey>> {
    return this.database.writeRequested((work) => register(work, registration, this.randomKeyId))
  }

  revoke(id: string, owner: string, trace?: string): Promise<Outcome<ApiKey>> {
    return this.database.writeRequested(async (work) => {
      const outcome = await revoke(work, id, owner)
      if (outcome.ok) await noteDone(work, trace)
      return outcome
    })
  }

  async withId(id: string): Promise<ApiKey | undefined> {
    const row = await this.database.readOne<KeyColumns>(sql`SELECT ${COLUMNS} FROM api_keys WHERE id = ${id}`)
    return row === undefined ? undefined : toKey(row)
  }

  async find(publicKey: Uint8Array): Promise<ApiKey | undefined> {
    if (publicKey.length !== PUBLIC_KEY_BYTES) return undefined
    return this.finder.ask(Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('hex'))
  }

  async page(owner: string, { after, limit }: Page): Promise<PageOf<ApiKey>> {
    const before = numberOfCursor(after)
    if (before === undefined) return { items: [], next: null }
    const behind = before === null ? sql`` : sql`AND no < ${before}::bigint`
    const rows = await this.database.read<KeyColumns>(sql`
      SELECT ${COLUMNS} FROM api_keys WHERE owner = ${owner} ${behind} ORDER BY no DESC LIMIT ${limit + 1}::bigint`)
    return pageOf(
      rows.map((row) => ({ item: toKey(row), id: String(row.no) })),
      limit,
    )
  }

  private async findAll(hexes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
    const keys = hexes.map((hex) => Buffer.from(hex, 'hex'))
    const rows = await this.database.read<KeyColumns>(
      sql`SELECT ${COLUMNS} FROM api_keys WHERE public_key = ANY(${keys}::bytea[])`,
    )
    return new Map(rows.map((row) => [row.public_key.toString('hex'), toKey(row)]))
  }
}

/**
 * The keys of some ids, by id. They are locked against revocation until the commit, so that nothing that is signed by a key is
 * done after its revocation was answered.
 */
export async function keysOf(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
  if (ids.length === 0) return new Map()
  const rows = await work.rows<KeyColumns>(
    sql`SELECT ${COLUMNS} FROM api_keys WHERE id = ANY(${ids}::text[]) ORDER BY id FOR SHARE`,
  )
  return new Map(rows.map((row) => [row.id, toKey(row)]))
}

/** Why a signed request may no longer be acted on (`authorise`); null when it may, or was not signed. */
export function refusalOf(
  keys: ReadonlyMap<string, ApiKey>,
  authority: Authority | undefined,
  nowMs: number,
): Failure | null {
  if (authority === undefined) return null
  const key = authorise(keys.get(authority.keyId), authority.permission, nowMs)
  return key.ok ? null : key.failure
}

async function register(
  work: Work,
  registration: ApiKeyRegistration,
  randomKeyId: () => string,
): Promise<Outcome<ApiKey>> {
  const { owner, publicKey } = registration
  lockKeys(work, owner)
  const nowMs = await work.readClock()
  const taken = work.row(sql`SELECT 1 FROM api_keys WHERE public_key = ${Buffer.from(publicKey)}`)
  const active = countActiveKeys(work, owner, nowMs)
  if ((await taken) !== undefined) return refuse('public_key_registered')
  const expiresAt = registration.ttlDays === null ? null : expiryOf(nowMs, registration.ttlDays)
  if (expiresAt === undefined) return refuseField('invalid_api_key_registration', 'ttlDays')
  if (((await active)?.count ?? 0) >= ACTIVE_KEYS_MAX) return refuse('too_many_keys')
  const key: ApiKey = {
    id: randomKeyId(),
    owner,
    label: truncate(registration.label, LABEL_LENGTH_MAX),
    public_key: registration.publicKeyText,
    permissions: registration.permissions.join(','),
    expires_at: expiresAt,
    revoked_at: null,
    created_at: nowMs,
  }
  insert(work, publicKey, key)
  return succeed(key)
}

/** Adds a key of another store as it was there. */
export async function importKey(work: Work, publicKey: Uint8Array, key: ApiKey): Promise<ImportOutcome> {
  const rows = await work.rows<KeyColumns>(
    sql`SELECT ${COLUMNS} FROM api_keys WHERE public_key = ${Buffer.from(publicKey)} OR id = ${key.id}`,
  )
  if (rows.length > 0) {
    const isSame = rows.every(({ id, owner, public_key_text }) => {
      return id === key.id && owner === key.owner && public_key_text === key.public_key
    })
    return isSame ? { status: 'known' } : { status: 'refused', error: 'another key has its id or its public key' }
  }
  lockKeys(work, key.owner)
  const nowMs = await work.readClock()
  const active = await countActiveKeys(work, key.owner, nowMs)
  if (isActive(key, nowMs) && (active?.count ?? 0) >= ACTIVE_KEYS_MAX)
    return { status: 'refused', error: TOO_MANY_KEYS }
  insert(work, publicKey, key)
  return { status: 'added' }
}

/** The owner's row is the lock of the number of its keys. */
function lockKeys(work: Work, owner: string): void {
  internOwner(work, owner)
  work.lock(sql`SELECT owner FROM identities WHERE owner = ${owner} FOR UPDATE`)
}

/** How many keys of an owner are active, at most as many as it may have. */
function countActiveKeys(work: Work, owner: string, nowMs: number): Promise<{ readonly count: number } | undefined> {
  return work.row(sql`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM api_keys WHERE owner = ${owner} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at >= ${nowMs}::bigint)
      LIMIT ${ACTIVE_KEYS_MAX}::bigint) AS active`)
}

function insert(work: Work, publicKey: Uint8Array, key: ApiKey): void {
  work.write(sql`
    INSERT INTO api_keys (public_key, id, owner, label, public_key_text, permissions, expires_at, revoked_at, created_at)
    VALUES (${Buffer.from(publicKey)}, ${key.id}, ${key.owner}, ${key.label}, ${key.public_key}, ${key.permissions},
      ${key.expires_at}, ${key.revoked_at}, ${key.created_at})`)
}

async function revoke(work: Work, id: string, owner: string): Promise<Outcome<ApiKey>> {
  const row = await work.row<KeyColumns>(sql`SELECT ${COLUMNS} FROM api_keys WHERE id = ${id} FOR UPDATE`)
  if (row === undefined) return refuse('api_key_not_found')
  const key = toKey(row)
  if (key.owner !== owner) return refuse('not_key_owner')
  if (key.revoked_at !== null) return succeed(key)
  const revoked = { ...key, revoked_at: await work.readClock() }
  work.write(sql`UPDATE api_keys SET revoked_at = ${revoked.revoked_at} WHERE id = ${id}`)
  return succeed(revoked)
}

function toKey(row: KeyColumns): ApiKey {
  return {
    id: row.id,
    owner: row.owner,
    label: row.label,
    public_key: row.public_key_text,
    permissions: row.permissions,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    created_at: row.created_at,
  }
}

/** Lists all keys, for the operator. A cursor is the number of a key. */
export async function pageOfKeys(database: Database, { after, limit }: Page): Promise<PageOf<ApiKey>> {
  const behind = numberOfCursor(after) ?? 0
  const rows = await database.read<KeyColumns>(
    sql`SELECT ${COLUMNS} FROM api_keys WHERE no > ${behind}::bigint ORDER BY no LIMIT ${limit + 1}::bigint`,
  )
  return pageOf(
    rows.map((row) => ({ item: toKey(row), id: String(row.no) })),
    limit,
  )
}
