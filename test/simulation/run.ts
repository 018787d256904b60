import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeClusterScript } from './cluster-script.js'
import { type MakeEngine, onLmdb } from './engine.js'
import { onPostgres, startServer } from './postgres-engine.js'
import { makeScript } from './script.js'
import { shrink } from './shrink.js'
import { play, type Run } from './simulate.js'
import type { Script } from './steps.js'

/*
 * The simulation by hand and in CI:
 *
 *     npm run simulate -- --seed 42 --steps 5000          one seed
 *     npm run simulate -- --seed 42 --seeds 1000          seeds 42 to 1041
 *     npm run simulate -- --minutes 10                    fresh seeds for ten minutes; or --seconds
 *     npm run simulate -- --script failed.json            a script that an earlier run printed
 *     npm run simulate -- --store postgres                several processes on a real PostgreSQL, where something goes wrong
 *
 * With --no-shrink a script that fails is not shortened.
 */

const STEPS_DEFAULT = { lmdb: 5000, postgres: 600 }
const FRESH_SEEDS = 2 ** 40
const MS_PER_SECOND = 1000
const SECONDS_PER_MINUTE = 60
/** Seeds between two lines about how far it has come. */
const REPORT_EVERY = 50

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string' },
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    script: { type: 'string' },
    store: { type: 'string', default: 'lmdb' },
    'no-shrink': { type: 'boolean' },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)

function readCount(name: 'seed' | 'seeds' | 'steps' | 'minutes' | 'seconds', fallback: number): number {
  const text = values[name]
  if (text === undefined) return fallback
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`--${name} must be a number, not ${text}`)
  return count
}

/** Prints what failed and a script that is as short as it gets. */
async function reportViolation(script: Script, run: Run, makeEngine: MakeEngine): Promise<void> {
  if (run.violation === null) return
  const { violation, step } = run.violation
  say(`VIOLATION  seed ${script.seed}, step ${step}, of a script of ${script.steps.length} steps`)
  say(violation.message)
  if (values['no-shrink'] === true) return
  say('shortening the script ...')
  const short = await shrink(script, makeEngine)
  const again = await play(short, makeEngine)
  say(`the same in ${short.steps.length} steps: ${again.violation?.violation.message ?? 'not reproduced'}`)
  const { steps, ...head } = short
  say(`${JSON.stringify(head).slice(0, -1)},"steps":[`)
  say(steps.map((one) => `  ${JSON.stringify(one)}`).join(',\n'))
  say(']}')
  say(`again: npm run simulate -- --seed ${script.seed} --steps ${script.steps.length} --store ${values.store}`)
}

async function main(): Promise<number> {
  if (values.store === 'lmdb') return simulate(onLmdb, makeScript, STEPS_DEFAULT.lmdb)
  if (values.store !== 'postgres') throw new Error(`--store must be lmdb or postgres, not ${values.store}`)
  const server = await startServer()
  try {
    return await simulate(onPostgres(server), makeClusterScript, STEPS_DEFAULT.postgres)
  } finally {
    await server.stop()
  }
}

async function simulate(makeEngine: MakeEngine, write: typeof makeScript, stepsDefault: number): Promise<number> {
  if (values.script !== undefined) {
    const script: Script = JSON.parse(readFileSync(values.script, 'utf8'))
    const run = await play(script, makeEngine)
    await reportViolation(script, run, makeEngine)
    return run.violation === null ? 0 : 1
  }
  const steps = readCount('steps', stepsDefault)
  const limitSeconds = readCount('seconds', readCount('minutes', 0) * SECONDS_PER_MINUTE)
  const isFresh = values.seed === undefined
  const firstSeed = readCount('seed', randomInt(FRESH_SEEDS))
  const seeds = readCount('seeds', limitSeconds > 0 ? Number.POSITIVE_INFINITY : 1)
  const startedMs = performance.now()
  const total = { seeds: 0, steps: 0, commands: 0, calls: 0, sends: 0, crashes: 0, restarts: 0 }
  const summary = () => {
    const seconds = (performance.now() - startedMs) / 1000
    return `${total.seeds} seeds, ${total.steps} steps in ${seconds.toFixed(1)} s (${Math.round(total.steps / seconds)} a second): ${total.commands} commands, ${total.calls} calls of the store, ${total.sends} webhooks, ${total.crashes} crashes, ${total.restarts} restarts`
  }
  say(`simulating from seed ${firstSeed}${isFresh ? ' (fresh)' : ''}, ${steps} steps a seed`)
  for (let n = 0; n < seeds; n += 1) {
    if (limitSeconds > 0 && performance.now() - startedMs > limitSeconds * MS_PER_SECOND) break
    const script = write(firstSeed + n, steps)
    const run = await play(script, makeEngine)
    total.seeds += 1
    total.steps += steps
    for (const name of ['commands', 'calls', 'sends', 'crashes', 'restarts'] as const) total[name] += run.tally[name]
    if (run.violation !== null) {
      say(summary())
      await reportViolation(script, run, makeEngine)
      return 1
    }
    if (seeds > 1 && total.seeds % REPORT_EVERY === 0) say(summary())
  }
  say(`no violation: ${summary()}`)
  return 0
}

process.exitCode = await main()
