import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Sample } from '../support/exposition.js'
import { evaluate, type Scrape } from '../support/promql-evaluator.js'

const MINUTE_MS = 60_000

function sample(name: string, value: number, labels: Sample['labels'] = {}): Sample {
  return { name, labels, value }
}

/** A counter `c` of 0, 6, 12, 3 and a gauge `g` with two labels, a minute apart. */
const SCRAPES: readonly Scrape[] = [0, 6, 12, 3].map((count, n) => ({
  atMs: n * MINUTE_MS,
  samples: [
    sample('c', count, { at: 'one' }),
    sample('g', n, { at: 'one', kind: 'x' }),
    sample('g', 10 - n, { at: 'two', kind: 'y' }),
    sample('b_bucket', 4, { le: '1' }),
    sample('b_bucket', 10, { le: '2' }),
    sample('b_bucket', 10, { le: '+Inf' }),
  ],
}))

describe('an expression of an alert', () => {
  const cases: readonly (readonly [expression: string, values: readonly number[]])[] = [
    ['g', [3, 7]],
    ['g > 3', [7]],
    ['g{kind="x"}', [3]],
    ['g{kind!="x"}', [7]],
    ['g{kind=~"x|z"}', [3]],
    ['g{kind!~"x|z"}', [7]],
    ['g offset 2m', [1, 9]],
    ['increase(c[5m])', [15]],
    ['increase(c[1m])', [3]],
    ['rate(c[5m]) * 60', [5]],
    ['delta(g{kind="x"}[2m])', [2]],
    ['min_over_time(g[5m])', [0, 7]],
    ['max_over_time(g[5m]) - g', [0, 3]],
    ['sum by (at) (g)', [3, 7]],
    ['sum(g)', [10]],
    ['g > 3 and on (at) c', []],
    ['g < 4 and on (at) c', [3]],
    ['g unless on (at) c', [7]],
    ['c or g', [3, 3, 7]],
    ['absent(nothing)', [1]],
    ['absent(c)', []],
    ['time() - g', [177, 173]],
    ['2 * (g + 1) / 2 == 4', [4]],
    ['histogram_quantile(0.7, b_bucket)', [1.5]],
    ['g > 9 or g == 3 and g < 4', [3]],
  ]
  for (const [expression, values] of cases) {
    test(expression, () => {
      const found = evaluate(expression, SCRAPES, 3 * MINUTE_MS)
      assert.deepEqual(
        found.map(({ value }) => value),
        values,
      )
    })
  }

  test('knows no value that is older than five minutes', () => {
    assert.equal(evaluate('c', SCRAPES, 8 * MINUTE_MS).length, 1)
    assert.equal(evaluate('c', SCRAPES, 8 * MINUTE_MS + 1).length, 0)
  })

  test('is refused where it is not understood', () => {
    for (const wrong of ['c[', 'c)', 'median(c)', 'c ? 1']) assert.throws(() => evaluate(wrong, SCRAPES, 0), /./, wrong)
  })
})
