import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failoverRounds } from '../chaos/failover.js'
import { postgresForTests } from '../support/postgres-tests.js'

const SEED = 20_261

const server = await postgresForTests()

test('services go on at the promoted standby when the primary is lost, and nothing acknowledged is lost with it', {
  skip: server === null,
  timeout: 120_000,
}, async () => {
  const [shown] = await failoverRounds({ rounds: 1, seed: SEED, say: () => {} })
  assert.ok(shown !== undefined && shown.answers > 0 && shown.delivered > 0)
})
