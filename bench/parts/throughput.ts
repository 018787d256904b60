import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { contestants, ORDINARY } from '../contestants.js'
import { durableUnitsPerSecond } from '../limits/commits.js'
import { creationsPerSecondMax, verificationsPerSecond } from '../limits/verifications.js'
import { Merchants } from '../merchants.js'
import type { Options } from '../parameters.js'
import { Race } from '../race.js'
import { say } from '../service-process.js'

export const VERIFY_ONE_THREAD = 'libsecp256k1, one thread'

/** Seconds to measure a limit: one or two suffice, because nothing waits there. */
const LIMIT_SECONDS_MAX = 2
/** Signed requests relative to the best warm-up rate: none can be sent twice, and the machine may have been busy. */
const HEADROOM = 2

/** Measures signed, durable creations per second by contestant, and in the same rounds the limits of the machine. */
export async function throughput(bench: Bench, { hasOrdinary }: Options): Promise<void> {
  const { parameters, findings } = bench
  const directory = join(bench.directory, 'throughput')
  const merchants = new Merchants(parameters.keys, parameters.wallets)
  const all = contestants(merchants, findings)
  const taking = all.filter(({ isOrdinary }) => hasOrdinary || isOrdinary !== true)
  const race = new Race(bench, merchants, directory, taking)
  const limits = { one: [] as number[], all: [] as number[], commits: [] as number[] }
  const limitSeconds = Math.min(LIMIT_SECONDS_MAX, parameters.seconds)
  const sampleLimits = async (round: number) => {
    limits.one.push(await verificationsPerSecond(1, limitSeconds))
    limits.all.push(await verificationsPerSecond(availableParallelism(), limitSeconds))
    const place = join(directory, `commits-${round}`)
    limits.commits.push(await durableUnitsPerSecond(place, limitSeconds))
    rmSync(place, { recursive: true })
  }
  try {
    if (!hasOrdinary) findings.skip(ORDINARY, 'left out by --no-ordinary')
    const fastest = await race.round(parameters.warmUpSeconds, await creationsPerSecondMax())
    race.forget()
    for (let round = 0; round < parameters.rounds; round += 1) {
      await sampleLimits(round)
      await race.round(parameters.seconds, fastest * HEADROOM)
      say(`  round ${round + 1} of ${parameters.rounds}`)
    }
    race.report()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  const limit = (name: string, samples: readonly number[], note: string) =>
    findings.add({ group: 'limits', name, unit: 'per second', samples, note })
  limit(VERIFY_ONE_THREAD, limits.one, 'verifications of signatures that are in memory')
  limit(`libsecp256k1, ${availableParallelism()} threads`, limits.all, 'the same on all cores at once')
  limit('LMDB commits', limits.commits, 'durable, as many rows and bytes as an invoice each, 256 in one transaction')
}
