import {
  rotatedSecrets,
  type SigningSecrets,
  signingSecrets,
  unconfigured,
  type WebhookConfiguration,
  type WebhookPayload,
} from '../../domain/webhook.js'
import type { WebhookPort } from '../store.js'
import { Batcher } from './connection/batcher.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { internOwner } from './identities.js'
import { asked, type Place } from './wallets/wallet-rows.js'

interface Columns {
  readonly owner: string
  readonly callback_url: string | null
  readonly secret: string
  readonly created_at: number
  readonly updated_at: number
  readonly payload: WebhookPayload
  readonly previous_secret: string | null
  readonly overlap_ends_at: number | null
}

type KnownColumns = Columns & { readonly now: number }

const COLUMNS = sql`owner, callback_url, secret, created_at, updated_at, payload, previous_secret, overlap_ends_at`

/** Default callback URLs, payloads and secrets of owners. */
export class PostgresWebhooks implements WebhookPort {
  /** Asked for each attempt. */
  private readonly known = new Batcher((owners: readonly string[]) => this.readKnown(owners))

  constructor(
    private readonly database: Database,
    private readonly randomSecretHex: () => string,
  ) {}

  async find(owner: string): Promise<WebhookConfiguration> {
    return toConfiguration(owner, await this.database.readOne<Columns>(selectOf(owner)))
  }

  put(owner: string, callbackUrl: string, payload?: WebhookPayload): Promise<WebhookConfiguration> {
    return this.database.writeRequested(async (work) => {
      const known = (await this.locked(work, owner)) ?? this.newRow(work, owner)
      return put(work, {
        ...known,
        callback_url: callbackUrl,
        payload: payload ?? known.payload,
        updated_at: work.nowMs,
      })
    })
  }

  rotate(owner: string, overlapMs: number): Promise<WebhookConfiguration> {
    return this.database.writeRequested(async (work) => {
      const known = await this.locked(work, owner)
      if (known === undefined) return put(work, this.newRow(work, owner))
      const next = rotatedSecrets(kept(known), this.randomSecretHex(), overlapMs, work.nowMs)
      const { secret, previousSecret: previous_secret, overlapEndsAt: overlap_ends_at } = next
      return put(work, { ...known, secret, previous_secret, overlap_ends_at, updated_at: work.nowMs })
    })
  }

  async delete(owner: string): Promise<boolean> {
    return this.database.writeRequested(async (work) => {
      lockOwner(work, owner)
      return (await work.wrote(sql`DELETE FROM webhooks WHERE owner = ${owner}`)) > 0
    })
  }

  async secrets(owner: string): Promise<SigningSecrets> {
    const known = await this.known.ask(owner)
    if (known !== undefined) return signingSecrets(kept(known), known.now)
    return this.database.write(async (work) => {
      const row = (await this.locked(work, owner)) ?? this.newRow(work, owner)
      put(work, row)
      return signingSecrets(kept(row), work.nowMs)
    })
  }

  private async readKnown(owners: readonly string[]): Promise<ReadonlyMap<string, KnownColumns>> {
    const rows = await this.database.read<KnownColumns>(
      sql`SELECT ${COLUMNS}, ${this.database.now} AS now FROM webhooks WHERE owner = ANY(${owners}::text[])`,
    )
    return new Map(rows.map((row) => [row.owner, row]))
  }

  /** The row of an owner, which nobody else changes or makes until the commit. */
  private async locked(work: Work, owner: string): Promise<Columns | undefined> {
    internOwner(work, owner)
    lockOwner(work, owner)
    const row = work.row<Columns>(selectOf(owner))
    await work.readClock()
    return row
  }

  private newRow({ nowMs }: Work, owner: string): Columns {
    return {
      owner,
      callback_url: null,
      secret: this.randomSecretHex(),
      created_at: nowMs,
      updated_at: nowMs,
      payload: 'specified',
      previous_secret: null,
      overlap_ends_at: null,
    }
  }
}

/** Keeps others from what an owner has configured. Nobody has configured anything who is not there. */
function lockOwner(work: Work, owner: string): void {
  work.lock(sql`SELECT owner FROM identities WHERE owner = ${owner} FOR UPDATE`)
}

/** The configuration of an owner. */
export async function configurationOf(work: Work, owner: string): Promise<WebhookConfiguration> {
  return toConfiguration(owner, await work.row<Columns>(selectOf(owner)))
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
  return new Map(rows.map((row) => [row.owner, toConfiguration(row.owner, row)]))
}

function selectOf(owner: string): Fragment {
  return sql`SELECT ${COLUMNS} FROM webhooks WHERE owner = ${owner}`
}

function kept({ secret, previous_secret: previousSecret, overlap_ends_at: overlapEndsAt }: Columns) {
  return { secret, previousSecret, overlapEndsAt }
}

function put(work: Work, row: Columns): WebhookConfiguration {
  work.write(sql`
    INSERT INTO webhooks (${COLUMNS})
    VALUES (${row.owner}, ${row.callback_url}, ${row.secret}, ${row.created_at}, ${row.updated_at}, ${row.payload},
      ${row.previous_secret}, ${row.overlap_ends_at})
    ON CONFLICT (owner) DO UPDATE SET callback_url = excluded.callback_url, secret = excluded.secret,
      updated_at = excluded.updated_at, payload = excluded.payload, previous_secret = excluded.previous_secret,
      overlap_ends_at = excluded.overlap_ends_at`)
  return toConfiguration(row.owner, row)
}

function toConfiguration(owner: string, row: Columns | undefined): WebhookConfiguration {
  if (row === undefined) return unconfigured(owner)
  const { callback_url, secret, created_at, updated_at, payload } = row
  const record = { owner, callback_url, secret, created_at, updated_at }
  return payload === 'specified' ? record : { ...record, payload }
}
