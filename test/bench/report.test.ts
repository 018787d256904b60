import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CONSTANT, VERIFY_WITH_TABLES } from '../../bench/names.js'
import { drawn, terminalTable, writeReport } from '../../bench/report.js'
import { CHARTED, chart } from '../../bench/report-parts/charts.js'
import { plain } from '../../bench/report-parts/markdown.js'
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

function headings(page: string): string[] {
  return matches(page, /^## (.*)$/gm)
}

describe('the page of a report', () => {
  const page = reportPage(sampleResults)

  test('opens with the sizing, then the targets, then the details', () => {
    assert.deepEqual(headings(page).slice(0, 3), ['In five lines', 'Targets', 'Measurements'])
    const lines = /## In five lines\n\n([\s\S]*?)\n\n## Targets/.exec(page)?.[1]?.split('\n') ?? []
    assert.deepEqual(
      lines.map((line) => line.slice(0, 5)),
      [1, 2, 3, 4, 5].map((n) => `${n}. **`),
    )
  })

  test('shows every measurement, target, version, parameter and reason', () => {
    const { measurements, targets, skipped, machine, parameters } = sampleResults
    const names = [...measurements.map(({ name }) => name), ...targets.map(({ what }) => what), ...skipped]
    const facts = [...Object.keys(machine.versions), ...Object.values(machine.versions), ...Object.keys(parameters)]
    for (const text of [...names, ...facts, machine.cpu, machine.os, machine.node]) {
      assert.ok(page.includes(plain(text)), text)
    }
  })

  test('shows all charts that are drawn beside it, and links to nothing else', () => {
    const linked = matches(page, /\]\(([^)]+)\)/g)
    assert.deepEqual(
      linked,
      [...drawn(sampleResults).keys()].filter((name) => name !== 'README.md'),
    )
  })

  test('has a column for each rate of invoices', () => {
    assert.match(page, /\| Invoices a second \| 10 \| 1,000 \|\n.*\n\| created, p50 \| 1.2 ms \| 2.1 ms \|/)
  })

  test('has tables whose rows have as many cells as their heads', () => {
    const blocks = page.split('\n\n').filter((block) => block.startsWith('|'))
    assert.ok(blocks.length > CHARTED.length)
    for (const block of blocks) {
      const counts = block.split('\n').map((line) => line.split(/(?<!\\)\|/).length)
      assert.deepEqual(
        counts,
        counts.map(() => counts[0]),
      )
    }
  })

  test('escapes what it is given, wherever it stands', () => {
    const hostile = `<script>"&'|](x)`
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
    assert.doesNotMatch(reportPage(results), /[^\\]<script|[^\\]\]\(x|"[^\\]'|[^\\]&'/)
    assert.ok(reportPage(results).includes(plain(hostile)))
    const svg = chart('throughput', results)
    assert.doesNotMatch(svg, /<script|"&'/)
    assert.match(svg, /&lt;script&gt;&quot;&amp;&#39;/)
  })

  test('says what was not measured when there is nothing', () => {
    const files = [...drawn(nothing).values()]
    assert.equal(files.filter((text) => text.includes('>not measured</text>')).length, CHARTED.length)
    assert.match(files[0] ?? '', /Nothing was measured\./)
    for (const text of files) assert.doesNotMatch(text, /NaN|Infinity|undefined/)
  })

  test('says that a limit was measured wrongly when something is above it', () => {
    const slow = (name: string) =>
      sampleResults.measurements.map((one) => (one.name === name ? { ...one, samples: [20_000] } : one))
    assert.doesNotMatch(page, /Above the limit/)
    assert.match(
      reportPage({ ...sampleResults, measurements: slow(VERIFY_WITH_TABLES) }),
      /Above the limit: Billhook; /,
    )
    assert.match(reportPage({ ...sampleResults, measurements: slow(CONSTANT) }), /Above the limit: GET /)
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
      for (const text of drawn(results).values()) assert.doesNotMatch(text, /NaN|Infinity|undefined/)
      assert.doesNotMatch(terminalTable(results), /NaN|Infinity|undefined/)
    })
  }

  test('warns of a tiny run', () => {
    const results = { ...sampleResults, isTiny: true }
    for (const text of [reportPage(results), terminalTable(results), chart('throughput', results)]) {
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
    const at = ['verdict', 'met', 'Invoices created in a second', '20,900/s', '19,800–21,600', 'Skipped'].map((text) =>
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
    const paths = [...drawn(sampleResults).keys()].map((name) => join(place.path, 'report', name))
    const before = paths.map((path) => readFileSync(path, 'utf8'))
    for (const path of paths) rmSync(path)
    assert.equal(spawnSync(process.execPath, [command, results]).status, 0)
    assert.deepEqual(
      paths.map((path) => readFileSync(path, 'utf8')),
      before,
    )
  })

  test('are not drawn from something else', () => {
    assert.equal(spawnSync(process.execPath, [command]).status, 2)
    const other = fileURLToPath(new URL('../../../package.json', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [command, other], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /does not hold the results of a run/)
    assert.ok(!existsSync(join(other, '..', 'throughput.svg')))
  })

  test('are made of the pieces of a run: with the samples of all, and judged together', () => {
    const piece = (n: number): Results => ({
      ...sampleResults,
      startedAt: `2026-01-0${3 - n}T00:00:00.000Z`,
      parameters: { ...sampleResults.parameters, rounds: n },
      measurements: sampleResults.measurements
        .filter(({ group }) => n === 0 || group === 'throughput')
        .map((one) => ({ ...one, samples: [n + 1] })),
    })
    const pieces = [0, 1].map((n) => {
      writeReport(piece(n), join(place.path, `piece-${n}`))
      return join(place.path, `piece-${n}`, 'results.json')
    })
    const whole = join(place.path, 'whole')
    assert.equal(spawnSync(process.execPath, [command, '--merge', whole, ...pieces]).status, 0)
    const merged = readResults(join(whole, 'results.json'))
    assert.equal(merged.startedAt, '2026-01-02T00:00:00.000Z')
    assert.equal(merged.durationSeconds, 2 * sampleResults.durationSeconds)
    assert.equal(merged.parameters['rounds'], undefined)
    assert.deepEqual(merged.measurements.find(({ name }) => name === 'Billhook')?.samples, [1, 2])
    assert.deepEqual(merged.measurements.find(({ name }) => name === 'p99')?.samples, [1])
    const ratio = merged.targets.find(({ what }) => what === 'signed, durable creations ÷ the ordinary stack')
    assert.deepEqual([ratio?.value, ratio?.verdict], [1, 'missed'])
  })

  test('are not made of runs of different commits', () => {
    const other = { ...sampleResults, machine: { ...sampleResults.machine, commit: 'another' } }
    writeReport(other, join(place.path, 'other'))
    const paths = ['report', 'other'].map((name) => join(place.path, name, 'results.json'))
    const { status, stderr } = spawnSync(process.execPath, [command, '--merge', place.path, ...paths], {
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, /the results differ in commit: 0123456789ab\+ and another/)
  })
})
