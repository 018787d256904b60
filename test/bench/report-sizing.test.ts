import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DISK, PAID_AT_FULL_SPEED, sizingName } from '../../bench/names.js'
import { aboveLimit, creationLimit } from '../../bench/report-parts/limit.js'
import { KEPT_DAYS, SizingFigures } from '../../bench/report-parts/sizing-figures.js'
import {
  diskTable,
  fiveLines,
  modelTable,
  ratesTable,
  speedLines,
  workTable,
} from '../../bench/report-parts/sizing-lines.js'
import type { Measurement, Results } from '../../bench/results.js'
import { settingEntries } from '../../src/config/schema.js'
import { sampleResults } from './sample-results.js'

function withMeasurements(...others: readonly Measurement[]): Results {
  return { ...sampleResults, measurements: [...sampleResults.measurements, ...others] }
}

describe('the sizing', () => {
  test('takes the bytes of a paid invoice from its records: two webhooks and two events', () => {
    const { bytesForEver, bytesForAWhile } = new SizingFigures(sampleResults)
    assert.deepEqual([bytesForEver, bytesForAWhile], [400 + 300, 2 * (500 + 100)])
  })

  test('has each rate that was measured, ascending, with its disk and its processor', () => {
    const [few, many] = new SizingFigures(sampleResults).rates
    assert.deepEqual([few?.perSecond, many?.perSecond], [10, 1000])
    assert.equal(many?.gbPerDay.toFixed(2), '164.16')
    assert.equal(many?.gbInAYear.toFixed(1), (164.16 * 365).toFixed(1))
    assert.equal(many?.created.allThreads.toFixed(3), '0.180')
    assert.equal(few?.created.mainThread.toFixed(4), '0.0032')
  })

  test('asks for as many services as take the rate at half of their peak', () => {
    const peak: Measurement = { group: 'sizing', name: PAID_AT_FULL_SPEED, unit: 'per second', samples: [1500] }
    const { rates } = new SizingFigures(withMeasurements(peak))
    assert.deepEqual(
      rates.map(({ services }) => services),
      [1, 2],
    )
  })

  test('prints a column for each rate', () => {
    const [head = '', ...rows] = ratesTable(sampleResults).split('\n')
    assert.match(head, /^\| Invoices a second \| 10 \| 1,000 \|$/)
    assert.ok(rows.some((row) => /Processor, created only .* 0.0071 cores, main thread 0.0032 /.test(row)))
  })

  test('prints five lines', () => {
    const lines = fiveLines(sampleResults).split('\n')
    assert.equal(lines.length, 5)
    assert.match(lines[0] ?? '', /creates 21,000 signed, durable invoices a second/)
    assert.match(lines[3] ?? '', /takes 1,900 bytes: 700 bytes for ever/)
  })

  test('says what TLS and backups cost, from their rates and those without', () => {
    const [tls = '', backup = ''] = workTable(sampleResults).split('\n').slice(2)
    assert.match(tls, /creates 17,000 invoices a second over HTTPS where it creates 21,000 without \(80 %\)/)
    assert.match(backup, /90 % of the creations remain \(7,200 instead of 8,000 a second\); each takes 1.5 s/)
    assert.match(backup, /grew from 265 MiB to 925 MiB/)
  })

  test('says the speed of a service in a sentence', () => {
    assert.match(speedLines(sampleResults), /^About 21,000 signed, durable invoices a second on 2 cores .* 0.8 of what/)
  })

  test('knows how long records are kept by default', () => {
    const [, setting] = settingEntries.find(([name]) => name === 'keepDays') ?? assert.fail()
    assert.equal(Number(setting.about.fallback), KEPT_DAYS)
  })

  test('says what was not measured', () => {
    const nothing: Results = { ...sampleResults, measurements: [], parameters: {} }
    for (const text of [fiveLines, ratesTable, diskTable, modelTable, workTable, speedLines].map((print) =>
      print(nothing),
    )) {
      assert.doesNotMatch(text, /NaN|Infinity|undefined/)
    }
    assert.match(diskTable(nothing), /\| not measured \|/)
  })

  test('has names for its figures that differ', () => {
    const names = [
      ...Object.values(DISK),
      sizingName('created', 'p50'),
      sizingName('created, paid and notified', 'p50'),
    ]
    assert.equal(new Set(names).size, names.length)
  })
})

describe('the limit of creations', () => {
  const named = (name: string) => sampleResults.measurements.filter((one) => one.name === name)

  test('is the best repetition of the slowest step', () => {
    assert.deepEqual(creationLimit(sampleResults.measurements), { name: 'verification with key tables', value: 62_500 })
  })

  test('tells what passed it in any repetition', () => {
    const limit = { name: 'a limit', value: 21_000 }
    assert.deepEqual(aboveLimit(named('Billhook'), limit), ['Billhook'])
    assert.deepEqual(aboveLimit(named('Billhook'), { ...limit, value: 21_600 }), [])
    assert.deepEqual(aboveLimit(named('Billhook'), null), [])
  })
})
