import { compileKeyTables } from '../../src/verify/key-tables.js'
import { BATCHES_PER_THREAD, VerifyPool } from '../../src/verify/pool.js'
import { VerifyThreads } from '../../src/verify/threads.js'
import { encodeBatch, readAnswer, type VerifyRequest } from '../../src/verify/wire.js'
import type { Measurement } from '../results.js'
import { type Case, type Effort, measure } from './case.js'
import { signedMessages } from './signed-messages.js'

/** Batch limits of the pool; its minimum is two. */
const BATCH_SIZES = [2, 4, 8, 16, 32, 64, 128] as const
const LANE_BYTES = 64 * 1024 * 1024
const BATCH_TIME_LIMIT_MS = 60_000
const ENGINE = 'libsecp256k1'
/** Names of the series, by whether the key has a table. */
const SERIES = [
  { name: 'verification, libsecp256k1', isTabled: false },
  { name: 'verification, key with a table', isTabled: true },
] as const

type Kind = (typeof SERIES)[number]

interface Saturated {
  readonly timed: Case
  close(): Promise<void>
}

/**
 * Measures verifications per second of a pool with one thread that always has enough queued, by batch size. It submits
 * `signatures` at once, and the next ones when all are verified.
 */
export async function verificationBatches(effort: Effort, signatures: number): Promise<readonly Measurement[]> {
  const requests = signedMessages(signatures).map(({ request }) => request)
  // All pools exist from the start and take turns; an idle thread sleeps.
  const saturated = [oneByOne(requests)]
  try {
    for (const kind of SERIES) {
      for (const batchLimit of BATCH_SIZES) saturated.push(await throughPool(requests, batchLimit, kind))
    }
    return await measure(
      saturated.map(({ timed }) => timed),
      effort,
    )
  } finally {
    for (const one of saturated) await one.close()
  }
}

async function throughPool(requests: readonly VerifyRequest[], batchLimit: number, kind: Kind): Promise<Saturated> {
  const onError = (error: unknown) => {
    throw error
  }
  const pool = new VerifyPool(
    {
      threads: 1,
      batchLimit,
      registeredLaneLimit: requests.length,
      unregisteredLaneLimit: requests.length,
      laneLimitBytes: LANE_BYTES,
      onWorkerError: onError,
      onTablesFailed: onError,
    },
    new VerifyThreads({
      engine: ENGINE,
      keyTables: kind.isTabled ? { code: await compileKeyTables(), limit: 1 } : null,
      threads: 1,
      onError,
    }),
  )
  await pool.warmUp()
  const verifyAll = async () => {
    const verdicts = await Promise.all(requests.map((request) => pool.verify(request, 'registered', () => '')))
    if (!verdicts.every((verdict) => verdict === true)) throw new Error('the pool refused a good signature')
  }
  const note = 'through the pool, one thread'
  return { timed: verification(kind.name, batchLimit, verifyAll, requests.length, note), close: () => pool.close() }
}

/** Batches of one, submitted directly to a thread, because the pool's limit is never one. */
function oneByOne(requests: readonly VerifyRequest[]): Saturated {
  const threads = new VerifyThreads({
    engine: ENGINE,
    keyTables: null,
    threads: 1,
    batchTimeLimitMs: BATCH_TIME_LIMIT_MS,
    onError: (error) => {
      throw error
    },
  })
  const verifyEvery = async (start: number) => {
    for (let i = start; i < requests.length; i += BATCHES_PER_THREAD) {
      const answer = await threads.run(encodeBatch(requests.slice(i, i + 1)))
      if (readAnswer(answer, 1).verdicts[0] !== true) throw new Error('the thread refused a good signature')
    }
  }
  const verifyAll = () => Promise.all(Array.from({ length: BATCHES_PER_THREAD }, (_, start) => verifyEvery(start)))
  const note = 'straight to the thread of a pool, since a pool gathers at least two'
  return { timed: verification(SERIES[0].name, 1, verifyAll, requests.length, note), close: () => threads.close() }
}

function verification(name: string, x: number, task: () => Promise<unknown>, perTask: number, note: string): Case {
  return {
    measurement: { group: 'batch', name, unit: 'per second', x, note },
    task,
    perTask,
  }
}
