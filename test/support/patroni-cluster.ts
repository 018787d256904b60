import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { parse } from 'yaml'
import { endChild } from './child-process.js'
import { freePort } from './free-port.js'
import { asNobody, NOBODY } from './nobody.js'
import { childrenOf, findPrograms } from './postgres-server.js'
import { missingPrograms } from './programs.js'
import { projectRoot } from './project-root.js'
import { replaced } from './replaced.js'
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.js'

const EXAMPLE = join(projectRoot, 'deploy/patroni/patroni.yml')
const MEMBERS = ['db1', 'db2'] as const
const WAIT_LIMIT_MS = 90_000
const WAIT_STEP_MS = 200
/** How often the standby is asked whether it is the primary. */
const PROMOTED_STEP_MS = 10
/** Of each log, when something does not come. */
const LOG_TAIL_CHARACTERS = 2_000

/** The example of `deploy/patroni`, without comments. */
export interface PatroniSettings {
  readonly bootstrap: {
    readonly dcs: {
      readonly ttl: number
      readonly loop_wait: number
      readonly retry_timeout: number
      readonly synchronous_mode: boolean
      readonly postgresql: { readonly parameters: Readonly<Record<string, string | number>> }
    }
  }
  readonly postgresql: {
    readonly authentication: Readonly<
      Record<'superuser' | 'replication' | 'rewind', { readonly username: string; readonly password: string }>
    >
  }
}

const example = readFileSync(EXAMPLE, 'utf8')
export const patroniSettings: PatroniSettings = parse(example)

/** Why no cluster can be started here; false where one can. */
export function withoutPatroni(): string | false {
  const missing = missingPrograms('patroni', 'etcd')
  if (missing !== false) return missing
  try {
    findPrograms('pg_rewind')
    return false
  } catch (error) {
    return (error as Error).message
  }
}

interface MemberPlaces {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly etcdPort: number
  readonly directory: string
}

/** The example with name, addresses and paths replaced, and nothing else. */
export function atMember({ name, port, restPort, etcdPort, directory }: MemberPlaces): string {
  const replacements: readonly (readonly [from: string, to: string, times: number])[] = [
    ['\nname: db1\n', `\nname: ${name}\n`, 1],
    [': 10.0.0.11:8008\n', `: 127.0.0.1:${restPort}\n`, 2],
    [': 10.0.0.11:5432\n', `: 127.0.0.1:${port}\n`, 2],
    [' 10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379\n', ` 127.0.0.1:${etcdPort}\n`, 1],
    [' 10.0.0.0/24 scram-sha-256\n', ' 127.0.0.1/32 scram-sha-256\n', 2],
    [' /var/lib/postgresql/15/billhook\n', ` ${join(directory, 'data')}\n`, 1],
    [' /usr/lib/postgresql/15/bin\n', ` ${findPrograms('pg_rewind')}\n`, 1],
    [' /var/lib/postgresql/patroni.pgpass\n', ` ${join(directory, 'pgpass')}\n`, 1],
    [' /var/run/postgresql\n', ` ${directory}\n`, 1],
  ]
  return replacements.reduce((text, [from, to, times]) => replaced(text, from, to, times), example)
}

/** Two members of PostgreSQL under Patroni with the example's settings, and one etcd, all on loopback. */
export class PatroniCluster {
  private constructor(
    private readonly place: TemporaryDirectory,
    private readonly etcd: Daemon,
    private readonly members: readonly Member[],
  ) {}

