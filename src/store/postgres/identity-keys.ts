import { isObject, parseJson } from '../../base/json-object.js'
import { type IdentityKeys, isWellFormed, type KeyHistory, type KeySpan } from '../../domain/key-history.js'
import type { PushedKeys } from '../../domain/ledger-fact.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'
import type { Work } from './connection/work.js'

export interface IdentityKeysColumns {
  readonly identity: string
  /** Both are JSON. */
  readonly pushed: string | null
  readonly history: string | null
}

/** What is kept of the keys of an identity; undefined when nothing is. */
export async function findKeys(database: Database, identity: string): Promise<IdentityKeys | undefined> {
  const row = await database.readOne<IdentityKeysColumns>(selectKeys(identity))
  return row === undefined ? undefined : toIdentityKeys(row)
}

export function selectKeys(identity: string): Fragment {
  return sql`SELECT identity, pushed, history FROM identity_keys WHERE identity = ${identity}`
}

export function putPushedKeys(work: Work, { identity, keys }: PushedKeys): void {
  work.write(sql`
    INSERT INTO identity_keys (identity, pushed) VALUES (${identity}, ${JSON.stringify(keys)})
    ON CONFLICT (identity) DO UPDATE SET pushed = excluded.pushed`)
}

export function putKeyHistory(work: Work, identity: string, history: KeyHistory): void {
  work.write(sql`
    INSERT INTO identity_keys (identity, history) VALUES (${identity}, ${JSON.stringify(history)})
    ON CONFLICT (identity) DO UPDATE SET history = excluded.history`)
}

export function toIdentityKeys({ identity, pushed, history }: IdentityKeysColumns): IdentityKeys {
  const keys = pushed === null ? null : parseJson(pushed)
  const past = history === null ? null : parseKeyHistory(parseJson(history))
  if ((keys !== null && !isTextList(keys)) || (past === null && history !== null)) {
    throw new Error(`the keys of the identity ${identity} are not what this program has written`)
  }
  return { identity, pushed: keys, history: past }
}

/** Null for what is no history. */
function parseKeyHistory(value: unknown): KeyHistory | null {
  if (!isObject(value)) return null
  const { spans: listed, length, head } = value
  if (!Array.isArray(listed) || !isPlace(length) || typeof head !== 'string') return null
  const spans = listed.map(parseSpan).filter((span) => span !== null)
  const history = { spans, length, head }
  return spans.length === listed.length && isWellFormed(history) ? history : null
}

function parseSpan(value: unknown): KeySpan | null {
  if (!isObject(value)) return null
  const { from, to, certain, possible } = value
  return isPlace(from) && isPlace(to) && isTextList(certain) && isTextList(possible)
    ? { from, to, certain, possible }
    : null
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one: unknown) => typeof one === 'string')
}
