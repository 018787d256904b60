import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenStore, withStore } from './harness.js'

/** Which store it is. */
export function describeBirth(open: OpenStore): void {
  test(
    'it has an id and a date of birth, which stay',
    withStore(open, async (t) => {
      const { id, bornAt } = t.store.birth
      assert.match(id, /^[0-9a-f]{16}$/)
      assert.ok(Number.isSafeInteger(bornAt) && bornAt > 0)
      t.clock.advance(60_000)
      await t.harness.reopen()
      assert.deepEqual(t.store.birth, { id, bornAt })
    }),
  )
}
