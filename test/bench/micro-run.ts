import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type MicroResults, microBenchmarks } from '../../bench/micro.js'

describe('a tiny run of the micro-benchmarks', () => {
  let results: MicroResults

  before(async () => {
    results = await microBenchmarks({ isTiny: true })
  })

  test('measures every case five times, with finite figures above zero', () => {
    for (const { name, x, samples } of results.measurements) {
      assert.equal(samples.length, 5, name)
      for (const sample of samples) assert.ok(Number.isFinite(sample) && sample > 0, `${name} ${x}: ${sample}`)
    }
  })

  test('gives every case a name of its own within its group and size', () => {
    const names = results.measurements.map(({ group, name, x }) => `${group}, ${name}, ${x}`)
    assert.deepEqual(names, [...new Set(names)])
  })

  test('has single functions and batches, each in its unit', () => {
    const unitOf = { micro: 'µs', batch: 'per second' } as const
    for (const [group, unit] of Object.entries(unitOf)) {
      const of = results.measurements.filter((measurement) => measurement.group === group)
      assert.ok(of.length > 0, group)
      for (const measurement of of) assert.equal(measurement.unit, unit, measurement.name)
    }
  })

  test('measures batches of each size', () => {
    const sizesOf = (wanted: string) =>
      results.measurements.filter(({ group, name }) => group === 'batch' && name === wanted).map(({ x }) => x)
    assert.deepEqual(sizesOf('LMDB commit'), [1, 8, 64, 256, 512])
    const verified = sizesOf('verification, libsecp256k1')
    assert.deepEqual(verified, results.skipped.length === 0 ? [1, 2, 4, 8, 16, 32, 64, 128] : [])
  })
})
