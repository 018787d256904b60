import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Commit, Snapshot } from '../../../src/store/lmdb/commit/commit.js'
import * as commitModule from '../../../src/store/lmdb/commit/commit.js'
import { CommitLoop } from '../../../src/store/lmdb/commit/commit-loop.js'
import { prepareSchema } from '../../../src/store/lmdb/file/schema.js'
import { internOwner, markKnown } from '../../../src/store/lmdb/identities/identities.js'
import { InvoiceAnswers } from '../../../src/store/lmdb/invoices/invoice-answers.js'
import { findSet } from '../../../src/store/lmdb/invoices/wallet-sets.js'
import type { OwnerNo, WalletNo } from '../../../src/store/lmdb/tables/keys.js'
import { openEnvironment } from '../../../src/store/lmdb/tables/tables.js'
import { ManualClock } from '../../support/manual-clock.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/*
 * What the compiler keeps. Each line below `@ts-expect-error` must not compile: when one does, `tsc` reports the directive.
 * Where a line can run, the test shows that it would do harm or fail.
 */

async function withLoop(run: (commits: CommitLoop) => void | Promise<void>): Promise<void> {
  const place = temporaryDirectory()
  const root = openEnvironment(place.path)
  try {
    const tables = await prepareSchema(root, place.path)
    await run(
      new CommitLoop(
        tables,
        { clock: new ManualClock(), newId: () => assert.fail('no id is made') },
        { obstacle: () => null },
      ),
    )
  } finally {
    await root.close()
    place.remove()
  }
}

describe('a commit', () => {
  test('cannot be made outside of the commit loop', () =>
    withLoop(async (commits) => {
      assert.deepEqual(Object.keys(commitModule), ['UnitRunner'])
      const { tables, caches, nowMs } = await commits.run((commit) => commit)
      const forged = { tables, caches, nowMs, newId: () => Buffer.alloc(16), nextNo: () => 1 }
      // @ts-expect-error It has every public member of a commit, and is none.
      const commit: Commit = forged
      assert.equal(commit.nowMs, nowMs)
    }))

  test('is what writing takes: a snapshot neither writes nor has caches to fill', () =>
    withLoop((commits) => {
      const { snapshot } = commits
      // @ts-expect-error A snapshot is no commit.
      assert.throws(() => internOwner(snapshot, 'alice'), TypeError)
      // @ts-expect-error A snapshot is no commit.
      assert.throws(() => markKnown(snapshot, 'alice'), TypeError)
      // @ts-expect-error The tables of a snapshot are read only.
      assert.equal(typeof snapshot.tables.meta.putSync, 'function')
      // @ts-expect-error Only commits have caches.
      assert.throws(() => snapshot.caches.ownerNos.set('alice', 1), TypeError)
    }))

  test('is not read by what keeps answers for readers', () =>
    withLoop(async (commits) => {
      const answers = new InvoiceAnswers()
      const read = (at: Commit | Snapshot) =>
        // @ts-expect-error It may be a commit, whose changes may be undone.
        answers.find(at, '00'.repeat(16))
      assert.equal(read(commits.snapshot), undefined)
    }))
})

test('a number of one kind is not taken for one of another', () =>
  withLoop(({ snapshot }) => {
    const ownerNo = 1 as OwnerNo
    // @ts-expect-error An owner is no wallet.
    const walletNo: WalletNo = ownerNo
    assert.equal(walletNo, 1)
    // @ts-expect-error An owner is no set of wallets.
    assert.throws(() => findSet(snapshot, ownerNo), /not there/)
    // @ts-expect-error A bare number is no set of wallets.
    assert.throws(() => findSet(snapshot, 1), /not there/)
  }))
