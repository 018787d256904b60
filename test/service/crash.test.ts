import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crashRounds } from '../chaos/crash.js'

const ROUNDS = 3
/** Fixed, so that a failure is found again; `npm run chaos -- crash` takes a fresh one. */
const SEED = 20_261

test(`nothing acknowledged is lost, and nothing done twice, by kill -9 under mixed load, ${ROUNDS} rounds`, {
  timeout: 300_000,
}, async () => {
  const report = await crashRounds({ rounds: ROUNDS, seed: SEED, say: () => {} })
  for (const [what, count] of Object.entries(report)) {
    if (what !== 'interrupted') assert.ok(count > 0, `nothing was shown about ${what}`)
  }
})
