import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { metricsCatalogue } from '../../src/metrics/catalogue.js'
import { observeLoop } from '../../src/metrics/loop-delay.js'
import { parseExposition } from '../support/exposition.js'

test('the delay of the event loop is how long after its time a timer fires', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const registry = new Registry()
  let nowMs = 1000
  const look = (afterMs: number) => {
    nowMs += afterMs
    t.mock.timers.tick(5)
  }
  observeLoop(registry, () => nowMs)
  look(5)
  look(45)
  // In time again: what was late before does not count twice.
  look(5)
  // Timers may be early.
  look(4.9)
  const shown = parseExposition(await registry.metrics())
  const { name } = metricsCatalogue.loopDelay
  assert.equal(shown.value(`${name}_count`), 4)
  assert.equal(shown.value(`${name}_sum`), 0.04)
})