  /** Resolves when commits wait for the standby and there is a database for Billhook. */
  static async start(): Promise<PatroniCluster> {
    const place = temporaryDirectory()
    chmodSync(place.path, 0o711)
    const [etcdPort, peerPort] = [await freePort(), await freePort()]
    const etcd = Daemon.start('etcd', ownDirectory(place, 'etcd'), (directory) => [
      `--data-dir=${join(directory, 'data')}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
    ])
    const members: Member[] = []
    const cluster = new PatroniCluster(place, etcd, members)
    try {
      for (const name of MEMBERS) {
        const directory = ownDirectory(place, name)
        const [port, restPort] = [await freePort(), await freePort()]
        members.push(new Member({ name, port, restPort, etcdPort, directory }))
      }
      for (const member of members) member.start()
      await cluster.untilSynchronous()
      await cluster.makeDatabase()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  get store(): string {
    return `postgres://billhook:password@${this.members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/billhook`
  }

  /** Loses the primary with its Patroni; resolves when Patroni has promoted the other member. */
  async failOver(): Promise<void> {
    const primary = await this.primary()
    const standby = this.members.find((member) => member !== primary) ?? assert.fail('there is no standby')
    const client = await standby.connect()
    try {
      assert.ok(await isStandby(client))
      primary.lose()
      await until('a promotion', PROMOTED_STEP_MS, this.logs, async () => !(await isStandby(client)))
    } finally {
      await client.end()
    }
  }

  /** Starts the Patroni of the lost member; resolves when commits wait for it. */
  async restore(): Promise<void> {
    for (const member of this.members) if (!member.isRunning) member.start()
    await this.untilSynchronous()
  }

  async stop(): Promise<void> {
    for (const member of this.members) if (member.isRunning) member.lose()
    await this.etcd.kill()
    this.place.remove()
  }

  /** Until the primary waits for the other member's disk, by its own account. */
  private async untilSynchronous(): Promise<void> {
    await until('a synchronous standby', WAIT_STEP_MS, this.logs, async () => {
      const client = await (await this.primary()).connect()
      try {
        const { rows } = await client.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
        return rows.length === 1
      } finally {
        await client.end()
      }
    })
  }

  private async primary(): Promise<Member> {
    for (const member of this.members) {
      const response = await fetch(`${member.restUrl}/primary`).catch(() => null)
      await response?.body?.cancel()
      if (response?.status === 200) return member
    }
    throw new Error('there is no primary')
  }

  private async makeDatabase(): Promise<void> {
    const client = await (await this.primary()).connect()
    await client.query("CREATE ROLE billhook LOGIN PASSWORD 'password'")
    await client.query('CREATE DATABASE billhook OWNER billhook')
    await client.end()
  }

  private readonly logs = () => [this.etcd.log, ...this.members.map(({ log }) => log)].join('\n')
}

/** A member: a Patroni, and the PostgreSQL that it starts. */
class Member {
  private patroni: Daemon | null = null

  constructor(private readonly places: MemberPlaces) {
    writeFileSync(this.configFile, atMember(places))
  }

  get port(): number {
    return this.places.port
  }

  get restUrl(): string {
    return `http://127.0.0.1:${this.places.restPort}`
  }

  get isRunning(): boolean {
    return this.patroni !== null
  }

  get log(): string {
    return this.patroni?.log ?? ''
  }

  start(): void {
    this.patroni = Daemon.start('patroni', this.places.directory, () => [this.configFile])
  }

  /** Ends all its processes, as the loss of its machine would: Patroni, PostgreSQL and its children. */
  lose(): void {
    const postmaster = this.postmaster()
    // It starts no further children then.
    if (postmaster !== null) process.kill(postmaster, 'SIGSTOP')
    const servers = postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)]
    void this.patroni?.kill()
    this.patroni = null
    for (const pid of servers) process.kill(pid, 'SIGKILL')
  }

  async connect(): Promise<pg.Client> {
    const { username: user, password } = patroniSettings.postgresql.authentication.superuser
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user, password, database: 'postgres' })
    await client.connect()
    return client
  }

  private get configFile(): string {
    return join(this.places.directory, 'patroni.yml')
  }

  /** The id of PostgreSQL's first process, which is no child of Patroni; null where none runs. */
  private postmaster(): number | null {
    const file = join(this.places.directory, 'data', 'postmaster.pid')
    if (!existsSync(file)) return null
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    // The file stays when a server was lost, and its id may be another process's by then.
    const command = `/proc/${pid}/cmdline`
    return existsSync(command) && readFileSync(command, 'utf8').includes(this.places.directory) ? pid : null
  }
}

/** A program that runs until it is killed, and logs to a file. */
class Daemon {
  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {}

  static start(program: string, directory: string, args: (directory: string) => readonly string[]): Daemon {
    const logFile = join(directory, `${program}.log`)
    const output = openSync(logFile, 'a')
    const child = spawn(program, args(directory), { stdio: ['ignore', output, output], cwd: directory, ...asNobody() })
    closeSync(output)
    return new Daemon(child, logFile)
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS)
  }

  async kill(): Promise<void> {
    await endChild(this.child)
  }
}

function ownDirectory(place: TemporaryDirectory, name: string): string {
  const path = join(place.path, name)
  mkdirSync(path, { mode: 0o700 })
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY)
  return path
}

async function isStandby(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
  return rows[0]?.standby ?? assert.fail('no answer')
}

/** Waits until something holds; what is asked may fail meanwhile. */
async function until(what: string, stepMs: number, logs: () => string, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + WAIT_LIMIT_MS
  let failure: unknown = null
  for (;;) {
    try {
      if (await holds()) return
      failure = null
    } catch (error) {
      failure = error
    }
    if (performance.now() > limit) throw new Error(`${what} did not come:\n${logs()}`, { cause: failure })
    await new Promise((resolve) => setTimeout(resolve, stepMs))
  }
}
