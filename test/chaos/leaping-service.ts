import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { type Ended, startChild } from '../cli/child.js'
import { PostgresServer } from '../support/postgres-server.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { memoryDirectory } from '../support/temporary-directory.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const LEAPING_TIME = new URL('./leaping-time.js', import.meta.url)
/** In the data directory of the database server: how far its clock is ahead. */
const AHEAD_FILE = 'chaos-ahead'
const LOG_LINES = 20

export const STORES = ['lmdb', 'postgres'] as const
export type StoreKind = (typeof STORES)[number]

/** The service in a process of its own, whose clock the run moves ahead. */
export class LeapingService {
  /** The last lines of its log. */
  logged: readonly string[] = []
  private process: ServiceProcess | null = null

  private constructor(
    private readonly settings: Readonly<Record<string, string>>,
    private readonly place: { readonly path: string; remove(): void },
    private readonly database: PostgresServer | null,
    private aheadMs: number,
  ) {}

  /** `startMs`: what its clock shows at first. */
  static async launch(
    store: StoreKind,
    startMs: number,
    networks: readonly unknown[],
    settings: Readonly<Record<string, string>>,
  ): Promise<LeapingService> {
    const place = memoryDirectory()
    // The service refuses a database that does not wait for its disk; this one's is memory.
    const database =
      store === 'postgres' ? await PostgresServer.start({ isDurable: true, directory: memoryDirectory() }) : null
    const file = join(place.path, 'networks.json')
    writeFileSync(file, JSON.stringify({ networks }))
    const environment = {
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'error',
      BILLHOOK_METRICS_PORT: '0',
      BILLHOOK_RATE_LIMIT: '0',
      BILLHOOK_NETWORKS: file,
      CHAOS_LEAPS: join(place.path, 'leaps'),
      ...(database === null ? {} : { BILLHOOK_STORE: database.url() }),
      ...settings,
    }
    const service = new LeapingService(environment, place, database, startMs - Date.now())
    try {
      if (database !== null) await service.setDatabaseClock(database)
      await service.start()
    } catch (error) {
      await service.stop()
      throw error
    }
    return service
  }

  /** Its clock, Unix milliseconds. */
  now(): number {
    return Date.now() + this.aheadMs
  }

  get url(): string {
    return this.running.url
  }

  /** Where its console is. */
  get consoleUrl(): string {
    return `${new URL(this.running.metricsUrl ?? '').origin}/console`
  }

  get isRunning(): boolean {
    return this.process !== null
  }

  async start(): Promise<void> {
    assert.equal(this.process, null)
    this.process = await ServiceProcess.launch({
      data: this.data,
      environment: { ...this.settings, CHAOS_AHEAD_MS: String(this.aheadMs) },
      nodeFlags: ['--import', LEAPING_TIME.href],
      stderr: 'pipe',
    })
    void this.keepLog(this.process)
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { running } = this
    this.process = null
    await running.end(signal)
  }

  /** Lets so much time pass at once, also while it does not run. */
  async leap(ms: number): Promise<void> {
    this.aheadMs += ms
    if (this.database !== null) this.writeDatabaseClock(this.database)
    if (this.process === null) return
    const socket = createConnection(this.settings['CHAOS_LEAPS'] ?? '')
    socket.end(`${this.aheadMs}\n`)
    await once(socket, 'data')
    socket.destroy()
  }

  /** Runs a command of an operator, whose clock is that of the service. */
  command(...argv: readonly string[]): Promise<Ended> {
    const { BILLHOOK_NETWORKS = '', BILLHOOK_STORE, BILLHOOK_LATE_DAYS = '' } = this.settings
    const environment = {
      BILLHOOK_NETWORKS,
      BILLHOOK_LATE_DAYS,
      ...(BILLHOOK_STORE === undefined ? {} : { BILLHOOK_STORE }),
      NODE_OPTIONS: `--import=${LEAPING_TIME.href}`,
      CHAOS_AHEAD_MS: String(this.aheadMs),
      CHAOS_LEAPS: join(this.place.path, 'leaps-of-commands'),
    }
    return startChild(MAIN, [...argv, '--data', this.data], environment).ended
  }

  async stop(): Promise<void> {
    if (this.process !== null) await this.end('SIGTERM')
    await this.database?.stop()
    this.place.remove()
  }

  private get data(): string {
    return join(this.place.path, 'data')
  }

  private get running(): ServiceProcess {
    return this.process ?? assert.fail('the service does not run')
  }

  /** A database decides by its own clock: this one's is in a schema in front of PostgreSQL's functions. */
  private async setDatabaseClock(database: PostgresServer): Promise<void> {
    this.writeDatabaseClock(database)
    const client = new pg.Client(database.url())
    await client.connect()
    await client.query(`
      CREATE SCHEMA chaos;
      CREATE FUNCTION chaos.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        $$ SELECT pg_catalog.clock_timestamp() + pg_catalog.pg_read_file('${AHEAD_FILE}')::bigint * interval '1 millisecond' $$;
      ALTER DATABASE postgres SET search_path = public, chaos, pg_catalog`)
    await client.end()
  }

  private writeDatabaseClock(database: PostgresServer): void {
    const file = join(database.dataDirectory, AHEAD_FILE)
    writeFileSync(`${file}.new`, String(this.aheadMs), { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }

  private async keepLog({ child }: ServiceProcess): Promise<void> {
    if (child.stderr === null) return
    for await (const line of createInterface({ input: child.stderr })) {
      this.logged = [...this.logged, line].slice(-LOG_LINES)
    }
  }
}
