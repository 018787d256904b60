import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertMeasured, runTiny } from './tiny-report.js'

/*
 * A step of `.ci/run`, because it takes a minute:
 *
 *     node --test dist/test/bench/tiny-run.js
 */

const TIME_LIMIT_MS = 240_000

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
  test('measure every part in a tiny run and write a report', { timeout: TIME_LIMIT_MS }, async () => {
    const report = await runTiny('throughput,latency,reads,history,webhooks,process,backup,sizing,disk')
    assertMeasured(report, EXPECTED)
    assert.deepEqual(report.skipped, ['ordinary stack: left out by --no-ordinary'])
    const unmeasured = report.targets.filter(({ verdict }) => verdict === 'not measured').map(({ what }) => what)
    assert.deepEqual(
      unmeasured.filter((what) => !what.includes('PostgreSQL')),
      ['signed, durable creations ÷ the ordinary stack'],
    )
  })
})
