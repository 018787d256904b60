import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  agreements,
  type ClockVerdict,
  judgeClock,
  median,
  offsetText,
  readingOf,
  readingText,
  type Span,
} from '../../src/domain/clock-offset.js'

const ALWAYS = Number.POSITIVE_INFINITY

/** Witnesses A, B, C … by the seconds between which each sees the offset. The middle is likely, or the finite end. */
function told(...spans: readonly (readonly [number, number])[]) {
  return spans.map(([from, to], i) => {
    const offset: Span = { from: from * 1000, to: to * 1000 }
    const middle = (offset.from + offset.to) / 2
    const likelyMs = Number.isFinite(middle) ? middle : Number.isFinite(offset.to) ? offset.to : offset.from
    return { witness: String.fromCharCode(65 + i), offset, likelyMs }
  })
}

function shown(verdict: ClockVerdict): string {
  if (verdict.kind === 'unknown') return 'unknown'
  const names = verdict.witnesses.join('')
  return verdict.kind === 'disputed' ? `disputed ${names}` : `${verdict.kind} ${verdict.offsetMs / 1000} ${names}`
}

describe('the judgement of the clock', () => {
  const cases: readonly (readonly [string, ReturnType<typeof told>, string])[] = [
    ['nobody says anything', told(), 'unknown'],
    ['the only one sees it right', told([-0.4, 0.6]), 'right 0 A'],
    ['the only one sees it a little fast', told([0.8, 1.6]), 'right 1.2 A'],
    ['the only one sees it 60 s fast', told([59.5, 60.5]), 'off 60 A'],
    ['the only one sees it 60 s slow', told([-60.5, -59.5]), 'off -60 A'],
    ['a block is from the future', told([-ALWAYS, -58]), 'off -58 A'],
    ['a bound just beyond the limit', told([2.001, 3]), 'off 2.5005 A'],
    ['a bound at the limit', told([2, 3]), 'right 2.5 A'],
    ['an old message proves nothing', told([-ALWAYS, 60]), 'right 0 A'],
    ['a wide one and a close one agree on 3 s', told([-7, 5], [2.5, 3.5]), 'off 2.5 AB'],
    ['one against two', told([-3600.5, -3599.5], [-0.5, 0.5], [-10, 2]), 'right 0 BC'],
    ['two against one', told([59, 60], [59.5, 61], [-0.5, 0.5]), 'off 59.875 AB'],
    ['one against one', told([59, 60], [-0.5, 0.5]), 'disputed BA'],
    ['one against one, and one who knows only one side', told([59, 60], [-0.5, 0.5], [-ALWAYS, 70]), 'disputed BCAC'],
    ['two see it fast, and differ in how much: the less counts', told([59, 60], [100, 101]), 'off 59.5 AB'],
    ['two see it slow, and differ in how much: the less counts', told([-60, -59], [-101, -100]), 'off -59.5 BA'],
    ['one sees it fast and one slow', told([59, 60], [-60, -59]), 'disputed BA'],
  ]
  for (const [what, testimonies, expected] of cases) {
    test(what, () => assert.equal(shown(judgeClock(testimonies, null)), expected))
  }

  const merchants: readonly (readonly [string, ReturnType<typeof told>, Span, string])[] = [
    ['never speak alone', told(), { from: 59_000, to: 61_000 }, 'unknown'],
    ['say nothing against a witness who sees it right', told([-0.5, 0.5]), { from: 59_000, to: 61_000 }, 'right 0 A'],
    ['say nothing against a witness who sees it off', told([59, 60]), { from: -1000, to: 1000 }, 'off 59.5 A'],
    ['do not outvote', told([59, 60], [59, 60], [-0.5, 0.5]), { from: -1000, to: 1000 }, 'off 59.5 AB'],
    ['decide for one of two', told([59, 60], [-0.5, 0.5]), { from: 58_000, to: 60_000 }, 'off 59.5 A'],
    ['decide for the other', told([59, 60], [-0.5, 0.5]), { from: -1000, to: 1000 }, 'right 0 B'],
    ['decide for neither', told([59, 60], [-0.5, 0.5]), { from: 30_000, to: 32_000 }, 'disputed BA'],
    [
      'decide nothing where two of three fit',
      told([59, 60], [-0.5, 0.5], [200, 201]),
      { from: 58_000, to: 201_000 },
      'disputed BAC',
    ],
    ['decide nothing by an answer that fits both', told([59, 60], [-0.5, 0.5]), { from: 0, to: 60_000 }, 'disputed BA'],
  ]
  for (const [what, testimonies, span, expected] of merchants) {
    test(`merchants ${what}`, () => assert.equal(shown(judgeClock(testimonies, span)), expected))
  }

  test('a limit that is lower makes it off sooner', () => {
    assert.equal(judgeClock(told([1.2, 1.9]), null).kind, 'right')
    assert.equal(judgeClock(told([1.2, 1.9]), null, 1000).kind, 'off')
  })

  test('agreements are the same in any order of the witnesses', () => {
    const all = told([-0.5, 0.5], [0.2, 0.9], [59, 60])
    const spans = [all, all.toReversed()].map((some) => agreements(some).map(({ span }) => span))
    assert.deepEqual(spans[0], [{ from: 200, to: 500 }])
    assert.deepEqual(spans[1], spans[0])
  })
})

describe('the words for an offset', () => {
  const words: readonly (readonly [number, string])[] = [
    [0, 'right'],
    [49, 'right'],
    [50, '0.1 s fast'],
    [-500, '0.5 s slow'],
    [3000, '3 s fast'],
    [3_600_200, '3600 s fast'],
    [-61_234, '61.2 s slow'],
    [-99_960, '100 s slow'],
  ]
  for (const [ms, expected] of words) test(expected, () => assert.equal(offsetText(ms), expected))

  test('those who say it are named once', () => {
    const verdict = judgeClock(told([59, 60]), null)
    const twice = verdict.kind === 'off' ? { ...verdict, witnesses: ['A', 'A', 'B'] } : verdict
    assert.equal(readingText(readingOf(twice)), '59.5 s fast, by A, B')
    assert.match(readingText(readingOf({ kind: 'unknown' })), /^not known/)
  })
})

test('the median', () => {
  assert.equal(median([3]), 3)
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([4, 2]), 3)
})
