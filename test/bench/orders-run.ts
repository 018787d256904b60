import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { postgresForTests } from '../support/postgres-tests.js'

const script = fileURLToPath(new URL('../../bench/orders.js', import.meta.url))
const TINY = [
  '--orders',
  '50',
  '--wallets',
  '250',
  '--rounds',
  '1',
  '--warm-up',
  '0',
  '--seconds',
  '1',
  '--connections',
  '16',
]
const TIME_LIMIT_MS = 120_000
/** What orders cost, each as a ratio, and how many are created in a second. */
const FIGURES = 11

const stores = (await postgresForTests()) === null ? ['lmdb'] : ['lmdb', 'postgres']

for (const store of stores) {
  test(`a tiny run compares orders with plain invoices: ${store}`, { timeout: TIME_LIMIT_MS }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...TINY, '--store', store], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const figures = stdout
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('  '))
    assert.equal(figures.length, FIGURES, stdout)
    for (const line of figures) assert.match(line, /: orders [\d,.]+, plain [\d,.]+, ratio [\d.]+$/)
  })
}
