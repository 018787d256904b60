import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { creationsPerSecondMax } from '../limits/verifications.js'
import { Merchants } from '../merchants.js'
import type { Options } from '../parameters.js'
import { postgresContestants } from '../postgres-contestants.js'
import { Race } from '../race.js'
import { say } from '../service-process.js'
import { postgresStore } from './postgres-store.js'

/** Measures signed, durable creations per second on PostgreSQL, what they are compared with in the same rounds, and its store alone. */
export async function postgres(bench: Bench, options: Options): Promise<void> {
  await race(bench, options)
  await postgresStore(bench)
}

async function race(bench: Bench, { hasOrdinary }: Options): Promise<void> {
  const { parameters, findings } = bench
  const directory = join(bench.directory, 'postgres')
  const merchants = new Merchants(parameters.keys, parameters.wallets)
  const all = postgresContestants(merchants, findings)
  const race = new Race(
    bench,
    directory,
    all.filter(({ isOrdinary }) => hasOrdinary || isOrdinary !== true),
  )
  try {
    const fastest = await creationsPerSecondMax()
    for (let round = 0; round < parameters.rounds; round += 1) {
      await race.round(fastest)
      say(`  round ${round + 1} of ${parameters.rounds}`)
    }
    race.report()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
