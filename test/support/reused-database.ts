import assert from 'node:assert/strict'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/base/database-address.js'
import { Session } from '../../src/store/postgres/connection/session.js'
import { Fragment, sql } from '../../src/store/postgres/connection/sql.js'
import { soundKindOf } from '../../src/store/postgres/moving/open-sound.js'
import { Snapshot } from '../../src/store/postgres/moving/snapshot.js'
import { checkSnapshot } from '../../src/store/postgres/upkeep/check.js'
import type { Violation } from '../../src/store/upkeep.js'
import { assertFound } from './check-data.js'

/** Tests share their machine with others. */
const ANSWER_TIMEOUT_MS = 60_000
/** Tables of the schema itself, which are never without their row. */
const KEPT: ReadonlySet<string> = new Set(['billhook', 'logged'])

/**
 * A database that the stores of tests have one after another. What happens between them has a session that stays: a new one has to read
 * the catalogue again, which takes it longer than a check of the few rows of a test.
 */
export class ReusedDatabase {
  private readonly address: DatabaseAddress
  private session: Session | null = null

  constructor(readonly url: string) {
    const address = parseDatabaseAddress(url)
    assert.ok(address !== undefined, `${url} is no address of a database`)
    this.address = address
  }

  /** A check finds no contradiction but `flaw`, as `checkDatabase` does. */
  async assertSound(flaw: RegExp | null): Promise<void> {
    const session = await this.lasting()
    const snapshot = await Snapshot.begin(session)
    await soundKindOf(snapshot, this.address.shown)
    const found: Violation[] = []
    const check = checkSnapshot(snapshot, (violation) => found.push(violation))
    for (let step = await check.next(); step.done !== true; ) step = await check.next()
    await session.run(sql`ROLLBACK`)
    assertFound(found, flaw)
  }

  /** Empties all tables, which is quicker than another database. */
  async empty(): Promise<void> {
    const session = await this.lasting()
    const { rows } = await session.run<{ tablename: string }>(
      sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
    )
    const tables = rows.map(({ tablename }) => tablename).filter((name) => !KEPT.has(name))
    const texts = ['BEGIN', ...tables.map((name) => `DELETE FROM ${name}`), 'UPDATE logged SET since = 0', 'COMMIT']
    const done = await Promise.all(texts.map((text) => session.run(new Fragment([text], []))))
    assert.equal(done.at(-1)?.command, 'COMMIT')
  }

  private async lasting(): Promise<Session> {
    if (this.session === null || this.session.isLost) {
      this.session = await Session.open({ ...this.address, answerTimeoutMs: ANSWER_TIMEOUT_MS })
    }
    return this.session
  }
}
