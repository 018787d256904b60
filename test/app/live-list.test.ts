import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LiveList } from '../../packages/app/src/lists/live-list.js'

interface Row {
  readonly id: string
  readonly created_at: number
  readonly kind: 'even' | 'odd'
}

const row = (n: number): Row => ({ id: String(n), created_at: n, kind: n % 2 === 0 ? 'even' : 'odd' })

/** A list of so many rows, newest first, which counts those that were asked for. */
class Rows extends LiveList<Row, { readonly kind: Row['kind'] | null }> {
  asked = 0

  constructor(
    private readonly count: number,
    private readonly waitFor: () => Promise<void> = async () => {},
  ) {
    super({ kind: null })
  }

  protected async *list(): AsyncGenerator<Row, void> {
    for (let n = this.count; n > 0; n -= 1) {
      await this.waitFor()
      this.asked += 1
      yield row(n)
    }
  }

  protected fits({ kind }: Row, filter: { readonly kind: Row['kind'] | null }): boolean {
    return filter.kind === null || kind === filter.kind
  }
}

const numbersOf = ({ rows }: Rows) => rows.value.map(({ id }) => Number(id))

describe('a live list', () => {
  test('adds fifty rows at once, newest first, and says when there are no more', async () => {
    const list = new Rows(60)
    assert.deepEqual([numbersOf(list).length, list.hasMore.value], [0, true])
    await list.choose({ kind: null })
    assert.deepEqual(
      numbersOf(list),
      Array.from({ length: 50 }, (_, i) => 60 - i),
    )
    assert.equal(list.hasMore.value, true)
    await list.more()
    assert.deepEqual([numbersOf(list).length, list.hasMore.value], [60, false])
  })

  test('shows what fits, and looks at two thousand records before it asks whether to go on', async () => {
    const list = new Rows(10_000)
    await list.choose({ kind: 'even' })
    assert.deepEqual([numbersOf(list).length, list.asked], [50, 99])
    // Those that are known and do not fit are not shown.
    list.take([row(20_001), row(20_002)])
    assert.equal(numbersOf(list)[0], 20_002)
    class Nothing extends Rows {
      protected override fits(): boolean {
        return false
      }
    }
    const nothing = new Nothing(10_000)
    await nothing.choose({ kind: null })
    assert.deepEqual([numbersOf(nothing), nothing.asked, nothing.hasMore.value], [[], 2000, true])
  })

  test('takes nothing of a filter that was replaced meanwhile', async () => {
    const gates: (() => void)[] = []
    const list = new Rows(3, () => new Promise((resolve) => gates.push(resolve)))
    const first = list.choose({ kind: 'odd' })
    const second = list.choose({ kind: 'even' })
    while (gates.length > 0) {
      gates.shift()?.()
      await new Promise(setImmediate)
    }
    await Promise.all([first, second])
    assert.deepEqual(numbersOf(list), [2])
    list.filter.value = { kind: null }
    assert.deepEqual(numbersOf(list), [2])
  })

  test('has each record as it came last', async () => {
    const list = new Rows(2)
    await list.choose({ kind: null })
    list.take([{ ...row(1), created_at: 9 }])
    assert.deepEqual(numbersOf(list), [1, 2])
    assert.equal(list.find('1')?.created_at, 9)
  })
})
