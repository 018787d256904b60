import { ACTIVE_KEYS_MAX, type ApiKey } from '../../../domain/api-key.js'
import type { KeyPort } from '../../keys.js'
import type { Page, PageOf } from '../../reading.js'
import { answeredLater } from '../../rules/asking.js'
import { type KeyWork, registerKey, revokeKey } from '../../rules/keys.js'
import { tracedIn } from '../audit.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { internOwner } from '../identities.js'
import { numberOfCursor, pageOf } from '../pages.js'

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
export function postgresKeys(database: Database, randomKeyId: () => string): KeyPort {
  /** One statement for the keys of all requests that arrive together. */
  const finder = new Batcher<string, ApiKey>((hexes) => findAll(database, hexes))
  return {
    register: (registration) =>
      database.writeRequested((work) => answeredLater(registerKey(keyWorkOn(work), registration, randomKeyId))),
    revoke: (id, owner, trace) =>
      database.writeRequested((work) => tracedIn(work, trace, revokeKey(keyWorkOn(work), id, owner))),
    async withId(id) {
      const row = await database.readOne<KeyColumns>(sql`SELECT ${COLUMNS} FROM api_keys WHERE id = ${id}`)
      return row === undefined ? undefined : toKey(row)
    },
    find: ({ buffer, byteOffset, byteLength }) =>
      finder.ask(Buffer.from(buffer, byteOffset, byteLength).toString('hex')),
    async page(owner, { after, limit }) {
      const before = numberOfCursor(after)
      if (before === undefined) return { items: [], next: null }
      const behind = before === null ? sql`` : sql`AND no < ${before}::bigint`
      const rows = await database.readPage<KeyColumns>(sql`
        SELECT ${COLUMNS} FROM api_keys WHERE owner = ${owner} ${behind} ORDER BY no DESC LIMIT ${limit + 1}::bigint`)
      return pageOf(
        rows.map((row) => ({ item: toKey(row), id: String(row.no) })),
        limit,
      )
    },
  }
}

async function findAll(database: Database, hexes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
  const keys = hexes.map((hex) => Buffer.from(hex, 'hex'))
  const rows = await database.read<KeyColumns>(
    sql`SELECT ${COLUMNS} FROM api_keys WHERE public_key = ANY(${keys}::bytea[])`,
  )
  return new Map(rows.map((row) => [row.public_key.toString('hex'), toKey(row)]))
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

/** What a unit of work does for keys. */
export function keyWorkOn(work: Work): KeyWork {
  const only = async (condition: Fragment) => {
    const row = await work.row<KeyColumns>(sql`SELECT ${COLUMNS} FROM api_keys WHERE ${condition}`)
    return row === undefined ? undefined : toKey(row)
  }
  return {
    readClock: () => work.readClock(),
    /** Where another key has it, the database refuses to add this one. */
    newId: (random) => random(),
    withPublicKey: (publicKey) => only(sql`public_key = ${Buffer.from(publicKey)}`),
    withId: (id) => only(sql`id = ${id} FOR UPDATE`),
    /** The owner's row is the lock of the number of its keys. */
    hold(owner) {
      internOwner(work, owner)
      work.lock(sql`SELECT owner FROM identities WHERE owner = ${owner} FOR UPDATE`)
    },
    async countActive(owner, nowMs) {
      const row = await work.row<{ readonly count: number }>(sql`
        SELECT count(*) AS count FROM (
          SELECT 1 FROM api_keys WHERE owner = ${owner} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at >= ${nowMs}::bigint)
          LIMIT ${ACTIVE_KEYS_MAX}::bigint) AS active`)
      return row?.count ?? 0
    },
    add(publicKey, key) {
      work.write(sql`
        INSERT INTO api_keys (public_key, id, owner, label, public_key_text, permissions, expires_at, revoked_at, created_at)
        VALUES (${Buffer.from(publicKey)}, ${key.id}, ${key.owner}, ${key.label}, ${key.public_key}, ${key.permissions},
          ${key.expires_at}, ${key.revoked_at}, ${key.created_at})`)
    },
    revoke: ({ id, revoked_at }) => work.write(sql`UPDATE api_keys SET revoked_at = ${revoked_at} WHERE id = ${id}`),
  }
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
  const rows = await database.readPage<KeyColumns>(
    sql`SELECT ${COLUMNS} FROM api_keys WHERE no > ${behind}::bigint ORDER BY no LIMIT ${limit + 1}::bigint`,
  )
  return pageOf(
    rows.map((row) => ({ item: toKey(row), id: String(row.no) })),
    limit,
  )
}
