import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import { invoiceRequest, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'

/** What may become of the file that a store has open. */
const TAKEN_AWAY: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  'moved away': (file) => renameSync(file, `${file}-moved`),
  replaced: (file) => {
    renameSync(file, `${file}-moved`)
    writeFileSync(file, 'another one')
  },
}

for (const [how, takeAway] of Object.entries(TAKEN_AWAY)) {
  test(`a store acknowledges nothing that its file would lose: the file was ${how}`, {
    skip: process.platform === 'win32' ? 'Windows keeps an open file where it is' : false,
  }, async () => {
    const directory = temporaryDirectory()
    const store = await openLmdbStore(lmdbStoreOptions(directory.path, new ManualClock()))
    try {
      await store.ledger.applyFacts([
        { eventId: 'e1', fact: walletCreated('wallet-1') },
        { eventId: 'e2', fact: walletAssigned('wallet-1', 'alice') },
      ])
      const file = join(directory.path, 'data.mdb')
      takeAway(file)
      const create = async () => (await store.commands.perform([{ type: 'invoice', request: invoiceRequest() }]))[0]
      const refused = await create()
      assert.equal(refused?.status, 'rejected')
      assert.ok(refused.reason instanceof StorageUnavailable)
      assert.match(String(refused.reason.cause), /data\.mdb is no longer the open database/)
      assert.equal(store.wallets.find('wallet-1')?.owner, 'alice')
      if (!existsSync(`${file}-moved`)) return
      renameSync(`${file}-moved`, file)
      await store.probeWrite()
      assert.equal((await create())?.status, 'fulfilled')
    } finally {
      await store.close()
      directory.remove()
    }
  })
}
