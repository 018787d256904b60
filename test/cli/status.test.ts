import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusLines } from '../../src/cli/status.js'
import type { ServiceStatus } from '../../src/http/routes/admin.js'
import { conditionOf } from '../../src/service/admin.js'

const STATUS: ServiceStatus = {
  version: '1.2.3',
  pid: 7,
  started_at: 0,
  url: 'http://127.0.0.1:8080',
  condition: 'ready',
  not_ready: null,
  data: '/data',
  store: 'lmdb',
  store_id: '0'.repeat(16),
  store_born_at: 0,
  sandbox: false,
  strict: true,
  degraded: [],
  clock: null,
  records: { identities: 0, wallets: 0, keys: 0, invoices: 0, deposits: 0, deliveries: 0 },
  outbox: { queued: 0, attempted: 0, waiting: 0 },
  wallets: {},
  decimals: {},
  networks: [],
  nodes: [],
  ledger: null,
  set_aside: { blocks: [], deposits: [] },
  rates: null,
  log_lines_lost: 0,
}

test('the status of a service is one word: who reads that it is ready need not look for more', () => {
  const lineOf = (change: Partial<ServiceStatus>) =>
    statusLines({ ...STATUS, ...change }).find((line) => /^(Running|No service)/.test(line))
  const running = 'Running at http://127.0.0.1:8080, process 7, since 1970-01-01T00:00:00.000Z'
  assert.equal(lineOf({}), `${running}, ready.`)
  assert.equal(lineOf({ condition: 'degraded', degraded: ['SEP lags.'] }), `${running}, degraded.`)
  assert.equal(lineOf({ condition: 'not_ready', degraded: ['SEP lags.'] }), `${running}, not ready.`)
  assert.equal(lineOf({ url: null, condition: null }), 'No service runs on this directory.')
  const degraded = statusLines({ ...STATUS, condition: 'degraded', degraded: ['SEP lags.'] })
  assert.equal(
    degraded.some((line) => /\bready\b/.test(line)),
    false,
  )
  assert.ok(degraded.includes('Degraded: SEP lags.'))
})

test('without a service nothing is said of settings, which are those of the command', () => {
  const off = { source: 'off', at: null, age_seconds: null, max_age_seconds: 600, spread: '0' } as const
  const rates = { ...off, rates: {}, withheld: [] }
  const told = (url: string | null) =>
    statusLines({ ...STATUS, rates, url }).filter((line) => /strict|Rates/.test(line))
  assert.deepEqual(told(null), [])
  assert.deepEqual(told('http://127.0.0.1:8080'), ['Billhook 1.2.3 (strict), data in /data', 'Rates: off'])
})

test('a service that takes requests is ready, or degraded as /readyz says; without a service there is no such word', () => {
  const url = 'http://127.0.0.1:8080'
  assert.equal(conditionOf(true, [], url), 'ready')
  assert.equal(conditionOf(true, ['SEP lags.'], url), 'degraded')
  assert.equal(conditionOf(false, ['SEP lags.'], url), 'not_ready')
  assert.equal(conditionOf(false, [], null), null)
})
