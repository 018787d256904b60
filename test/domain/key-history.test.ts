import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isExplained, type KeyChange, type KeyGap, STATES_MAX, spansOfGap } from '../../src/domain/key-gap.js'
import {
  exactSpan,
  isWellFormed,
  type KeySpan,
  keySet,
  newestSpans,
  SPANS_MAX,
  spanAt,
  standingOfSigners,
  withSpans,
} from '../../src/domain/key-history.js'

/** Keys are single letters here, sets of them words. */
const set = (word: string) => keySet(word)

/** `5 A>BC`: at place 5, A has signed a transaction that names B and C; `5 A>BC!`: by a contract that replaces keys. */
function change(text: string): KeyChange {
  const [, place = '', signers = '', named = ''] = /^(\d+) (\w*)>(\w+)!?$/.exec(text) ?? []
  return { place: Number(place), signers: set(signers), named: set(named), isReplacement: text.endsWith('!') }
}

interface Scenario {
  readonly what: string
  /** Null when they are not known. */
  readonly before: string | null
  readonly after: string
  readonly changes: readonly string[]
  /** Where a contract ran that may have replaced keys; where there are changes if absent. */
  readonly opaque?: readonly [number, number]
  readonly hasNamed?: boolean
  /** For places 1 to 9, who was certainly an authority; behind a stroke who may have been one as well. */
  readonly spans: readonly string[]
}

function gapOf({ before, after, changes, opaque, hasNamed }: Scenario): KeyGap {
  const parsed = changes.map(change)
  const places = parsed.map(({ place }) => place)
  const [first, last] = opaque ?? (places.length === 0 ? [] : [Math.min(...places), Math.max(...places)])
  return {
    before: before === null ? null : set(before),
    from: 1,
    after: set(after),
    to: 9,
    changes: parsed,
    possible: keySet([...(before ?? ''), ...parsed.flatMap(({ named }) => named)]),
    opaque: first === undefined || last === undefined ? null : { first, last },
    hasNamed: hasNamed ?? changes.length > 0,
  }
}

function shown({ from, to, certain, possible }: KeySpan): string {
  const open = possible.filter((key) => !certain.includes(key)).join('')
  return `${from}-${to} ${certain.join('')}${open === '' ? '' : `|${open}`}`
}

