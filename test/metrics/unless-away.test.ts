import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gauge, Registry } from 'prom-client'
import { STORE_READ_MAX_MS, unlessAway } from '../../src/metrics/unless-away.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { parseExposition } from '../support/exposition.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

function gaugeIn(registry: Registry): Gauge {
  const gauge = new Gauge({ name: 'depth', help: 'Depth.', registers: [registry] })
  gauge.set(5)
  return gauge
}

const valueIn = async (registry: Registry) => parseExposition(await registry.metrics()).value('depth')

test('a gauge of a store that does not answer has no value, and the others wait for it no longer than they can', async () => {
  const registry = new Registry()
  const gauge = gaugeIn(registry)
  const scheduler = new ManualScheduler()
  const scraped = unlessAway(gauge, () => new Promise(() => {}), scheduler)
  scheduler.pass(STORE_READ_MAX_MS)
  await scraped
  assert.equal(await valueIn(registry), undefined)
})

test('a gauge of a store that refuses or is damaged has no value, and that of one that answers has its value', async () => {
  const registry = new Registry()
  const gauge = gaugeIn(registry)
  const scheduler = new ManualScheduler()
  const set = (value: number) => unlessAway(gauge, async () => gauge.set(value), scheduler)
  await set(7)
  assert.equal(await valueIn(registry), 7)
  await unlessAway(gauge, () => Promise.reject(new StorageUnavailable(new Error('away'))), scheduler)
  assert.equal(await valueIn(registry), undefined)
  await set(9)
  const damage = Object.assign(new Error('MDB_CORRUPTED'), { code: -30_796 })
  await unlessAway(gauge, () => Promise.reject(damage), scheduler)
  assert.equal(await valueIn(registry), undefined)
  await set(8)
  assert.equal(await valueIn(registry), 8)
  assert.equal(scheduler.pending, 0)
})

test('an error that is none of the store is not hidden', async () => {
  const gauge = gaugeIn(new Registry())
  await assert.rejects(
    unlessAway(gauge, () => Promise.reject(new TypeError('a fault')), new ManualScheduler()),
    TypeError,
  )
})
