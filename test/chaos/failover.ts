import assert from 'node:assert/strict'
import { Random } from '../simulation/random.js'
import { assertSoundDatabase, createDatabase } from '../support/postgres-harness.js'
import { PostgresServer } from '../support/postgres-server.js'
import { openReceiver } from '../support/receiver.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { Acknowledged } from './acknowledged.js'
import type { CrashOptions } from './crash.js'
import { assertDelivered, assertKept, LATEST } from './crash-checks.js'
import { CrashLoad } from './crash-load.js'
import { type Ask, ask } from './http-client.js'

const SERVICES = 2
const CLIENTS = 16
/** Answers before the primary is lost, and of writes behind the promotion. */
const ANSWERS_MIN = 50
const ANSWERS_MAX = 400
const ANSWERS_BEHIND = 200
/** From the loss of the primary until the standby is promoted, at most. */
const DECIDED_AFTER_MAX_MS = 300
const LEASE_SECONDS = 86_400

/** A primary whose commits wait for a standby, with an empty database. */
export interface ReplicatedServers {
  /** The address of the database, with both servers. */
  readonly store: string
  /** Loses the primary with all its processes; resolves when the standby is the primary. */
  failOver(random: Random): Promise<void>
  /** Brings the lost server back as a standby, where something does that. */
  restore?(): Promise<void>
  stop(): Promise<void>
}

/** Who promotes the standby. */
export interface FailoverForm {
  start(): Promise<ReplicatedServers>
  /** How long a client waits after a request that was refused. */
  readonly pauseMs: number
  /** Until the load has gone on for a while behind the failover, at most. */
  readonly waitLimitMs: number
}

/** What one round has shown. */
export interface FailoverRound {
  /** From the loss of the primary until the standby was promoted. */
  readonly promotedMs: number
  /** From then until a write was answered. */
  readonly firstWriteMs: number
  /** From the start of the lost server until commits wait for it again. */
  readonly restoredMs?: number
  readonly answers: number
  readonly refused: number
  readonly delivered: number
  readonly interrupted: number
}

/**
 * A primary with a synchronous standby under mixed load of two services. The primary is lost with all its processes, and the
 * standby promoted. The services go on without a restart, and everything that was acknowledged is there, once.
 */
export async function failoverRounds(
  { rounds, seed, say }: CrashOptions,
  form: FailoverForm = promotedByHand,
): Promise<readonly FailoverRound[]> {
  const random = new Random(seed)
  const shown: FailoverRound[] = []
  for (let round = 0; round < rounds; round += 1) {
    shown.push(await failover(random, form))
    say(`round ${round + 1}: ${JSON.stringify(shown.at(-1))}`)
  }
  return shown
}

/** The program promotes the standby itself, at once. */
const promotedByHand: FailoverForm = {
  pauseMs: 2,
  waitLimitMs: 60_000,
  async start() {
    const { primary, standby } = await PostgresServer.startPair()
    const database = (await createDatabase(primary)).split('/').at(-1)
    return {
      store: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`,
      async failOver(random) {
        await primary.lose()
        await new Promise((resolve) => setTimeout(resolve, random.below(DECIDED_AFTER_MAX_MS)))
        await standby.promote()
      },
      async stop() {
        await primary.stop()
        await standby.stop()
      },
    }
  },
}

async function failover(random: Random, form: FailoverForm): Promise<FailoverRound> {
  const servers = await form.start()
  const received = new Map<string, number>()
  const receiver = await openReceiver(({ body }, response) => {
    const { txHash, status } = JSON.parse(body.toString())
    const name = `${txHash} ${status}`
    received.set(name, (received.get(name) ?? 0) + 1)
    response.end()
  })
  const places = Array.from({ length: SERVICES }, () => temporaryDirectory())
  const services: ServiceProcess[] = []
  try {
    const environment = {
      BILLHOOK_STORE: servers.store,
      BILLHOOK_WALLET_LEASE_SECONDS: String(LEASE_SECONDS),
      BILLHOOK_LOG: 'fatal',
    }
    for (const { path } of places) services.push(await ServiceProcess.start(path, environment))
    const urls = services.map(({ url }) => url)
    const acknowledged = new Acknowledged()
    const asked = new Refusals()
    const load = new CrashLoad(acknowledged, random, receiver.url, asked.ask)
    await load.setUp(urls[0] ?? '')
    const times = await loadThrough(load, urls, random, form, () => servers.failOver(random))
    for (const url of urls) await assertKept(url, acknowledged)
    for (const creation of acknowledged.idempotent.slice(-LATEST)) {
      assert.ok(await load.repeat(urls.at(-1) ?? '', creation), 'a write was refused')
    }
    await load.repeatUnanswered(urls[1] ?? '')
    for (const [name, count] of received) assert.equal(count, 1, `${name} was delivered ${count} times`)
    const counts = await assertDelivered(urls[0] ?? '', acknowledged, received)
    const restored = servers.restore === undefined ? {} : { restoredMs: await lastingMs(() => servers.restore?.()) }
    for (const service of services) assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    await assertSoundDatabase(servers.store)
    return { ...times, ...restored, answers: load.answers, refused: asked.refused, ...counts }
  } finally {
    for (const { child } of services) if (child.exitCode === null) child.kill('SIGKILL')
    for (const place of places) place.remove()
    await receiver.close()
    await servers.stop()
  }
}

async function lastingMs(work: () => Promise<void> | undefined): Promise<number> {
  const beganAt = performance.now()
  await work()
  return Math.round(performance.now() - beganAt)
}

/** While there is no primary, a refusal is no answer: what was asked may have happened. Any other refusal is one. */
class Refusals {
  refused = 0

  readonly ask: Ask = async (...request) => {
    const answer = await ask(...request)
    if (answer?.status !== 503 || answer.json.code !== 'storage_unavailable') return answer
    this.refused += 1
    return null
  }
}

/** Sends the load until it has gone on for a while behind the failover. */
async function loadThrough(
  load: CrashLoad,
  urls: readonly string[],
  random: Random,
  { pauseMs, waitLimitMs }: Pick<FailoverForm, 'pauseMs' | 'waitLimitMs'>,
  failOver: () => Promise<void>,
): Promise<Pick<FailoverRound, 'promotedMs' | 'firstWriteMs'>> {
  const before = load.answers + random.between(ANSWERS_MIN, ANSWERS_MAX)
  const until = performance.now() + waitLimitMs
  let promoting: Promise<void> | null = null
  let promotion: { readonly at: number; readonly ms: number; readonly answers: number } | null = null
  let firstWriteMs: number | null = null
  const client = async () => {
    for (;;) {
      assert.ok(performance.now() < until, 'writes do not go on')
      const [first = '', ...others] = urls
      const wasPromoted = promotion
      const isAnswered = await load.step(random.pick([first, ...others]), 0)
      // One that was sent behind the promotion, so that its write is on the new primary.
      if (wasPromoted !== null && isAnswered) firstWriteMs ??= performance.now() - wasPromoted.at
      if (promotion !== null && load.answers > promotion.answers + ANSWERS_BEHIND) return
      if (!isAnswered) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      if (load.answers >= before) {
        promoting ??= lastingMs(failOver).then((ms) => {
          promotion = { at: performance.now(), ms, answers: load.answers }
        })
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client))
  await promoting
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  const { ms } = (promotion as { readonly ms: number } | null) ?? assert.fail('nothing was promoted')
  return { promotedMs: ms, firstWriteMs: Math.round(firstWriteMs ?? assert.fail('nothing was written')) }
}
