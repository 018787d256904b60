import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterCrashRounds } from '../chaos/cluster-crash.js'
import { postgresForTests } from '../support/postgres-tests.js'

const ROUNDS = 2
/** Fixed, so that a failure is found again; `npm run chaos -- cluster` takes a fresh one. */
const SEED = 20_261

const server = await postgresForTests({ isDurable: true })

test(`three processes on one database: nothing acknowledged is lost, and nothing done twice, when any is killed, ${ROUNDS} rounds`, {
  skip: server === null,
  timeout: 300_000,
}, async () => {
  assert.ok(server !== null)
  const report = await clusterCrashRounds({ rounds: ROUNDS, seed: SEED, say: () => {}, server })
  for (const [what, count] of Object.entries(report)) {
    if (what !== 'interrupted') assert.ok(count > 0, `nothing was shown about ${what}`)
  }
})
