import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { BOUNDLESS, chooseInvoice, settleBefore, UNSETTLED } from '../../../src/store/rules/match-deposit.js'
import { CandidateList, chosenOf, type Listed, searchOf } from '../../support/candidate-list.js'

/** `amount` asked, `u`npaid or `p`aid, and `m` when a deposit has matched it; the names sort by age. */
function candidates(texts: Readonly<Record<string, string>>): readonly Listed[] {
  return Object.entries(texts).map(([id, text]) => ({
    id,
    amount: BigInt(Number.parseInt(text, 10)),
    isUnpaid: text.includes('u'),
    isMatched: text.includes('m'),
  }))
}

describe('the invoice that a deposit of 5 is matched to, of those that can be notified (decisions 6)', () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, string | null])[] = [
    ['there is none without candidates', {}, null],
    ['the only unpaid one', { a: '9u' }, 'a'],
    ['the only one, though paid and matched', { a: '9pm' }, 'a'],
    ['the one that asks the amount', { a: '9u', b: '5u', c: '7u' }, 'b'],
    ['the newest of those that ask the amount', { a: '5u', b: '5u', c: '7u' }, 'b'],
    ['one that asks the amount before an older unpaid one', { a: '9u', b: '5u' }, 'b'],
    ['one that asks the amount though it is paid by what others sent', { a: '9u', b: '5p' }, 'b'],
    ['not one that asks the amount and was matched', { a: '9u', b: '5pm' }, 'a'],
    ['an older one that asks the amount when the newest of them was matched', { a: '5p', b: '9u', c: '5pm' }, 'a'],
    ['one that was matched by a part when it is the oldest unpaid', { a: '5um', b: '9u' }, 'a'],
    ['the oldest unpaid one when none asks the amount', { a: '4p', b: '9u', c: '7u' }, 'b'],
    ['an unpaid one before a newer paid one', { a: '9u', b: '3p' }, 'a'],
    ['the newest when all are paid', { a: '1p', b: '2p', c: '3p' }, 'c'],
    ['the newest when all are paid and matched, whatever they ask', { a: '5pm', b: '2pm' }, 'b'],
  ]
  for (const [what, texts, expected] of rows) {
    test(what, () => {
      assert.equal(chosenOf(candidates(texts), 5n), expected)
    })
  }

  test('is searched no further than it has to be', () => {
    const askedOf = (texts: Readonly<Record<string, string>>) => {
      const list = new CandidateList(candidates(texts), 5n)
      answeredNow(chooseInvoice(searchOf(list), null, { left: BOUNDLESS }))
      return list.asked
    }
    assert.deepEqual(askedOf({ a: '5u' }), ['amount'])
    assert.deepEqual(askedOf({ a: '4p', b: '9u' }), ['amount', 'heads'])
    assert.deepEqual(askedOf({ a: '4p' }), ['amount', 'heads', 'newest'])
  })

  test('is not chosen while more is to be settled than may be', () => {
    const choose = (texts: Readonly<Record<string, string>>, left: number) =>
      answeredNow(chooseInvoice(searchOf(new CandidateList(candidates(texts), 5n)), null, { left }))
    assert.equal(choose({ a: '4p', b: '4p', c: '9u' }, 1), UNSETTLED)
    assert.notEqual(choose({ a: '4p', b: '4p', c: '9u' }, 2), UNSETTLED)
    assert.notEqual(choose({ a: '4p', b: '5p' }, 0), UNSETTLED)
  })

  test('never depends on what others paid, as long as one asks the amount and was not matched', () => {
    const listed = fc.record({
      amount: fc.bigInt({ min: 1n, max: 3n }),
      isUnpaid: fc.boolean(),
      isMatched: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(listed, { maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        (all, paid) => {
          const named = all.map((one, i) => ({ ...one, id: String(i) }))
          if (!named.some(({ amount, isMatched }) => amount === 2n && !isMatched)) return
          const otherwise = named.map((one, i) => ({ ...one, isUnpaid: paid[i] ?? false }))
          assert.equal(chosenOf(named, 2n), chosenOf(otherwise, 2n))
        },
      ),
    )
  })
})