const SCENARIOS: readonly Scenario[] = [
  { what: 'nothing happened', before: 'A', after: 'A', changes: [], spans: ['1-9 A'] },
  {
    what: 'a contract ran that names no key',
    before: 'A',
    after: 'A',
    changes: [],
    opaque: [3, 6],
    spans: ['1-9 A'],
  },
  { what: 'a key is replaced', before: 'A', after: 'B', changes: ['4 A>B'], spans: ['1-4 A', '5-9 B'] },
  {
    what: 'a key is replaced twice: the one between counts from the first to the second',
    before: 'A',
    after: 'C',
    changes: ['3 A>B', '6 B>C'],
    spans: ['1-3 A', '4-6 B', '7-9 C'],
  },
  {
    what: 'a key comes back: it does not count in between',
    before: 'A',
    after: 'A',
    changes: ['3 A>B', '6 B>A'],
    // Or nothing was replaced, and the second was never valid: nobody can tell who spoke in between.
    spans: ['1-3 A', '4-6 |AB', '7-9 A'],
  },
  {
    what: 'the old key names a key afterwards: it was no authority any more',
    before: 'A',
    after: 'B',
    changes: ['3 A>B', '6 A>X'],
    spans: ['1-3 A', '4-9 B'],
  },
  {
    what: 'keys that are only mentioned',
    before: 'A',
    after: 'B',
    changes: ['2 A>X', '5 A>B'],
    spans: ['1-2 A', '3-5 A|X', '6-9 B'],
  },
  {
    what: 'the old and the new key are both named',
    before: 'A',
    after: 'B',
    changes: ['4 A>AB'],
    spans: ['1-4 A', '5-9 B'],
  },
  { what: 'a key is added', before: 'A', after: 'AB', changes: ['4 A>B'], spans: ['1-4 A', '5-9 AB'] },
  { what: 'a key is removed', before: 'AB', after: 'B', changes: ['4 B>A'], spans: ['1-4 AB', '5-9 B'] },
  { what: 'one of two is exchanged', before: 'AB', after: 'BC', changes: ['4 A>C'], spans: ['1-4 AB', '5-9 BC'] },
  {
    what: 'two sign together',
    before: 'AB',
    after: 'C',
    changes: ['4 AB>C'],
    spans: ['1-4 AB', '5-9 C'],
  },
  {
    what: 'a thief names a key beforehand and lets it name the new one afterwards: neither is certain',
    before: 'A',
    after: 'B',
    changes: ['2 A>T', '4 A>B', '7 T>B'],
    spans: ['1-2 A', '3-4 |AT', '5-7 |BT', '8-9 B'],
  },
  {
    what: 'a replaced key has the keys replaced without a signature of theirs: it counts no more than before',
    before: 'A',
    after: 'T',
    changes: ['2 A>B', '4 B>C', '7 A>T'],
    spans: ['1-2 A', '3-4 |AB', '5-7 |ABC', '8-9 T'],
  },
  {
    what: 'an old replacement is played back: the key between may have been replaced since',
    before: 'A',
    after: 'B',
    changes: ['2 A>B', '4 B>C', '7 A>B'],
    spans: ['1-2 A', '3-4 |AB', '5-7 |ABC', '8-9 B'],
  },
  {
    what: 'a replaced key has a key added without a signature of theirs: it counts no more than before',
    before: 'A',
    after: 'BT',
    changes: ['2 A>B', '7 A>T'],
    spans: ['1-2 A', '3-7 B|A', '8-9 BT'],
  },
  {
    what: 'keys are added one after the other',
    before: 'A',
    after: 'ABC',
    changes: ['3 A>B', '6 A>C'],
    spans: ['1-3 A', '4-6 B|A', '7-9 ABC'],
  },
  {
    what: 'a key comes back, by a contract that is known to replace keys',
    before: 'A',
    after: 'A',
    changes: ['3 A>B!', '6 B>A!'],
    spans: ['1-3 A', '4-6 B', '7-9 A'],
  },
  {
    what: 'a replaced key names the present one afterwards, by a contract that is known to replace keys',
    before: 'A',
    after: 'C',
    changes: ['2 A>B!', '4 B>C!', '7 A>C!'],
    spans: ['1-2 A', '3-4 B', '5-9 C'],
  },
  {
    what: 'keys are replaced by nothing that they have signed: open from the first to the last that may have done it',
    before: 'A',
    after: 'X',
    changes: [],
    opaque: [3, 6],
    hasNamed: true,
    spans: ['1-3 A', '4-6 |AX', '7-9 X'],
  },
  {
    what: 'what both sides have is certain all the time',
    before: 'AB',
    after: 'BX',
    changes: [],
    opaque: [3, 6],
    hasNamed: true,
    spans: ['1-3 AB', '4-6 B|AX', '7-9 BX'],
  },
  {
    what: 'keys change, and no transaction is known that may have done it',
    before: 'A',
    after: 'X',
    changes: [],
    spans: ['1-1 A', '2-8 |AX', '9-9 X'],
  },
  {
    what: 'it is not known who began, and nothing names keys',
    before: null,
    after: 'A',
    changes: [],
    opaque: [3, 6],
    hasNamed: false,
    spans: ['1-9 A'],
  },
  {
    what: 'it is not known who began, and something names keys: open up to there',
    before: null,
    after: 'A',
    changes: [],
    opaque: [3, 6],
    hasNamed: true,
    spans: ['1-6 |A', '7-9 A'],
  },
]

