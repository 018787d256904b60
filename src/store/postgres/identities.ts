import type { IdentityPort } from '../identities.js'
import type { IdentityWork } from '../rules/ledger-facts.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'
import { findKeys, type IdentityKeysColumns, putPushedKeys, selectKeys, toIdentityKeys } from './identity-keys.js'

/** Which identities the ledger is known to have. An owner whom a record names has a row, which is less. */
export class PostgresIdentities implements IdentityPort {
  constructor(private readonly database: Database) {}

  async isKnown(owner: string): Promise<boolean> {
    return (await this.database.read(sql`SELECT 1 FROM identities WHERE owner = ${owner} AND is_known`)).length > 0
  }

  async pushedKeys(owner: string): Promise<readonly string[] | null> {
    return (await findKeys(this.database, owner))?.pushed ?? null
  }

  async remember(owner: string): Promise<void> {
    await this.database.writeRequested((work) => markKnown(work, owner))
  }
}

/** Enters an owner whom a record is about to name. */
export function internOwner(work: Work, owner: string): void {
  work.write(sql`INSERT INTO identities (owner, is_known) VALUES (${owner}, false) ON CONFLICT DO NOTHING`)
}

/** What a unit of work does for facts about identities. */
export function identityWorkOn(work: Work): IdentityWork {
  return {
    markKnown: (identity) => markKnown(work, identity),
    async pushedKeys(identity) {
      const row = await work.row<IdentityKeysColumns>(selectKeys(identity))
      return row === undefined ? null : toIdentityKeys(row).pushed
    },
    putPushedKeys: (pushed) => putPushedKeys(work, pushed),
  }
}

/** Records that the ledger has the identity; false when that was known. */
async function markKnown(work: Work, owner: string): Promise<boolean> {
  const written = await work.wrote(sql`
    INSERT INTO identities AS known (owner, is_known) VALUES (${owner}, true)
    ON CONFLICT (owner) DO UPDATE SET is_known = true WHERE NOT known.is_known`)
  return written > 0
}
