import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Registry } from 'prom-client'
import { exposed } from '../../src/metrics/exposition.js'

const METRICS = 6

/** Each of its metrics takes so long of a clock of its own, and notes in which turn of the event loop it was read. */
function registryOf(eachMs: number) {
  const registry = new Registry()
  const turns: number[] = []
  let nowMs = 0
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  for (let n = 0; n < METRICS; n += 1) {
    new Gauge({
      name: `gauge_${n}`,
      help: 'A gauge.',
      registers: [registry],
      collect() {
        nowMs += eachMs
        turns.push(turn)
        this.set(n)
      },
    })
  }
  return {
    registry,
    read: async () => {
      const text = await exposed(registry, () => nowMs)
      isOver = true
      return { text, turns: new Set(turns).size }
    },
  }
}

test('metrics that take a millisecond each are read in a turn of the event loop each', async () => {
  const { turns } = await registryOf(1).read()
  assert.equal(turns, METRICS)
})

test('metrics that take less are read together', async () => {
  const { turns } = await registryOf(0.5).read()
  assert.equal(turns, METRICS / 2)
})

test('the text is the one that prom-client writes at once', async () => {
  const { registry, read } = registryOf(0.1)
  new Counter({ name: 'counted_total', help: 'A counter.', labelNames: ['a'], registers: [registry] }).inc({ a: 'b' })
  assert.equal((await read()).text, await registry.metrics())
})
