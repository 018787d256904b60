import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { wrapText } from '../../bench/report-parts/chart-text.js'
import { throughputChart } from '../../bench/report-parts/charts.js'
import { firstFree, stack } from '../../bench/report-parts/free-places.js'
import { linearScale, logScale } from '../../bench/report-parts/scale.js'
import type { Measurement, Results } from '../../bench/results.js'
import { sampleResults } from './sample-results.js'

function withBars(figures: Readonly<Record<string, readonly number[]>>): Results {
  const measurements = Object.entries(figures).map(
    ([name, samples]): Measurement => ({ group: 'throughput', name, unit: 'per second', samples }),
  )
  return { ...sampleResults, measurements }
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

function barHeights(svg: string): number[] {
  return matches(svg, /<rect class="bar-[a-z]+"[^>]* height="([\d.]+)"/g).map(Number)
}

describe('the chart of contestants', () => {
  test('has bars as high as their medians, from zero', () => {
    const heights = barHeights(throughputChart(withBars({ a: [100], b: [40, 50, 60], c: [25] }), 'file').toString())
    const [full = 0, half = 0, quarter = 0] = heights
    assert.equal(heights.length, 3)
    assert.ok(full > 100)
    assert.ok(Math.abs(half - full / 2) <= 0.1, `${half} of ${full}`)
    assert.ok(Math.abs(quarter - full / 4) <= 0.1, `${quarter} of ${full}`)
  })

  test('leaves out whom nobody measured, and whiskers where there is one figure', () => {
    const svg = throughputChart(withBars({ a: [1], b: [Number.NaN], c: [1, 2, 3] }), 'file').toString()
    assert.equal(barHeights(svg).length, 2)
    assert.equal(matches(svg, /(class="whisker")/g).length, 1)
  })

  test('draws the limit line as high as a bar of the same value would be', () => {
    const limit = sampleResults.measurements.find(({ name }) => name === 'libsecp256k1 verifications, one thread')
    assert.ok(limit)
    const bars = withBars({ Billhook: [26_700] })
    const svg = throughputChart({ ...bars, measurements: [...bars.measurements, limit] }, 'file').toString()
    const [line] = matches(svg, /class="limit-line"[^>]* y1="([\d.]+)"/g)
    assert.deepEqual(matches(svg, /class="bar-main"[^>]* y="([\d.]+)"/g), [line])
    assert.doesNotMatch(throughputChart(bars, 'file').toString(), /class="limit-line"/)
  })

  test('is a file of its own: well-formed, with its style, and nothing from elsewhere', () => {
    const svg = throughputChart(sampleResults, 'file').toString()
    const open: string[] = []
    for (const [, close = '', name = '', selfClosed = ''] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gi)) {
      if (close !== '') assert.equal(open.pop(), name)
      else if (selfClosed === '') open.push(name)
    }
    assert.deepEqual(open, [])
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.match(svg, /<rect class="background"/)
    assert.doesNotMatch(
      svg.replace(' xmlns="http://www.w3.org/2000/svg"', ''),
      /https?:\/\/|href=|url\(|@import|<script/,
    )
    const [style = ''] = matches(svg, /<style>([^<]*)<\/style>/g)
    assert.doesNotMatch(style, /&/)
  })
})

describe('the parts of charts', () => {
  test('a linear axis runs from zero to a round number', () => {
    for (const [highest, ticks] of [
      [100, [0, 20, 40, 60, 80, 100]],
      [120_500, [0, 25_000, 50_000, 75_000, 100_000, 125_000]],
      [0.3, [0, 0.1, 0.2, 0.3]],
      [0, [0, 1]],
    ] as const) {
      const scale = linearScale(highest, 200, 0)
      assert.deepEqual([scale.ticks, scale.at(0), scale.at(scale.ticks.at(-1) ?? 0)], [ticks, 200, 0])
    }
  })

  test('a logarithmic axis has even steps, and a place for zero', () => {
    for (const [values, base, ticks] of [
      [[1, 8], 2, [1, 2, 4, 8]],
      [[0, 100, 10_000], 10, [0, 100, 1_000, 10_000]],
      [[100], 10, [100, 1_000]],
      [[0], 10, [0, 1]],
    ] as const) {
      const scale = logScale(values, base, 0, 300)
      assert.deepEqual(scale.ticks, ticks)
      const step = 300 / (ticks.length - 1)
      for (const [n, tick] of ticks.entries()) assert.ok(Math.abs(scale.at(tick) - n * step) < 1e-6)
    }
  })

  test('labels keep off each other', () => {
    const at = (top: number) => ({ left: 0, right: 10, top, bottom: top + 10 })
    assert.deepEqual(firstFree([at(5), at(10)], [at(0)]), at(10))
    assert.equal(firstFree([at(5)], [at(0)]), null)
    const blocks = [50, 52, 95].map((wanted) => ({ wanted, height: 20 }))
    assert.deepEqual(stack(blocks, 0, 100), [50, 70, 90])
  })

  test('text is broken between words, and cut when it has no end', () => {
    assert.deepEqual(wrapText('Billhook, one hot wallet', 100, 10, 3), ['Billhook, one', 'hot wallet'])
    assert.deepEqual(wrapText('a b c d', 20, 10, 2), ['a b', 'c d'])
    assert.deepEqual(wrapText('abcdefghij klm', 40, 10, 1), ['abcde…'])
  })
})
