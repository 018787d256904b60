import assert from 'node:assert/strict'
import { Random } from '../simulation/random.js'
import { assertSound } from '../support/check-data.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { Acknowledged } from './acknowledged.js'
import { assertDelivered, assertKept, type DeliveryCounts, LATEST } from './crash-checks.js'
import { CrashLoad } from './crash-load.js'

const CLIENTS = 32
/** Answers that a process gives before it is killed. */
const ANSWERS_MIN = 20
const ANSWERS_MAX = 400
/** The kill comes this long after that answer, so that it falls into any moment of the next requests. */
const KILL_DELAY_MAX_MS = 25
/** How long the receiver takes to answer, at most: kills shall fall into deliveries too. */
const RECEIVER_DELAY_MAX_MS = 30
/** Longer than any run: no wallet may be handed out twice. */
const LEASE_SECONDS = 86_400

export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  say(line: string): void
}

export interface CrashReport extends DeliveryCounts {
  readonly answers: number
  readonly invoices: number
  readonly deposits: number
  readonly keys: number
}

/**
 * Kills the real process with SIGKILL at random moments under mixed load, and starts it again on the same directory, round
 * after round. What was acknowledged before a kill is asserted after it, and the data is checked beside the running process; see `assertKept` and `assertDelivered`. The seed
 * chooses what clients send and when the kill comes, as far as the machine lets it.
 */
export async function crashRounds({ rounds, seed, say }: CrashOptions): Promise<CrashReport> {
  const random = new Random(seed)
  const place = temporaryDirectory()
  const received = new Map<string, number>()
  const receiver = await openReceiver(({ body }, response) => {
    const { txHash, status } = JSON.parse(body.toString())
    const name = `${txHash} ${status}`
    received.set(name, (received.get(name) ?? 0) + 1)
    setTimeout(() => response.end(), random.below(RECEIVER_DELAY_MAX_MS))
  })
  const acknowledged = new Acknowledged()
  const load = new CrashLoad(acknowledged, random, receiver.url)
  let service: ServiceProcess | null = null
  const start = async () => {
    service = await ServiceProcess.start(place.path, { BILLHOOK_WALLET_LEASE_SECONDS: String(LEASE_SECONDS) })
    return service
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      const running = await start()
      if (round === 0) await load.setUp(running.url)
      else await assertAllKept({ url: running.url, directory: place.path }, acknowledged, load, received)
      const killed = await loadAndKill(running, load, random, round)
      say(`round ${round + 1}: killed after ${killed} answers, ${received.size} webhooks received so far`)
    }
    const last = await start()
    await assertAllKept({ url: last.url, directory: place.path }, acknowledged, load, received)
    const counts = await assertDelivered(last.url, acknowledged, received)
    assert.deepEqual(await last.end('SIGTERM'), { code: 0, signal: null })
    return {
      ...counts,
      answers: load.answers,
      invoices: [...acknowledged.invoices.values()].reduce((sum, ids) => sum + ids.size, 0),
      deposits: acknowledged.deposits.length,
      keys: acknowledged.keys.length,
    }
  } finally {
    const left = service as ServiceProcess | null
    if (left !== null && left.child.exitCode === null && left.child.signalCode === null) await left.end('SIGKILL')
    await receiver.close()
    place.remove()
  }
}

/** After a restart, before anything new is sent. */
async function assertAllKept(
  { url, directory }: { readonly url: string; readonly directory: string },
  acknowledged: Acknowledged,
  load: CrashLoad,
  received: ReadonlyMap<string, number>,
): Promise<void> {
  await assertKept(url, acknowledged)
  for (const creation of acknowledged.idempotent.slice(-LATEST)) {
    assert.ok(await load.repeat(url, creation), 'the service died while nobody killed it')
  }
  await load.repeatUnanswered(url)
  for (const [name, times] of received) assert.equal(times, 1, `${name} was delivered ${times} times`)
  await assertSound(directory)
}

/** Answers how many requests were answered. */
async function loadAndKill(service: ServiceProcess, load: CrashLoad, random: Random, round: number): Promise<number> {
  const before = load.answers
  const enough = before + random.between(ANSWERS_MIN, ANSWERS_MAX)
  const killDelayMs = random.below(KILL_DELAY_MAX_MS)
  let killing: Promise<unknown> | null = null
  const kill = () => new Promise((resolve) => setTimeout(resolve, killDelayMs)).then(() => service.end('SIGKILL'))
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (await load.step(service.url, round)) if (load.answers >= enough) killing ??= kill()
  })
  const ends = await Promise.allSettled(clients)
  // A client that found a violation has stopped; the others went on until the kill, which may not have come.
  await (killing ?? service.end('SIGKILL'))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  assert.ok(killing !== null, 'the service died before it was killed')
  return load.answers - before
}
