import { parseArgs } from 'node:util'
import { CATALOGUE } from '../support/catalogue.js'
import { type HistoryTally, playHistory } from './history.js'

/*
 * Random histories of a chain, with reorganisations, faulty nodes and crashes, watched by the real watcher on a real store:
 *
 *     node dist/test/networks/histories.js --seeds 500
 *     node dist/test/networks/histories.js --seed 42 --network POL
 *
 * Each seed is played on every network of the catalogue, or on the one that is named.
 */

const SEEDS_DEFAULT = 1

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, network: { type: 'string' } },
})
const firstSeed = Number(values.seed ?? '1')
const seeds = Number(values.seeds ?? SEEDS_DEFAULT)
if (!Number.isSafeInteger(firstSeed) || !Number.isSafeInteger(seeds)) throw new Error('--seed and --seeds are numbers')
const entries = CATALOGUE.filter(({ id }) => values.network === undefined || id === values.network)
if (entries.length === 0) throw new Error(`--network is one of ${CATALOGUE.map(({ id }) => id).join(', ')}`)

const say = (line: string) => process.stdout.write(`${line}\n`)
const total: HistoryTally = {
  blocks: 0,
  reorganisations: 0,
  restarts: 0,
  undone: 0,
  confirmedUndone: 0,
  repaired: 0,
  deposits: 0,
}
const startedMs = performance.now()
let played = 0
const histories = Array.from({ length: seeds }, (_, i) => entries.map((entry) => ({ seed: firstSeed + i, entry })))
for (const { seed, entry } of histories.flat()) {
  try {
    const tally = await playHistory(seed, entry)
    played += 1
    // The keys of a tally are its names, which Object.keys does not say.
    for (const name of Object.keys(total) as (keyof HistoryTally)[]) total[name] += tally[name]
  } catch (error) {
    say(`--seed ${seed} --network ${entry.id}: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
    break
  }
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
say(`${played} histories as a scan of their end in ${seconds} s: ${JSON.stringify(total)}`)
