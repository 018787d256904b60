import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertMeasured, runTiny } from './tiny-report.js'

/*
 * A step of `.ci/run`, because it takes a minute:
 *
 *     node --test dist/test/bench/tiny-run.js
 */

const TIME_LIMIT_MS = 240_000

/** Beside each other: the first loads the processors, the second waits for an even rate much of the time. */
const RUNS = ['throughput,latency,reads,history', 'webhooks,process,backup,sizing,disk']

/** What the report needs, by part of the run. The micro-benchmarks and the ordinary stack have tests of their own. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  throughput: ['Billhook', 'Billhook, TLS', 'Billhook, one hot wallet', 'Billhook, node:http', 'Billhook, noble'],
  limits: ['uWebSockets.js echo', 'libsecp256k1, one thread', 'verification with key tables', 'LMDB commits'],
  latency: ['p50', 'p90', 'p99', 'p99.9'],
  reads: ['GET /api/invoices/<id>', 'GET /api/invoices/<id>, of many in turn', 'uWS, the same bytes from a constant'],
  history: [
    'paid status',
    'creation',
    'deposit',
    'paid status over HTTP',
    'creation over HTTP',
    'signed creation under load',
  ],
  webhooks: ['deposit to webhook, p50', 'deposit to webhook, p99', 'deliveries, sustained'],
  process: ['start to first answer', 'resident memory, idle', 'resident memory after the invoices'],
  backup: ['creations without a backup', 'creations beside backups', 'a backup', 'database file after'],
  sizing: [
    'created, p99',
    'created, all threads',
    'created, paid and notified, main thread',
    'created, paid and notified, at full speed',
    'memory of an idle connection',
  ],
  disk: ['an invoice', 'a deposit', 'a webhook', 'an event of the gateway', 'an idempotency key', 'a wallet'],
}

describe('the benchmarks', () => {
  test('measure every part in tiny runs and write reports', { timeout: TIME_LIMIT_MS }, async () => {
    const reports = await Promise.all(RUNS.map(runTiny))
    for (const { isTiny } of reports) assert.equal(isTiny, true)
    assertMeasured(
      reports.flatMap(({ measurements }) => measurements),
      EXPECTED,
    )
    const skipped = reports.flatMap((report) => report.skipped)
    assert.deepEqual(skipped, ['ordinary stack: left out by --no-ordinary'])
    const targets = reports.flatMap((report) => report.targets)
    const measured = new Set(targets.filter(({ verdict }) => verdict !== 'not measured').map(({ what }) => what))
    const unmeasured = [...new Set(targets.map(({ what }) => what))].filter((what) => !measured.has(what))
    assert.deepEqual(
      unmeasured.filter((what) => !what.includes('PostgreSQL')),
      ['signed, durable creations ÷ the ordinary stack'],
    )
  })
})
