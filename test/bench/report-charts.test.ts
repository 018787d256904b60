import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { charts, throughputChart } from '../../bench/report-parts/charts.js'
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

/** Each bar: a path from its lower edge along its width and up to its upper edge. */
function bars(svg: string): { top: number; height: number }[] {
  const paths = svg.matchAll(/<path d="M[\d.]+ ([\d.]+)l[\d.]+ 0l0 -([\d.]+)l[^"]*" fill="#(?:2563ad|8fb4de|a3abb3)"/g)
  return [...paths].map(([, bottom, height]) => ({ top: Number(bottom) - Number(height), height: Number(height) }))
}

function whiskers(svg: string): number {
  return matches(svg, /<path d="M[\d.]+ [\d.]+L[^"]*"[^>]*(stroke="#1b1f24")/g).length
}

describe('the chart of contestants', () => {
  test('has bars as high as their medians, from zero', () => {
    const drawn = bars(throughputChart(withBars({ a: [100], b: [40, 50, 60], c: [25] })))
    const [full = 0, half = 0, quarter = 0] = drawn.map(({ height }) => height)
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

  test('draws the limit line as high as a bar of the same value would be', () => {
    const limit = sampleResults.measurements.find(({ name }) => name === 'libsecp256k1 verifications, one thread')
    assert.ok(limit)
    const svg = throughputChart(withBars({ Billhook: [26_700] }, limit))
    const [line] = matches(svg, /<path d="M[\d.]+ ([\d.]+)L[\d.]+ \1"[^>]* stroke="#b3510b"/g).map(Number)
    assert.ok(Math.abs((line ?? 0) - (bars(svg)[0]?.top ?? 0)) <= 1)
    assert.doesNotMatch(throughputChart(withBars({ Billhook: [26_700] })), /#b3510b/)
  })

  test('is a file of its own: well-formed, and without anything from elsewhere', () => {
    const svg = throughputChart(sampleResults)
    const open: string[] = []
    for (const [, close = '', name = '', selfClosed = ''] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gi)) {
      if (close !== '') assert.equal(open.pop(), name)
      else if (selfClosed === '') open.push(name)
    }
    assert.deepEqual(open, [])
    assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.doesNotMatch(svg.replaceAll(/ xmlns(:xlink)?="[^"]*"/g, ''), /https?:|href=|url\(|@import|<script|<style/)
  })
})

describe('the charts against size', () => {
  test('name each line, and have a place on the axis for each size', () => {
    const [, , , history = '', batch = ''] = charts(sampleResults)
    for (const text of ['paid status', 'paid status, store only', '>0<', '>1,000,000<']) {
      assert.ok(history.includes(text), text)
    }
    for (const text of ['LMDB commit', '>1<', '>128<', '>512<']) assert.ok(batch.includes(text), text)
  })
})