describe('what settling before a choice does', () => {
  const settle = (texts: Readonly<Record<string, string>>, left: number) => {
    const list = new CandidateList(candidates(texts), 5n)
    const budget = { left }
    return { isDone: answeredNow(settleBefore(searchOf(list), budget)), settled: list.settledCount, left: budget.left }
  }

  test('nothing where one asks the amount', () => {
    assert.deepEqual(settle({ a: '4p', b: '5u' }, 9), { isDone: true, settled: 0, left: 9 })
  })

  test('it settles up to the oldest unpaid one', () => {
    assert.deepEqual(settle({ a: '4p', b: '4p', c: '9u', d: '4p' }, 9), { isDone: true, settled: 2, left: 7 })
  })

  test('it ends where the budget does, and says so only when something is left', () => {
    assert.deepEqual(settle({ a: '4p', b: '4p', c: '4p' }, 2), { isDone: false, settled: 2, left: 0 })
    assert.deepEqual(settle({ a: '4p', b: '4p' }, 2), { isDone: true, settled: 2, left: 0 })
    assert.deepEqual(settle({ a: '4p', b: '9u' }, 0), { isDone: false, settled: 0, left: 0 })
  })

  test('it needs no budget where there is nothing to settle', () => {
    assert.deepEqual(settle({ a: '4p', b: '4p', c: '9u' }, 2), { isDone: true, settled: 2, left: 0 })
    assert.deepEqual(settle({ a: '9u', b: '4p' }, 0), { isDone: true, settled: 0, left: 0 })
  })
})

describe('the invoice that a deposit of 5 is matched to when none can be notified', () => {
  const VOID: Listed = { id: 'void', amount: 9n, isUnpaid: true, isMatched: false }

  /** What was chosen, and since when a void invoice was asked for. */
  function choose(
    told: Readonly<Record<string, string>>,
    untold: Readonly<Record<string, string>>,
    { last = null, sinceMs = 7 }: { readonly last?: Listed | null; readonly sinceMs?: number | null } = {},
  ) {
    const asked: number[] = []
    const kinds = [told, untold].map((texts) => new CandidateList(candidates(texts), 5n))
    const lastVoid = (since: number) => {
      asked.push(since)
      return last
    }
    const match = answeredNow(chooseInvoice({ kinds, lastVoid }, sinceMs, { left: BOUNDLESS }))
    if (match === UNSETTLED) assert.fail()
    return { match: match === null ? null : [match.invoice.id, match.isLate], asked, searched: kinds[1]?.asked ?? [] }
  }

  test('is one that cannot, by the same choice', () => {
    assert.deepEqual(choose({}, { a: '9u', b: '5u', c: '7u' }).match, ['b', false])
    assert.deepEqual(choose({}, { a: '4p', b: '9u' }).match, ['b', false])
    assert.deepEqual(choose({}, { a: '4pm', b: '5pm' }).match, ['b', false])
  })

  test('is never one that cannot while one can, whatever it asks', () => {
    const { match, searched } = choose({ a: '1pm' }, { b: '5u' })
    assert.deepEqual(match, ['a', false])
    assert.deepEqual(searched, [])
  })

  test('is the one that became void last, and late, only when there is no other', () => {
    assert.deepEqual(choose({}, {}, { last: VOID }), {
      match: ['void', true],
      asked: [7],
      searched: ['amount', 'heads', 'newest'],
    })
    assert.deepEqual(choose({}, { a: '1pm' }, { last: VOID }).asked, [])
    assert.deepEqual(choose({ a: '1pm' }, {}, { last: VOID }).asked, [])
    assert.deepEqual(choose({}, {}, { last: null }).match, null)
  })

  test('is none where late deposits are matched to nobody', () => {
    assert.deepEqual(choose({}, {}, { last: VOID, sinceMs: null }), {
      match: null,
      asked: [],
      searched: ['amount', 'heads', 'newest'],
    })
  })

  test('is looked for in bounded pieces, too', () => {
    const settle = (told: Readonly<Record<string, string>>, left: number) => {
      const kinds = [told, { a: '4p', b: '4p' }].map((texts) => new CandidateList(candidates(texts), 5n))
      const budget = { left }
      const isDone = answeredNow(settleBefore(searchOf(...kinds), budget))
      return { isDone, settled: kinds.map((kind) => kind.settledCount), left: budget.left }
    }
    assert.deepEqual(settle({}, 1), { isDone: false, settled: [0, 1], left: 0 })
    assert.deepEqual(settle({}, 9), { isDone: true, settled: [0, 2], left: 7 })
    // One that can be notified is there, so the others are not met.
    assert.deepEqual(settle({ c: '3p' }, 9), { isDone: true, settled: [1, 0], left: 8 })
    assert.deepEqual(settle({ c: '9u' }, 9), { isDone: true, settled: [0, 0], left: 9 })
  })
})
