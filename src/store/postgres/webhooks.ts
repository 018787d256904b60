import { EVENT_TYPES, type EventType } from '../../domain/event.js'
import { signingSecrets, type WebhookConfiguration, type WebhookPayload } from '../../domain/webhook.js'
import { answeredLater } from '../rules/asking.js'
import {
  type KeptConfiguration,
  rotateSecret,
  secretsOf,
  setCallback,
  shownConfiguration,
  type WebhookWork,
} from '../rules/webhook-configurations.js'
import type { WebhookPort } from '../webhooks.js'
import { Batcher } from './connection/batcher.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { endCursor, PostgresCursorWork } from './events/event-cursors.js'
import { idOf } from './events/event-port.js'
import { internOwner } from './identities.js'
import { asked, type Place } from './wallets/wallet-rows.js'

interface Columns {
  readonly owner: string
  readonly callback_url: string | null
  readonly secret: string
  readonly created_at: number
  readonly updated_at: number
  readonly payload: WebhookPayload
  readonly types: string | null
  readonly previous_secret: string | null
  readonly overlap_ends_at: number | null
}

type KnownColumns = Columns & { readonly now: number }

const COLUMNS = sql`owner, callback_url, secret, created_at, updated_at, payload, types, previous_secret, overlap_ends_at`

/** Default callback URLs, payloads and secrets of owners. */
export function postgresWebhooks(database: Database, randomSecretHex: () => string): WebhookPort {
  /** Asked for each attempt. */
  const known = new Batcher((owners: readonly string[]) => readKnown(database, owners))
  return {
    find: async (owner) => shown(owner, await database.readOne<Columns>(selectOf(owner))),
    put: (owner, callbackUrl, payload, types) =>
      database.writeRequested((work) =>
        answeredLater(
          setCallback(new PostgresWebhookWork(work), owner, { callbackUrl, payload, types }, randomSecretHex),
        ),
      ),
    rotate: (owner, overlapMs) =>
      database.writeRequested((work) =>
        answeredLater(rotateSecret(new PostgresWebhookWork(work), owner, overlapMs, randomSecretHex)),
      ),
    delete: (owner) =>
      database.writeRequested(async (work) => {
        lockOwner(work, owner)
        endCursor(work, owner)
        return (await work.wrote(sql`DELETE FROM webhooks WHERE owner = ${owner}`)) > 0
      }),
    async secrets(owner) {
      const row = await known.ask(owner)
      if (row !== undefined) return signingSecrets(toKept(row), row.now)
      return database.write((work) => answeredLater(secretsOf(new PostgresWebhookWork(work), owner, randomSecretHex)))
    },
  }
}

async function readKnown(database: Database, owners: readonly string[]): Promise<ReadonlyMap<string, KnownColumns>> {
  const rows = await database.read<KnownColumns>(
    sql`SELECT ${COLUMNS}, ${database.now} AS now FROM webhooks WHERE owner = ANY(${owners}::text[])`,
  )
  return new Map(rows.map((row) => [row.owner, row]))
}

/** What a unit of work does for webhook configurations. */
class PostgresWebhookWork extends PostgresCursorWork implements WebhookWork {
  readClock(): Promise<number> {
    return this.work.readClock()
  }

  async kept(owner: string): Promise<KeptConfiguration | undefined> {
    internOwner(this.work, owner)
    lockOwner(this.work, owner)
    const row = await this.work.row<Columns>(selectOf(owner))
    return row === undefined ? undefined : toKept(row)
  }

  put(kept: KeptConfiguration): void {
    this.work.write(sql`
      INSERT INTO webhooks (${COLUMNS})
      VALUES (${kept.owner}, ${kept.callbackUrl}, ${kept.secret}, ${kept.createdAt}, ${kept.updatedAt}, ${kept.payload},
        ${typesText(kept.types)}, ${kept.previousSecret}, ${kept.overlapEndsAt})
      ON CONFLICT (owner) DO UPDATE SET callback_url = excluded.callback_url, secret = excluded.secret,
        updated_at = excluded.updated_at, payload = excluded.payload, types = excluded.types, previous_secret = excluded.previous_secret,
        overlap_ends_at = excluded.overlap_ends_at`)
  }

  async lastEvent(owner: string): Promise<string | null> {
    const row = await this.work.row<{ last: bigint }>(sql`SELECT last::numeric FROM event_heads WHERE owner = ${owner}`)
    return row === undefined ? null : idOf(row.last)
  }
}

/** Keeps others from what an owner has configured. Nobody has configured anything who is not there. */
function lockOwner(work: Work, owner: string): void {
  work.lock(sql`SELECT owner FROM identities WHERE owner = ${owner} FOR UPDATE`)
}

const TYPE_SEPARATOR = ','

/** Types of events as they are stored; null for all. */
export function typesText(types: readonly EventType[] | null): string | null {
  return types?.join(TYPE_SEPARATOR) ?? null
}

/** The types that a stored text names. */
export function typesOf(stored: string | null): readonly EventType[] | null {
  if (stored === null) return null
  const names = stored.split(TYPE_SEPARATOR)
  return EVENT_TYPES.filter((type) => names.includes(type))
}

/**
 * The configurations of these owners, of which those with the payload `events` stay so until the commit: what is recorded meanwhile
 * is told by its event, and that must not be behind the last one that is sent.
 */
export async function heldConfigurations(
  work: Work,
  owners: readonly string[],
): Promise<ReadonlyMap<string, WebhookConfiguration>> {
  const rows = await work.rows<Columns>(
    sql`SELECT ${COLUMNS} FROM webhooks WHERE owner = ANY(${owners}::text[]) ORDER BY owner FOR SHARE`,
  )
  return new Map(rows.map((row) => [row.owner, shown(row.owner, row)]))
}

/** The configuration of an owner. */
export async function configurationOf(work: Work, owner: string): Promise<WebhookConfiguration> {
  return shown(owner, await work.row<Columns>(selectOf(owner)))
}

/** The configurations of those who own wallets at these places, by owner; an owner without one is missing. */
export async function configurationsAt(
  work: Work,
  places: readonly Place[],
): Promise<ReadonlyMap<string, WebhookConfiguration>> {
  const wanted = asked(places)
  if (wanted === null) return new Map()
  const rows = await work.rows<Columns>(sql`
    SELECT ${COLUMNS} FROM webhooks WHERE owner IN (
      SELECT w.owner FROM ${wanted} JOIN addresses AS a ON a.network = asked.network AND a.address = asked.address
      JOIN wallets AS w ON w.id = a.wallet_id)`)
  return new Map(rows.map((row) => [row.owner, shown(row.owner, row)]))
}

function selectOf(owner: string): Fragment {
  return sql`SELECT ${COLUMNS} FROM webhooks WHERE owner = ${owner}`
}

function shown(owner: string, row: Columns | undefined): WebhookConfiguration {
  return shownConfiguration(owner, row === undefined ? undefined : toKept(row))
}

function toKept(row: Columns): KeptConfiguration {
  return {
    owner: row.owner,
    callbackUrl: row.callback_url,
    secret: row.secret,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    payload: row.payload,
    types: typesOf(row.types),
    previousSecret: row.previous_secret,
    overlapEndsAt: row.overlap_ends_at,
  }
}
