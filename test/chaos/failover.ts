import assert from 'node:assert/strict'
import { Random } from '../simulation/random.js'
import { createDatabase } from '../support/postgres-harness.js'
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
const WAIT_LIMIT_MS = 60_000

/** What one round has shown. */
export interface FailoverRound {
  /** From the loss of the primary until the standby was promoted. */
  readonly promotedMs: number
  /** From then until a write was answered. */
  readonly firstWriteMs: number
  readonly answers: number
  readonly refused: number
  readonly delivered: number
  readonly interrupted: number
}

/**
 * A primary with a synchronous standby under mixed load of two services. The primary is lost with all its processes, and the
 * standby promoted. The services go on without a restart, and everything that was acknowledged is there, once.
 */
export async function failoverRounds({ rounds, seed, say }: CrashOptions): Promise<readonly FailoverRound[]> {
  const random = new Random(seed)
  const shown: FailoverRound[] = []
  for (let round = 0; round < rounds; round += 1) {
    shown.push(await failover(random))
    say(`round ${round + 1}: ${JSON.stringify(shown.at(-1))}`)
  }
  return shown
}

async function failover(random: Random): Promise<FailoverRound> {
  const { primary, standby } = await PostgresServer.startPair()
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
    const database = (await createDatabase(primary)).split('/').at(-1)
    const environment = {
      BILLHOOK_STORE: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`,
      BILLHOOK_WALLET_LEASE_SECONDS: String(LEASE_SECONDS),
      BILLHOOK_LOG: 'fatal',
    }
    for (const { path } of places) services.push(await ServiceProcess.start(path, environment))
    const urls = services.map(({ url }) => url)
    const acknowledged = new Acknowledged()
    const asked = new Refusals()
    const load = new CrashLoad(acknowledged, random, receiver.url, asked.ask)
    await load.setUp(urls[0] ?? '')
    const times = await loadThrough(load, urls, random, () => lose(primary, standby, random))
    for (const url of urls) await assertKept(url, acknowledged)
    for (const creation of acknowledged.idempotent.slice(-LATEST)) {
      assert.ok(await load.repeat(urls.at(-1) ?? '', creation), 'a write was refused')
    }
    await load.repeatUnanswered(urls[1] ?? '')
    for (const [name, count] of received) assert.equal(count, 1, `${name} was delivered ${count} times`)
    const counts = await assertDelivered(urls[0] ?? '', acknowledged, received)
    for (const service of services) assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    return { ...times, answers: load.answers, refused: asked.refused, ...counts }
  } finally {
    for (const { child } of services) if (child.exitCode === null) child.kill('SIGKILL')
    for (const place of places) place.remove()
    await receiver.close()
    await primary.stop()
    await standby.stop()
  }
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

/** Loses the primary and promotes the standby. */
async function lose(primary: PostgresServer, standby: PostgresServer, random: Random): Promise<number> {
  const lostAt = performance.now()
  await primary.lose()
  await new Promise((resolve) => setTimeout(resolve, random.below(DECIDED_AFTER_MAX_MS)))
  await standby.promote()
  return performance.now() - lostAt
}

/** Sends the load until it has gone on for a while behind the failover. */
async function loadThrough(
  load: CrashLoad,
  urls: readonly string[],
  random: Random,
  failOver: () => Promise<number>,
): Promise<Pick<FailoverRound, 'promotedMs' | 'firstWriteMs'>> {
  const before = load.answers + random.between(ANSWERS_MIN, ANSWERS_MAX)
  const until = performance.now() + WAIT_LIMIT_MS
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
      if (!isAnswered) await new Promise((resolve) => setTimeout(resolve, 2))
      if (load.answers >= before) {
        promoting ??= failOver().then((ms) => {
          promotion = { at: performance.now(), ms, answers: load.answers }
        })
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client))
  await promoting
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  const { ms } = (promotion as { readonly ms: number } | null) ?? assert.fail('nothing was promoted')
  return { promotedMs: Math.round(ms), firstWriteMs: Math.round(firstWriteMs ?? assert.fail('nothing was written')) }
}
