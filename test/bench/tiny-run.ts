import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '../support/temporary-directory.js'

/*
 * A step of `.ci/run`, because it takes a minute and a half:
 *
 *     node --test dist/test/bench/tiny-run.js
 */

const script = new URL('../../bench/run.js', import.meta.url).pathname
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

interface Report {
  readonly isTiny: boolean
  readonly measurements: readonly {
    readonly group: string
    readonly name: string
    readonly samples: readonly (number | null)[]
  }[]
  readonly targets: readonly { readonly what: string; readonly value: number | null; readonly verdict: string }[]
  readonly skipped: readonly string[]
}

describe('the benchmarks', () => {
  test('measure every part in a tiny run and write a report', { timeout: TIME_LIMIT_MS }, async () => {
    const place = temporaryDirectory()
    try {
      const parts = 'throughput,latency,reads,history,webhooks,process,backup,sizing,disk'
      const argv = [script, '--tiny', '--only', parts, '--no-ordinary', '--out', place.path]
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = await once(child, 'exit')
      assert.equal(code, 0)
      const report = JSON.parse(readFileSync(join(place.path, 'results.json'), 'utf8')) as Report
      assert.equal(report.isTiny, true)
      assert.deepEqual(report.skipped, ['ordinary stack: left out by --no-ordinary'])
      for (const [group, names] of Object.entries(EXPECTED)) {
        for (const name of names) {
          const found = report.measurements.filter(
            (measurement) => measurement.group === group && measurement.name === name,
          )
          assert.ok(found.length > 0, `${group}: ${name} is missing`)
          for (const { samples } of found) {
            assert.ok(
              samples.length > 0 && samples.every((sample) => sample !== null && sample >= 0),
              `${group}: ${name}`,
            )
          }
        }
      }
      const unmeasured = report.targets.filter(({ verdict }) => verdict === 'not measured').map(({ what }) => what)
      assert.deepEqual(unmeasured, ['signed, durable creations ÷ the ordinary stack'])
    } finally {
      place.remove()
    }
  })
})
