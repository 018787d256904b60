import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COMMITS, ECHO, VERIFY_WITH_TABLES } from '../../bench/names.js'
import { CHARTED, chart } from '../../bench/report-parts/charts.js'
import type { Measurement, Results } from '../../bench/results.js'
import { sampleResults } from './sample-results.js'

function withBars(figures: Readonly<Record<string, readonly number[]>>, ...others: readonly Measurement[]): Results {
  const measurements = Object.entries(figures).map(
    ([name, samples]): Measurement => ({ group: 'throughput', name, unit: 'per second', samples }),
  )
  return { ...sampleResults, measurements: [...measurements, ...others] }
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

/** Each bar: a path from its left edge upwards, along its length, and back. */
function bars(svg: string): { end: number; length: number }[] {
  const paths = svg.matchAll(
    /<path d="M([\d.]+) [\d.]+l([\d.]+) 0l0 [\d.]+l-[\d.]+ 0Z"[^>]* fill="#(?:2563ad|8fb4de|a3abb3)"/g,
  )
  return [...paths].map(([, start, length]) => ({ end: Number(start) + Number(length), length: Number(length) }))
}

function limitLines(svg: string): number[] {
  return matches(svg, /<path d="M([\d.]+) [\d.]+L\1 [\d.]+"[^>]* stroke="#b3510b"/g).map(Number)
}

function whiskers(svg: string): number {
  return matches(svg, /<path d="M[\d.]+ [\d.]+L[^"]*"[^>]*(stroke="#1b1f24")/g).length
}

/** The steps of a creation, each with its repetitions. */
function steps(echo: readonly number[], verification: readonly number[], commits: readonly number[]): Measurement[] {
  const named = { [ECHO]: echo, [VERIFY_WITH_TABLES]: verification, [COMMITS]: commits }
  return Object.entries(named).map(([name, samples]) => ({ group: 'limits', name, unit: 'per second', samples }))
}

function throughputChart(results: Results): string {
  return chart('throughput', results)
}

describe('the chart of contestants', () => {
  test('has bars as long as their medians, from zero', () => {
    const drawn = bars(throughputChart(withBars({ a: [100], b: [40, 50, 60], c: [25] })))
    const [full = 0, half = 0, quarter = 0] = drawn.map(({ length }) => length)
    assert.equal(drawn.length, 3)
    assert.ok(full > 100)
    assert.ok(Math.abs(half - full / 2) <= 0.1, `${half} of ${full}`)
    assert.ok(Math.abs(quarter - full / 4) <= 0.1, `${quarter} of ${full}`)
  })

  test('leaves out contestants without figures, and whiskers where there is one figure', () => {
    const svg = throughputChart(withBars({ a: [1], b: [Number.NaN], c: [1, 2, 3] }))
    assert.equal(bars(svg).length, 2)
    assert.equal(whiskers(svg), 1)
  })

  test('has room for the longest name, in a wide font too', () => {
    const name = 'GET /api/invoices/<id>, of many in turn, over a proxy'
    const svg = throughputChart(withBars({ [name]: [1], b: [2] }))
    const [end] = matches(svg, /<text [^>]*text-anchor="end"[^>]*transform="translate\(([\d.]+) [^>]*>GET /g)
    assert.ok(Number(end) >= 7 * name.length, `${end} px for ${name.length} characters`)
  })

  test('draws the limit where a bar of the best repetition of the slowest step would end', () => {
    const svg = throughputChart(withBars({ Billhook: [55_000] }, ...steps([90_000], [50_000, 55_000], [80_000])))
    const [line] = limitLines(svg)
    assert.ok(Math.abs((line ?? 0) - (bars(svg)[0]?.end ?? 0)) <= 1)
    assert.match(svg, /limit: verification with key tables, 55,000\/s/)
  })

  test('draws a limit that is far beyond the bars', () => {
    const svg = throughputChart(withBars({ Billhook: [10_000] }, ...steps([90_000], [50_000], [80_000])))
    const [line = 0] = limitLines(svg)
    const [bar] = bars(svg)
    const start = (bar?.end ?? 0) - (bar?.length ?? 0)
    assert.ok(Math.abs(line - start - 5 * (bar?.length ?? 0)) <= 1)
  })

  test('draws no limit unless every step of a creation was measured', () => {
    const [echo, ...others] = steps([90_000], [50_000], [80_000])
    assert.ok(echo !== undefined)
    for (const measured of [[], [echo], others]) {
      assert.deepEqual(limitLines(throughputChart(withBars({ Billhook: [20_000] }, ...measured))), [])
    }
  })
})

describe('every chart', () => {
  for (const name of CHARTED) {
    const svg = chart(name, sampleResults)

    test(`${name} is a file of its own: well-formed, and without anything from elsewhere`, () => {
      const open: string[] = []
      for (const [, close = '', tag = '', selfClosed = ''] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gi)) {
        if (close !== '') assert.equal(open.pop(), tag)
        else if (selfClosed === '') open.push(tag)
      }
      assert.deepEqual(open, [])
      assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
      assert.doesNotMatch(svg.replaceAll(/ xmlns(:xlink)?="[^"]*"/g, ''), /https?:|href=|url\(|@import|<script/)
    })

    test(`${name} has a dark colour for each of its light ones`, () => {
      const [, style = ''] = /<style>(.*)<\/style>/.exec(svg) ?? []
      const used = matches(svg.replace(style, ''), / (?:fill|stroke)="(#[^"]+)"/g)
      assert.ok(used.length > 0)
      assert.match(style, /^@media \(prefers-color-scheme:dark\)\{/)
      for (const colour of used) assert.ok(style.includes(`"${colour}"]`), colour)
    })
  }
})

describe('the charts against size', () => {
  test('name each line, and have a place on the axis for each size', () => {
    const history = chart('history', sampleResults)
    for (const text of ['paid status', 'creation of an invoice', '>0<', '>1,000,000<']) {
      assert.ok(history.includes(text), text)
    }
    const batch = chart('batch', sampleResults)
    for (const text of ['LMDB commit', '>1<', '>128<', '>512<']) assert.ok(batch.includes(text), text)
  })
})
