import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { terminalTable, writeReport } from '../../bench/report.js'
import { throughputChart } from '../../bench/report-parts/charts.js'
import { reportPage } from '../../bench/report-parts/report-page.js'
import { readResults } from '../../bench/report-parts/results-file.js'
import { targetWords } from '../../bench/report-parts/target-words.js'
import type { Measurement, Results, TargetOutcome } from '../../bench/results.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { sampleResults } from './sample-results.js'

const place = temporaryDirectory()
after(() => place.remove())

const nothing: Results = { ...sampleResults, measurements: [], targets: [], skipped: [], parameters: {} }

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

describe('the page of a report', () => {
  const page = reportPage(sampleResults)

  test('needs nothing from elsewhere and runs nothing', () => {
    const content = page.replaceAll(/ xmlns(:xlink)?="[^"]*"/g, '')
    assert.doesNotMatch(content, /<script|https?:\/\/|src=|href=|url\(|@import|<link|<iframe|\son[a-z]+=/i)
    assert.match(page, /prefers-color-scheme:dark/)
  })

  test('shows every measurement, target, version, parameter and reason', () => {
    const { measurements, targets, skipped, machine, parameters } = sampleResults
    const names = [
      ...measurements.map(({ name }) => name),
      ...targets.flatMap(({ what, from }) => [what, from]),
      ...skipped,
    ]
    const facts = [...Object.keys(machine.versions), ...Object.values(machine.versions), ...Object.keys(parameters)]
    for (const text of [...names, ...facts, machine.cpu, machine.os, machine.node]) {
      assert.ok(page.includes(text), text)
    }
  })

  test('has five charts, each with a title', () => {
    assert.equal(matches(page, /<svg role="img" aria-label="([^"]+)" /g).length, 5)
  })

  test('escapes what it is given, wherever it stands', () => {
    const hostile = `<script>"&'`
    const measurements = sampleResults.measurements.map((one) => ({ ...one, name: hostile, note: hostile }))
    const targets = sampleResults.targets.map((one) => ({ ...one, what: hostile, from: hostile }))
    const { versions: _, ...machine } = sampleResults.machine
    const results: Results = {
      ...sampleResults,
      measurements,
      targets,
      skipped: [hostile],
      parameters: { [hostile]: 1 },
      machine: { ...machine, cpu: hostile, os: hostile, commit: hostile, versions: { [hostile]: hostile } },
    }
    for (const text of [reportPage(results), throughputChart(results)]) {
      assert.doesNotMatch(text, /<script|"&'/)
      assert.match(text, /&lt;script&gt;&quot;&amp;&#39;/)
    }
  })

  test('says what was not measured when there is nothing', () => {
    const empty = reportPage(nothing)
    assert.equal(matches(empty, />(not measured)<\/text>/g).length, 5)
    assert.match(empty, /Nothing was measured\./)
    assert.doesNotMatch(empty, /NaN|Infinity|undefined/)
  })

  const { measurements: all } = sampleResults
  const withSamples = (samples: (one: Measurement) => readonly number[]) =>
    all.map((one) => ({ ...one, samples: samples(one) }))
  for (const missing of new Set(all.map(({ group }) => group))) {
    test(`is printed without broken figures when there is no ${missing}`, () => {
      const measurements = all.filter(({ group }) => group !== missing)
      assert.doesNotMatch(terminalTable({ ...sampleResults, measurements }), /NaN|Infinity|undefined/)
    })
  }

  const variants: readonly (readonly [name: string, measurements: readonly Measurement[]])[] = [
    ['without samples', withSamples(() => [])],
    ['without finite samples', withSamples(() => [Number.NaN, Number.POSITIVE_INFINITY])],
    ['with a single sample each', withSamples(({ samples }) => samples.slice(0, 1))],
    ['with zeros alone', withSamples(() => [0])],
  ]
  for (const [name, measurements] of variants) {
    test(`has no broken figure ${name}`, () => {
      const results = { ...sampleResults, measurements }
      assert.doesNotMatch(reportPage(results), /NaN|Infinity|undefined/)
      assert.doesNotMatch(terminalTable(results), /NaN|Infinity|undefined/)
    })
  }

  test('warns of a tiny run', () => {
    const results = { ...sampleResults, isTiny: true }
    for (const text of [reportPage(results), terminalTable(results), throughputChart(results)]) {
      assert.match(text, /figures mean nothing/)
    }
  })
})

describe('targets in words', () => {
  const outcome: TargetOutcome = {
    what: 'a ratio',
    value: 0.8,
    sense: 'at least',
    target: 0.75,
    floor: 0.6,
    unit: '',
    verdict: 'met',
    from: 'two figures',
  }
  const rows: [Partial<TargetOutcome>, Partial<ReturnType<typeof targetWords>>][] = [
    [{}, { value: '0.8', target: 'at least 0.75', floor: '0.6', verdict: 'met' }],
    [
      { value: 0.7496, verdict: 'floor holds' },
      { value: '0.7496', verdict: 'missed, floor holds' },
    ],
    [
      { value: 0.59999, verdict: 'missed' },
      { value: '0.59999', verdict: 'missed, floor too' },
    ],
    [
      { value: Number.NaN, verdict: 'not measured' },
      { value: 'not measured', verdict: 'not measured' },
    ],
    [
      { sense: 'at most', unit: 'ms', value: 10.04, target: 10, floor: 20 },
      { value: '10.04 ms', target: 'at most 10 ms' },
    ],
    [
      { unit: 'per second', value: 5_612.3, target: 5_000, floor: 2_500 },
      { value: '5,612/s', floor: '2,500/s' },
    ],
    [{ unit: 'per second', value: 4_999.6, target: 5_000, floor: 2_500 }, { value: '4,999.6/s' }],
    [
      { unit: 's', value: 0.3, target: 0.3, floor: 0.5 },
      { value: '0.3 s', floor: '0.5 s' },
    ],
    [{ unit: 'MiB', value: 96.42, target: 120, floor: 150 }, { value: '96.4 MiB' }],
  ]
  for (const [given, expected] of rows) {
    test(`${expected.value}: ${expected.verdict ?? expected.target ?? expected.floor ?? 'value'}`, () => {
      assert.deepEqual({ ...targetWords({ ...outcome, ...given }), ...expected }, targetWords({ ...outcome, ...given }))
    })
  }
})

describe('the table in the terminal', () => {
  test('has the targets first, then the measurements with median and spread', () => {
    const table = terminalTable(sampleResults)
    const at = ['verdict', 'met', 'Signed, durable creations', '20,900/s', '19,800–21,600', 'Skipped'].map((text) =>
      table.indexOf(text),
    )
    assert.ok(!at.includes(-1))
    assert.deepEqual(
      at,
      at.toSorted((a, b) => a - b),
    )
  })

  test('says once how several figures were measured', () => {
    const one = { group: 'latency', name: 'p50', unit: 'ms', samples: [1], note: 'paced' } as const
    const notes = (...measurements: Measurement[]) =>
      matches(terminalTable({ ...nothing, measurements }), /(unpaced|paced)/g)
    assert.deepEqual(notes(one, { ...one, name: 'p99' }), ['paced'])
    assert.deepEqual(notes(one, { ...one, x: 2 }, { ...one, name: 'p99', note: 'unpaced' }), ['paced', 'unpaced'])
    assert.equal(notes(one, { ...one, name: 'p90', note: 'unpaced' }, { ...one, name: 'p99' }).length, 3)
  })

  test('has colours only for a terminal', () => {
    const colour = String.fromCharCode(27)
    assert.ok(!terminalTable(sampleResults).includes(colour))
    const coloured = terminalTable(sampleResults, true)
    assert.ok(coloured.includes(`${colour}[31m`))
    assert.equal(coloured.replaceAll(new RegExp(`${colour}\\[\\d+m`, 'g'), ''), terminalTable(sampleResults))
  })
})

describe('the files of a report', () => {
  const results = join(place.path, 'report', 'results.json')
  const command = fileURLToPath(new URL('../../bench/report.js', import.meta.url))

  test('are written, and drawn again alike by the command from what was written', () => {
    writeReport(sampleResults, join(place.path, 'report'))
    assert.deepEqual(readResults(results), sampleResults)
    const drawn = ['index.html', 'throughput.svg'].map((name) => join(place.path, 'report', name))
    const before = drawn.map((path) => readFileSync(path, 'utf8'))
    for (const path of drawn) rmSync(path)
    assert.equal(spawnSync(process.execPath, [command, results]).status, 0)
    assert.deepEqual(
      drawn.map((path) => readFileSync(path, 'utf8')),
      before,
    )
  })

  test('are not drawn from something else', () => {
    assert.equal(spawnSync(process.execPath, [command]).status, 2)
    const other = fileURLToPath(new URL('../../../package.json', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [command, other], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /does not hold the results of a run/)
    assert.ok(!existsSync(join(other, '..', 'index.html')))
  })
})
