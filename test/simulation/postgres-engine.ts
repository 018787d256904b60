import { openPostgresStore } from '../../src/store/postgres/postgres-store.js'
import { checkDatabase } from '../../src/store/postgres/upkeep/check.js'
import { CuttingProxy } from '../support/cutting-proxy.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../support/postgres-harness.js'
import { PostgresServer } from '../support/postgres-server.js'
import { type Line, type MakeEngine, storeOptions } from './engine.js'

/** A deadlock is found soon, and is a violation. */
export const DEADLOCK_SETTINGS = { deadlock_timeout: '200' }

/** A commit whose turn has come fails. The number is of a sequence, which no rollback sets back. */
const FAILING_COMMITS = `
  CREATE SCHEMA simulation;
  CREATE SEQUENCE simulation.commits;
  CREATE TABLE simulation.failures (commit bigint PRIMARY KEY, code text NOT NULL);
  CREATE FUNCTION simulation.fail() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE failure text;
    BEGIN
      SELECT code INTO failure FROM simulation.failures WHERE commit = nextval('simulation.commits');
      IF failure IS NOT NULL THEN RAISE EXCEPTION 'simulated' USING ERRCODE = failure; END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER fail BEFORE INSERT ON committed FOR EACH ROW EXECUTE FUNCTION simulation.fail()`

/** A server for many worlds, not durable. Throws the reason when there are no programs of PostgreSQL. */
export function startServer(): Promise<PostgresServer> {
  return PostgresServer.start({ settings: DEADLOCK_SETTINGS })
}

/** Several processes on a database of their own, each behind a proxy of its own. */
export function onPostgres(server: PostgresServer): MakeEngine {
  return async (clock) => {
    const url = await createDatabase(server)
    const { address } = postgresStoreOptions(url)
    const beside = await openPostgresStore({ ...postgresStoreOptions(url), clock, scheduler: new ManualScheduler() })
    await administer(url, FAILING_COMMITS)
    const proxies: CuttingProxy[] = []
    const abandoned: Promise<void>[] = []
    return {
      isRemote: true,
      beside,
      open: async (parts) => {
        const proxy = await CuttingProxy.start(server.port)
        proxies.push(proxy)
        const own = postgresStoreOptions(url.replace(`:${server.port}/`, `:${proxy.port}/`))
        const store = await openPostgresStore({ ...own, ...storeOptions(parts), scheduler: parts.scheduler })
        const line = new ProxiedLine(proxy)
        const abandon = async () => {
          line.die()
          // What it still waits for is refused.
          abandoned.push(store.close())
        }
        return { store, line, abandon }
      },
      failCommit: async (commits, code) => {
        await administer(
          url,
          `INSERT INTO simulation.failures SELECT last_value + ${1 + commits}, '${code}' FROM simulation.commits
             ON CONFLICT DO NOTHING`,
        )
      },
      check: async () => {
        const found: unknown[] = []
        const check = checkDatabase(address, (violation) => found.push(violation))
        for (let step = await check.next(); step.done !== true; ) step = await check.next()
        const [deadlocks] = await administer(
          url,
          `SELECT 'deadlocks' AS what, deadlocks FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0`,
        )
        return deadlocks === undefined ? found : [...found, deadlocks]
      },
      remove: async () => {
        await Promise.all(abandoned)
        await beside.close()
        await Promise.all(proxies.map((proxy) => proxy.stop()))
        const name = new URL(url).pathname.slice(1)
        await administer(server.url(), `DROP DATABASE ${name} WITH (FORCE)`)
      },
    }
  }
}

/** The statements that look up what became of a transaction. They are all that a process which died still does. */
const LOOK_UP = /INSERT INTO committed .*ON CONFLICT|SELECT 1 FROM committed WHERE id/s
const PARSE = 'P'.charCodeAt(0)

class ProxiedLine implements Line {
  isDead = false

  constructor(private readonly proxy: CuttingProxy) {}

  cutAfter(messages: number): void {
    if (!this.isDead) this.proxy.cutAfter(messages)
  }

  dieAfter(messages: number): void {
    if (!this.isDead) this.proxy.cutAfter(messages, () => this.die())
  }

  delay(ms: number): void {
    this.proxy.delayMs = ms
  }

  /**
   * Nothing of the process reaches the database any more. Only what became of its transactions may still be asked, which makes none
   * of them happen: so the world knows it at once.
   */
  die(): void {
    if (this.isDead) return
    this.isDead = true
    this.proxy.passOnly((message) => message[0] !== PARSE || LOOK_UP.test(message.toString('latin1')))
  }
}
