import assert from 'node:assert/strict'
import { Random } from '../simulation/random.js'
import { createDatabase } from '../support/postgres-harness.js'
import type { PostgresServer } from '../support/postgres-server.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceProcess } from '../support/service-process.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import { Acknowledged } from './acknowledged.js'
import type { CrashOptions, CrashReport } from './crash.js'
import { assertDelivered, assertKept, LATEST } from './crash-checks.js'
import { CrashLoad } from './crash-load.js'

const PROCESSES = 3
const CLIENTS = 24
/** Answers of all processes before one of them is killed. */
const ANSWERS_MIN = 20
const ANSWERS_MAX = 400
/** Answers of the others behind the kill, before the round is judged. */
const ANSWERS_BEHIND = 60
const KILL_DELAY_MAX_MS = 25
const RECEIVER_DELAY_MAX_MS = 30
/** Longer than any run: no wallet may be handed out twice. */
const LEASE_SECONDS = 86_400

export interface ClusterOptions extends CrashOptions {
  readonly server: PostgresServer
}

/**
 * Three processes on one database under mixed load that goes to all of them. In each round a random one is killed with SIGKILL at a
 * random moment, often the one that leads; the load goes on at the others, and behind it everything that any process has
 * acknowledged is asserted at another one. Then the killed one is started again.
 */
export async function clusterCrashRounds({ rounds, seed, say, server }: ClusterOptions): Promise<CrashReport> {
  const random = new Random(seed)
  const received = new Map<string, number>()
  const receiver = await openReceiver(({ body }, response) => {
    const { txHash, status } = JSON.parse(body.toString())
    const name = `${txHash} ${status}`
    received.set(name, (received.get(name) ?? 0) + 1)
    setTimeout(() => response.end(), random.below(RECEIVER_DELAY_MAX_MS))
  })
  const acknowledged = new Acknowledged()
  const load = new CrashLoad(acknowledged, random, receiver.url)
  const cluster = await Cluster.start(await createDatabase(server))
  try {
    await load.setUp(cluster.any(random).url)
    for (let round = 0; round < rounds; round += 1) {
      const answers = await loadAndKill(cluster, load, random, round)
      const other = cluster.any(random)
      await assertKept(other.url, acknowledged)
      for (const creation of acknowledged.idempotent.slice(-LATEST)) {
        assert.ok(await load.repeat(cluster.any(random).url, creation), 'a process died while nobody killed it')
      }
      await load.repeatUnanswered(cluster.any(random).url)
      for (const [name, times] of received) assert.equal(times, 1, `${name} was delivered ${times} times`)
      await cluster.restore()
      say(`round ${round + 1}: one killed among ${answers} answers, ${received.size} webhooks received so far`)
    }
    for (const { url } of cluster.running) await assertKept(url, acknowledged)
    const counts = await assertDelivered(cluster.any(random).url, acknowledged, received)
    for (const one of cluster.running) assert.deepEqual(await one.end('SIGTERM'), { code: 0, signal: null })
    return {
      ...counts,
      answers: load.answers,
      invoices: [...acknowledged.invoices.values()].reduce((sum, ids) => sum + ids.size, 0),
      deposits: acknowledged.deposits.length,
      keys: acknowledged.keys.length,
    }
  } finally {
    await cluster.end()
    await receiver.close()
  }
}

/** The processes, each with a data directory of its own. */
class Cluster {
  private readonly places: TemporaryDirectory[] = Array.from({ length: PROCESSES }, () => temporaryDirectory())
  private readonly processes: (ServiceProcess | null)[] = this.places.map(() => null)

  private constructor(private readonly store: string) {}

  static async start(store: string): Promise<Cluster> {
    const cluster = new Cluster(store)
    await cluster.restore()
    return cluster
  }

  get running(): readonly ServiceProcess[] {
    return this.processes.filter((one) => one !== null)
  }

  any(random: Random): ServiceProcess {
    const [first, ...others] = this.running
    assert.ok(first)
    return random.pick([first, ...others])
  }

  /** Starts those that do not run. */
  async restore(): Promise<void> {
    const environment = { BILLHOOK_STORE: this.store, BILLHOOK_WALLET_LEASE_SECONDS: String(LEASE_SECONDS) }
    await Promise.all(
      this.places.map(async ({ path }, i) => {
        this.processes[i] ??= await ServiceProcess.start(path, environment)
      }),
    )
  }

  async kill(process: ServiceProcess): Promise<void> {
    this.processes[this.processes.indexOf(process)] = null
    await process.end('SIGKILL')
  }

  async end(): Promise<void> {
    for (const one of this.running) {
      if (one.child.exitCode === null && one.child.signalCode === null) await one.end('SIGKILL')
    }
    for (const place of this.places) place.remove()
  }
}

/** Answers how many requests were answered. */
async function loadAndKill(cluster: Cluster, load: CrashLoad, random: Random, round: number): Promise<number> {
  const before = load.answers
  const enough = before + random.between(ANSWERS_MIN, ANSWERS_MAX)
  const killDelayMs = random.below(KILL_DELAY_MAX_MS)
  const victim = cluster.any(random)
  let killed: Promise<number> | null = null
  const kill = async () => {
    await new Promise((resolve) => setTimeout(resolve, killDelayMs))
    await cluster.kill(victim)
    return load.answers
  }
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const { url } = cluster.any(random)
      const isAnswered = await load.step(url, round)
      assert.ok(isAnswered || url === victim.url, 'a process died that nobody killed')
      if (load.answers >= enough) {
        killed ??= kill()
        isOver = load.answers >= (await killed) + ANSWERS_BEHIND
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return load.answers - before
}
