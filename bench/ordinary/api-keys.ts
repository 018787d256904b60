import type pg from 'pg'
import { type Outcome, refuse, succeed } from '../../src/domain/failure.js'

const PERMISSION = 'invoices:create'

interface ApiKeyRow {
  readonly owner: string
  readonly permissions: readonly string[]
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** The owner of a key that may create invoices now. The order of the refusals is that of decisions 2. */
export async function ownerOfKey(pool: pg.Pool, publicKey: Uint8Array): Promise<Outcome<string>> {
  const { rows } = await pool.query<ApiKeyRow>({
    name: 'key',
    text: 'SELECT owner, permissions, expires_at, revoked_at FROM api_keys WHERE public_key = $1',
    values: [publicKey],
  })
  const [key] = rows
  if (key === undefined) return refuse('unknown_api_key')
  if (key.revoked_at !== null) return refuse('api_key_revoked')
  if (key.expires_at !== null && Number(key.expires_at) < Date.now()) return refuse('api_key_expired')
  if (!key.permissions.includes(PERMISSION)) return refuse('permission_missing', { permission: PERMISSION })
  return succeed(key.owner)
}
