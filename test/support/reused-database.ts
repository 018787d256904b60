import assert from 'node:assert/strict'
import type pg from 'pg'
import { parseDatabaseAddress } from '../../src/base/database-address.js'
import { type KeptConnections, type Reach, Session } from '../../src/store/postgres/connection/session.js'
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
  /** Its stores have connections one after another, too. */
  readonly address: Reach
  private session: Session | null = null
  private emptying: Fragment | null = null

  constructor(readonly url: string) {
    const address = parseDatabaseAddress(url)
    assert.ok(address !== undefined, `${url} is no address of a database`)
    this.address = { ...address, kept: new IdleConnections() }
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
    this.emptying ??= emptying(await tablesOf(session))
    const { command } = await session.run(this.emptying)
    assert.equal(command, 'UPDATE')
  }

  private async lasting(): Promise<Session> {
    if (this.session === null || this.session.isLost) {
      this.session = await Session.open({ ...this.address, answerTimeoutMs: ANSWER_TIMEOUT_MS })
    }
    return this.session
  }
}

async function tablesOf(session: Session): Promise<readonly string[]> {
  const { rows } = await session.run<{ tablename: string }>(
    sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
  )
  return rows.map(({ tablename }) => tablename)
}

/** One statement, which the server plans once. */
function emptying(tables: readonly string[]): Fragment {
  const emptied = tables.filter((name) => !KEPT.has(name)).map((name) => `${name}_ AS (DELETE FROM ${name})`)
  return new Fragment([`WITH ${emptied.join(', ')} UPDATE logged SET since = 0`], [])
}

/** Connections that no session has. */
class IdleConnections implements KeptConnections {
  private readonly idle = new Set<pg.Client>()

  take(): pg.Client | undefined {
    const [client] = this.idle
    if (client === undefined) return undefined
    this.idle.delete(client)
    client.removeAllListeners()
    return client
  }

  keep(client: pg.Client): void {
    this.idle.add(client)
    const drop = () => this.idle.delete(client)
    client.on('error', drop)
    client.on('end', drop)
  }
}
