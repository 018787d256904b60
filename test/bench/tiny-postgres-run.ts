import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { postgresForTests } from '../support/postgres-tests.js'
import { assertMeasured, runTiny } from './tiny-report.js'

/* A step of `.ci/run`, as tiny-run.ts. */

const TIME_LIMIT_MS = 240_000

const ON_POSTGRES = [
  'Billhook on its own files',
  'Billhook on PostgreSQL',
  'Billhook on PostgreSQL, one hot wallet',
  'Billhook on PostgreSQL, with a synchronous replica',
  'Billhook on PostgreSQL, 2 services',
  'Billhook on PostgreSQL, 3 services',
  'paid status on PostgreSQL',
  'webhooks claimed and settled on PostgreSQL',
  'deposits recorded on PostgreSQL',
]

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

test('measure the store on PostgreSQL in a tiny run', { timeout: TIME_LIMIT_MS }, async () => {
  const report = await runTiny('postgres')
  assert.equal(report.isTiny, true)
  assertMeasured(report.measurements, { postgres: ON_POSTGRES })
  assert.deepEqual(report.skipped, [])
  const unmeasured = report.targets.filter(({ verdict }) => verdict === 'not measured').map(({ what }) => what)
  assert.deepEqual(
    unmeasured.filter((what) => what.includes('PostgreSQL')),
    [
      'creations on PostgreSQL ÷ the ordinary stack',
      'creations on PostgreSQL ÷ the ordinary stack with one stored function',
    ],
  )
})