describe('who spoke at which place', () => {
  for (const scenario of SCENARIOS) {
    test(scenario.what, () => {
      const spans = withSpans([], spansOfGap(gapOf(scenario)))
      assert.deepEqual(spans.map(shown), scenario.spans)
      assert.ok(isWellFormed({ spans, length: 9, head: '' }))
      // Every place has one span.
      assert.equal(
        spans.reduce((sum, { from, to }) => sum + to - from + 1, 0),
        9,
      )
    })
  }

  test('is open when there are more ways than are told apart', () => {
    const spansOf = (count: number) => {
      const changes = Array.from({ length: count }, (_, i) => {
        return { place: i + 1, named: keySet(['A', `k${i}`]), signers: set('A'), isReplacement: false }
      })
      const gap = { before: set('A'), from: 1, after: [`k${count - 1}`], to: 100, changes, hasNamed: true }
      const possible = keySet(['A', ...changes.flatMap(({ named }) => named)])
      return spansOfGap({ ...gap, possible, opaque: { first: 1, last: count } })
    }
    assert.deepEqual(spanAt(spansOf(10), 5)?.certain, ['A'])
    assert.deepEqual(spanAt(spansOf(STATES_MAX), 5)?.certain, [])
  })

  test('is open when more keys are named than can be tried', () => {
    const gap = { before: set('A'), from: 1, after: set('B'), to: 9, changes: null, possible: set('ABCD') }
    const spans = spansOfGap({ ...gap, opaque: { first: 3, last: 6 }, hasNamed: true })
    assert.deepEqual(spans.map(shown), ['1-3 A', '4-6 |ABCD', '7-9 B'])
  })

  test('may be explained by signatures or not', () => {
    assert.equal(isExplained(set('A'), set('B'), [change('1 A>B')]), true)
    assert.equal(isExplained(set('A'), set('B'), [change('1 X>B')]), false)
    assert.equal(isExplained(set('A'), set('B'), [change('1 >B')]), false)
    assert.equal(isExplained(set('A'), set('A'), []), true)
  })
})

describe('a transaction at a place', () => {
  const span: KeySpan = { from: 1, to: 1, certain: set('A'), possible: set('AB') }
  for (const [signers, standing] of [
    ['', 'rejected'],
    ['A', 'counts'],
    ['B', 'open'],
    ['AB', 'open'],
    ['X', 'rejected'],
    ['AX', 'rejected'],
  ] as const) {
    test(`signed by ${signers === '' ? 'nobody' : signers} ${standing === 'open' ? 'is open' : standing}`, () =>
      assert.equal(standingOfSigners(span, set(signers)), standing))
  }
})

describe('spans', () => {
  test('are added where nothing was known, and what was known stays', () => {
    const known = [exactSpan(3, 5, set('A'))]
    assert.deepEqual(withSpans(known, [exactSpan(1, 9, set('B'))]).map(shown), ['1-2 B', '3-5 A', '6-9 B'])
    assert.deepEqual(withSpans(known, [exactSpan(4, 4, set('B'))]), known)
    assert.deepEqual(withSpans(known, [exactSpan(6, 9, set('A'))]).map(shown), ['3-9 A'])
  })

  test('are kept up to a number, the newest', () => {
    const many = Array.from({ length: SPANS_MAX + 10 }, (_, i) => exactSpan(2 * i, 2 * i, set('A')))
    const kept = newestSpans(withSpans([], many))
    assert.equal(kept.length, SPANS_MAX)
    assert.equal(kept.at(-1)?.to, many.at(-1)?.to)
  })

  for (const [what, spans, length] of [
    ['overlap', [exactSpan(1, 3, []), exactSpan(3, 4, [])], 9],
    ['begin behind their end', [exactSpan(3, 1, [])], 9],
    ['end behind the last transaction', [exactSpan(1, 10, [])], 9],
    ['have certain keys that are not possible', [{ from: 1, to: 1, certain: ['A'], possible: [] }], 9],
  ] as const) {
    test(`that ${what} are no history`, () => assert.equal(isWellFormed({ spans, length, head: '' }), false))
  }
})
