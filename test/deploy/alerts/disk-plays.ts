import assert from 'node:assert/strict'
import { join } from 'node:path'
import { noSmallDisk, smallDisk } from '../../support/small-disk.js'
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
}
