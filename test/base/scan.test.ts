import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scan } from '../../src/base/scan.js'

const PARTS = [
  { items: ['a', 'b'], next: 'b' },
  { items: [], next: 'e' },
  { items: ['f'], next: null },
]

/** Reads of the list, by the cursor that each was given. */
function reader() {
  const asked: (string | null)[] = []
  const read = (after: string | null) => {
    asked.push(after)
    return PARTS.find((_, at) => (PARTS[at - 1]?.next ?? null) === after) ?? assert.fail(`nothing is behind ${after}`)
  }
  return { asked, read }
}

describe('a scan of a list', () => {
  for (const [how, wrap] of [
    ['at once', <T>(part: T) => part],
    ['with promises', async <T>(part: T) => part],
  ] as const) {
    test(`reads part by part, each behind the one before, up to the last one (${how})`, async () => {
      const { asked, read } = reader()
      const items: string[] = []
      for await (const part of scan((after) => wrap(read(after)))) items.push(...part.items)
      assert.deepEqual(items, ['a', 'b', 'f'])
      assert.deepEqual(asked, [null, 'b', 'e'])
    })
  }

  test('begins behind a cursor, and reads nothing more than is taken', async () => {
    const { asked, read } = reader()
    for await (const part of scan(read, 'b')) {
      assert.deepEqual(part.items, [])
      break
    }
    assert.deepEqual(asked, ['b'])
  })

  test('ends with the failure of a read', async () => {
    const parts = scan(() => Promise.reject(new Error('no answer')))
    await assert.rejects(parts.next(), { message: 'no answer' })
    assert.deepEqual(await parts.next(), { done: true, value: undefined })
  })
})
