import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, flushLog, logStream } from '../../../src/log.js'
import { spoilRoot } from '../../support/damaged-pages.js'
import { noSmallDisk, smallDisk } from '../../support/small-disk.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { invoice, ownWallet, type Plays, SECOND_MS, silentAtFirst } from './play.js'
import { Watched } from './watched.js'

export const diskPlays: Plays = {
  'a full disk': {
    alerts: ['BillhookStoreAway', 'BillhookWritesFail', 'BillhookNotReady'],
    skip: noSmallDisk,
    play: async (t) => {
      const disk = smallDisk(32 << 20)
      const watched = await Watched.start(t, { BILLHOOK_STORE: 'lmdb', BILLHOOK_DATA: join(disk.path, 'data') })
      t.after(() => disk.remove())
      await ownWallet(watched)
      await silentAtFirst(watched)
      disk.fill(1 << 18)
      for (let n = 0; (await invoice(watched, n)) !== 503; n += 1) assert.ok(n < 20_000)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a page of the data file that is damaged': {
    alerts: ['BillhookStoreDamaged', 'BillhookDefects'],
    play: async (t) => {
      const place = temporaryDirectory()
      const watched = await Watched.start(t, { BILLHOOK_STORE: 'lmdb', BILLHOOK_DATA: place.path })
      t.after(() => place.remove())
      await ownWallet(watched)
      await invoice(watched, 0)
      await silentAtFirst(watched)
      spoilRoot(place.path, 'wallets')
      assert.equal((await watched.fixture.get('/api/users/alice/wallets')).status, 500)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a log whose disk is full': {
    alerts: ['BillhookLogLinesLost'],
    skip: process.platform === 'linux' ? false : 'only Linux has a device that is always full',
    play: async (t) => {
      const log = createLog('silent', logStream(openSync('/dev/full', 'w')))
      const watched = await Watched.start(t, {}, 'a', log)
      await silentAtFirst(watched)
      log.level = 'info'
      log.info('this is lost')
      await flushLog(log)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
}
