import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Leader } from '../../../src/store/leadership.js'
import { type OpenStore, withStore } from './harness.js'

/** A leader that notes what it is asked. */
function noting(told: string[], failure: Error | null = null): Leader {
  return {
    async begin() {
      told.push('begin')
      if (failure !== null) throw failure
    },
    async end() {
      told.push('end')
    },
  }
}

/** One process of a store: that of several is shown where an engine has several. */
export function describeLeadership(open: OpenStore): void {
  test(
    'a process alone leads at once, until it resigns',
    withStore(open, async ({ store }) => {
      const told: string[] = []
      await store.leadership.stand(noting(told))
      assert.deepEqual(told, ['begin'])
      await store.leadership.resign()
      assert.deepEqual(told, ['begin', 'end'])
      await store.leadership.resign()
      assert.deepEqual(told, ['begin', 'end'], 'it ends once')
    }),
  )

  test(
    'work that cannot begin says why',
    withStore(open, async ({ store }) => {
      const told: string[] = []
      await assert.rejects(store.leadership.stand(noting(told, new Error('no node answers'))), /no node answers/)
      await store.leadership.resign()
      assert.deepEqual(told, ['begin'], 'what has not begun does not end')
    }),
  )

  test(
    'the next opening of the store leads at once after one that resigned',
    withStore(open, async (t) => {
      const told: string[] = []
      await t.store.leadership.stand(noting(told))
      await t.store.leadership.resign()
      await t.harness.reopen()
      await t.store.leadership.stand(noting(told))
      assert.deepEqual(told, ['begin', 'end', 'begin'])
      await t.store.leadership.resign()
    }),
  )

  test(
    'deliveries of this process are not told as those of others',
    withStore(open, async (t) => {
      await t.own('alice', 'wallet-1')
      await t.store.webhooks.put('alice', 'https://example.com/hook')
      await t.invoice({ reference: 'r' })
      const end = await t.store.changes.onOwed(() => assert.fail('its caller knows them'))
      const { owed } = await t.deposit('pending')
      assert.equal(owed.length, 1)
      end()
    }),
  )
}
