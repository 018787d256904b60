import assert from 'node:assert/strict'
import { ask, pushEvents } from '../../chaos/http-client.js'
import { until } from '../../service/watched-chain.js'
import { makeCertificate } from '../../support/certificates.js'
import { openReceiver } from '../../support/receiver.js'
import { ServiceProcess } from '../../support/service-process.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import {
  ADDRESS,
  DAY_MS,
  deposit,
  depositEvent,
  HOUR_MS,
  invoice,
  ownWallet,
  type Plays,
  quiet,
  SECOND_MS,
  scrapeUntil,
  silentAtFirst,
} from './play.js'
import { firing, Watched } from './watched.js'

export const servicePlays: Plays = {
  'a service that has ended': {
    alerts: ['BillhookDown'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await watched.scrape()
      await watched.stop()
      watched.pass(6 * 60_000)
      await watched.scrape()
      return watched
    },
  },
  'a service that is about to stop': {
    alerts: ['BillhookNotReady'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await silentAtFirst(watched)
      watched.fixture.service.announceStop()
      await watched.scrape()
      return watched
    },
  },
  'two services with data of their own in one job': {
    alerts: ['BillhookLeaders'],
    play: async (t) => {
      const [one, other] = [await Watched.start(t), await Watched.start(t, {}, 'b')]
      const [first, second] = [await one.scrape(), await other.scrape()]
      return { firing: () => firing([{ atMs: first.atMs, samples: [...first.samples, ...second.samples] }]) }
    },
  },
  'a service that comes up with a new store in the place of another': {
    alerts: ['BillhookOtherStore'],
    play: async (t) => {
      const before = await Watched.start(t)
      await silentAtFirst(before)
      await before.stop()
      const after = await Watched.start(t)
      after.pass(60 * SECOND_MS)
      const scrapes = [...before.scrapes, await after.scrape()]
      return { firing: () => firing(scrapes) }
    },
  },
  'a schedule of backups whose directory cannot be written': {
    alerts: ['BillhookBackupLate'],
    play: async (t) => {
      const BILLHOOK_BACKUP_DIR = '/dev/null/backups'
      const watched = await Watched.start(t, {
        BILLHOOK_STORE: 'lmdb',
        BILLHOOK_BACKUP_DIR,
        BILLHOOK_BACKUP_EVERY: '1',
      })
      await silentAtFirst(watched)
      watched.pass(2 * HOUR_MS + SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a hundred claims of wallets that are not there': {
    alerts: ['BillhookOverload'],
    play: async (t) => {
      const watched = await Watched.start(t, { BILLHOOK_RATE_LIMIT_CLAIMS: '0' })
      const claim = () => watched.fixture.get('/api/wallets/claim/sep/eth')
      assert.equal((await claim()).status, 503)
      await silentAtFirst(watched)
      await Promise.all(Array.from({ length: 100 }, claim))
      watched.pass(10 * SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'HTTPS with a certificate of 30 days, two weeks later': {
    alerts: ['BillhookCertificateExpires'],
    play: async (t) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const { certificate, key } = makeCertificate(place.path, 'late', { days: 30 })
      const watched = await Watched.start(t, { BILLHOOK_TLS_CERT: certificate, BILLHOOK_TLS_KEY: key })
      await silentAtFirst(watched)
      watched.pass(17 * DAY_MS)
      await watched.scrape()
      return watched
    },
  },
  'a receiver that hangs, with a webhook behind the one that is under way': {
    alerts: ['BillhookWebhooksLate'],
    play: async (t) => {
      const receiver = await openReceiver(() => undefined)
      t.after(() => receiver.close())
      const watched = await Watched.start(t, { BILLHOOK_WEBHOOK_CONCURRENCY_PER_DESTINATION: '1' })
      await ownWallet(watched)
      await invoice(watched, 1, `${receiver.url}/`)
      await silentAtFirst(watched)
      for (const txHash of ['a', 'b', 'c']) await deposit(watched, txHash, '1')
      await receiver.received(1)
      watched.pass(301 * SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a receiver that answers with 500': {
    alerts: ['BillhookWebhooksFail'],
    play: async (t) => {
      const receiver = await openReceiver((_, response) => response.writeHead(500).end())
      t.after(() => receiver.close())
      const watched = await Watched.start(t)
      await ownWallet(watched)
      await invoice(watched, 1, `${receiver.url}/`)
      await silentAtFirst(watched)
      await deposit(watched, 'a', '1')
      await receiver.received(1)
      await scrapeUntil(watched, 'billhook_webhook_attempts_total', { outcome: 'answered' }, 1)
      return watched
    },
  },
  'eleven invoices and no deposit in a day': {
    alerts: ['BillhookNoDeposits'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await ownWallet(watched)
      await invoice(watched, 0)
      await silentAtFirst(watched)
      for (let n = 1; n <= 11; n += 1) await invoice(watched, n)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a push with an amount that is none, and one with a wrong signature': {
    alerts: ['BillhookDepositsRejected', 'BillhookGatewayMisconfigured'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await ownWallet(watched)
      await silentAtFirst(watched)
      assert.equal((await deposit(watched, 'a', 'a lot'))[0]?.status, 'rejected')
      const headers = { 'X-Gateway-Timestamp': String(watched.nowMs), 'X-Gateway-Signature': '00' }
      assert.equal((await watched.fixture.post('/internal/events', { events: [] }, headers)).status, 401)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a clock that is set back by a minute': {
    alerts: ['BillhookClockWrong'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await ownWallet(watched)
      await scrapeUntil(watched, 'billhook_clock_offset_seconds', {}, 0)
      assert.deepEqual(quiet(watched), [])
      watched.setClock(-60 * SECOND_MS)
      await until(async () => {
        const { samples } = await watched.scrape()
        return samples.some(({ name, value }) => name === 'billhook_clock_offset_seconds' && Math.round(value) === -60)
      })
      watched.pass(30 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_degraded', { reason: 'clock' }, 1)
      const { status, degraded } = (await watched.fixture.get('/readyz')).json
      assert.deepEqual([status, degraded.length], ['degraded', 1])
      assert.match(degraded[0], /^The clock of this machine is (60|59\.9) s slow, by the gateway\.$/)
      return watched
    },
  },
  'one wallet that is left': {
    alerts: ['BillhookPoolNearlyEmpty'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await silentAtFirst(watched)
      const wallet = { id: 'free', address: ADDRESS, network: 'SEP' }
      await watched.fixture.push({ id: 'created', type: 'wallet.created', wallet })
      await watched.scrape()
      return watched
    },
  },
  'a process that was killed while it sent a webhook': {
    alerts: ['BillhookWebhooksInterrupted'],
    play: async (t) => {
      const receiver = await openReceiver(() => undefined)
      t.after(() => receiver.close())
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const store = { BILLHOOK_STORE: 'lmdb' }
      const killed = await ServiceProcess.start(place.path, { ...store, BILLHOOK_LOG: 'fatal' })
      const wallet = { id: 'wallet-1', address: ADDRESS, network: 'SEP' }
      const order = { owner: 'alice', walletIds: ['wallet-1'], name: 'Order', amount: '1', currency: 'USDT' }
      await pushEvents(killed.url, [
        { id: 'created', type: 'wallet.created', wallet },
        { id: 'assigned', type: 'wallet.assigned', wallet: { id: wallet.id }, owner: 'alice' },
      ])
      const callback = { callbackUrl: `${receiver.url}/`, reference: 'order' }
      const created = await ask('POST', `${killed.url}/api/invoices`, JSON.stringify({ ...order, ...callback }))
      assert.equal(created?.status, 201)
      await pushEvents(killed.url, [depositEvent('a', '1')])
      await receiver.received(1)
      await killed.end('SIGKILL')
      const watched = await Watched.start(t, { ...store, BILLHOOK_DATA: place.path })
      await watched.scrape()
      return watched
    },
  },
}
