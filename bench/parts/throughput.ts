import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { contestants } from '../contestants.js'
import { durableUnitsPerSecond } from '../limits/commits.js'
import { creationsPerSecondMax, defaultThreads, verificationsPerSecond } from '../limits/verifications.js'
import { Merchants } from '../merchants.js'
import { COMMITS, ORDINARY, VERIFY_ONE_THREAD, VERIFY_WITH_TABLES } from '../names.js'
import type { Options } from '../parameters.js'
import { Race } from '../race.js'
import { say } from '../service-process.js'

/** Seconds to measure a limit: one or two suffice, because nothing waits there. */
const LIMIT_SECONDS_MAX = 2

/** Measures signed, durable creations per second by contestant, and in the same rounds the limits of the machine. */
export async function throughput(bench: Bench, { hasOrdinary }: Options): Promise<void> {
  const { parameters, findings } = bench
  const directory = join(bench.directory, 'throughput')
  const merchants = new Merchants(parameters.keys, parameters.wallets)
  const all = contestants(merchants, findings)
  const taking = all.filter(({ isOrdinary }) => hasOrdinary || isOrdinary !== true)
  const race = new Race(bench, directory, taking)
  const limits = { one: [] as number[], tables: [] as number[], commits: [] as number[] }
  const limitSeconds = Math.min(LIMIT_SECONDS_MAX, parameters.seconds)
  const sampleLimits = async (round: number) => {
    const task = { seconds: limitSeconds, keys: parameters.keys }
    limits.one.push(await verificationsPerSecond({ ...task, threads: 1, hasTables: false }))
    limits.tables.push(await verificationsPerSecond({ ...task, threads: defaultThreads(), hasTables: true }))
    const place = join(directory, `commits-${round}`)
    limits.commits.push(await durableUnitsPerSecond(place, limitSeconds))
    rmSync(place, { recursive: true })
  }
  try {
    if (!hasOrdinary) findings.skip(ORDINARY, 'left out by --no-ordinary')
    const fastest = await creationsPerSecondMax()
    for (let round = 0; round < parameters.rounds; round += 1) {
      await sampleLimits(round)
      await race.round(fastest)
      say(`  round ${round + 1} of ${parameters.rounds}`)
    }
    race.report()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  const limit = (name: string, samples: readonly number[], note: string) =>
    findings.add({ group: 'limits', name, unit: 'per second', samples, note })
  const threads = defaultThreads() === 1 ? 'one thread' : `${defaultThreads()} threads`
  const inMemory = 'of signatures that are in memory'
  limit(VERIFY_ONE_THREAD, limits.one, `verifications ${inMemory}, one by one`)
  limit(VERIFY_WITH_TABLES, limits.tables, `on ${threads}, as the service has, ${inMemory}, 128 together`)
  limit(COMMITS, limits.commits, 'durable, as many rows and bytes as an invoice each, 256 in one transaction')
}
