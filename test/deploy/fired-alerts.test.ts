import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { ask, pushEvents } from '../chaos/http-client.js'
import { type FaultyNode, serveFaulty } from '../ledger/faulty-node.js'
import { commit, onboarding, SandboxFixture } from '../sandbox/sandbox-fixture.js'
import { CONFIRMATIONS, unreadable, until, WatchedChain } from '../service/watched-chain.js'
import { anvilAbsence } from '../support/anvil.js'
import { makeCertificate } from '../support/certificates.js'
import { endChild } from '../support/child-process.js'
import { administer } from '../support/postgres-database.js'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { projectRoot } from '../support/project-root.js'
import { alertRules } from '../support/prometheus-rules.js'
import { openReceiver } from '../support/receiver.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { signRequest, type TestKey, testKey } from '../support/signing.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { firing, samplesAt, scrapeOf, Watched } from './fired-alerts.js'

/** Nobody listens there. */
const DEAD_URL = 'http://127.0.0.1:1'
const TOKENS = {
  BILLHOOK_SEP_TOKEN: `0x${'12'.repeat(20)}`,
  BILLHOOK_TRX_NILE_TOKEN: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
}
const LEDGER = {
  BILLHOOK_LEDGER_URL: DEAD_URL,
  BILLHOOK_LEDGER_STORE_URL: `${DEAD_URL},http://127.0.0.1:2`,
  BILLHOOK_LEDGER_FOLLOW: 'onboard=shop/3f2a',
  BILLHOOK_ONBOARDING_NAME: 'shop',
}
const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ADDRESS = '0xabcd000000000000000000000000000000000001'
const TOLD_BY_TIME = 2000
/** What is leaked at a time. */
const LEAKED_BYTES = 8e6
/** Enough for a second of the slower engine. */
const SIGNED_AT_ONCE = 400
/** Room for the service, but not for the addresses that an engine of WebAssembly reserves. */
const ADDRESS_SPACE_KIB = 6_000_000
/** After so many a key has a table. */
const SIGNED_FOR_TABLE = 50
/** More than an operator is bothered with. */
const LOST = 11

const server = await postgresForTests({ isDurable: true })
const noDatabase = server === null ? 'there is no PostgreSQL' : false

/** A state in which alerts fire: it leaves behind what a collector has scraped of a real service, the last time in that state. */
type Play = (t: TestContext) => Promise<{ firing(): readonly string[] }>

const plays: Readonly<
  Record<string, { readonly alerts: readonly string[]; readonly skip?: string | false; readonly play: Play }>
> = {
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
  'a main thread that is held up': {
    alerts: ['BillhookBusyThread', 'BillhookSlowDisk', 'BillhookSlowInvoices'],
    play: async (t) => {
      const watched = await Watched.start(t)
      await ownWallet(watched)
      await invoice(watched, 0)
      await watched.scrape()
      for (let n = 1; n <= 7; n += 1) {
        // As many times that one in a hundred looks at the loop is late, however long the rest takes.
        let held = 0
        const isHeldLong = new Promise<void>((resolve) => {
          const holding = setInterval(() => {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
            held += 1
            if (held < 3) return
            clearInterval(holding)
            resolve()
          }, 1)
        })
        await Promise.all([invoice(watched, n), isHeldLong])
        watched.pass(60 * SECOND_MS)
        await watched.scrape()
      }
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
  'a network of which no node has ever answered': {
    alerts: ['BillhookNetworkBehind', 'BillhookNodeUnused'],
    play: async (t) => {
      const watched = await Watched.start(t, { BILLHOOK_SEP_URLS: DEAD_URL, ...TOKENS })
      await watched.scrape()
      assert.ok(!watched.firing().includes('BillhookNetworkBehind'))
      watched.pass(301 * SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a network whose only node is of another one': {
    alerts: ['BillhookNetworkStopped', 'BillhookNodeUnfit'],
    play: async (t) => {
      const url = await serve(t, (_, response) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' })),
      )
      const settings = { BILLHOOK_SEP_URLS: url, BILLHOOK_TRX_NILE_URLS: DEAD_URL, ...TOKENS }
      const watched = await Watched.start(t, settings)
      await scrapeUntil(watched, 'billhook_endpoint_problem', {}, 1)
      return watched
    },
  },
  'a network that stands still': {
    alerts: ['BillhookNetworkStalled'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched } = await watchedChain(t)
      watched.pass(181 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'stalled' }, 1)
      return watched
    },
  },
  'a network that does not get past a block': {
    alerts: ['BillhookNetworkStanding'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      world.proxy.fault = {
        alter: ({ params }, end) => (params[1] === true ? { error: { code: -32_000, message: 'no' } } : end),
      }
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_endpoint_used', {}, 0)
      watched.pass(61 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_degraded', { reason: 'network_standing' }, 1)
      return watched
    },
  },
  'a network that goes on without a block': {
    alerts: ['BillhookBlocksSetAside'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t, () => ({ BILLHOOK_SKIP_AFTER: '1' }))
      const height = (await world.chain.height()) + 1
      // Before the block is there, so that nobody reads it in time.
      world.proxy.fault = { answer: (response) => !!response.destroy() }
      await world.chain.mine()
      const block = await world.chain.block(height)
      world.proxy.fault = unreadable(height, String(block?.hash))
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_blocks_set_aside', { network: 'SEP' }, 1)
      return watched
    },
  },
  'two nodes that disagree': {
    alerts: ['BillhookNodesDisagree'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t, (one) => ({
        BILLHOOK_SEP_URLS: `${one.chain.node.url},${one.proxy.url}`,
      }))
      world.proxy.fault = {
        alter: ({ method, params }, end) =>
          method === 'eth_getBlockByNumber' && params[1] === false && params[0] !== 'latest' && 'result' in end
            ? { result: { ...(end.result as object), hash: `0x${'ab'.repeat(32)}` } }
            : end,
      }
      await world.chain.mine(CONFIRMATIONS + 1)
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'disagreement' }, 1)
      return watched
    },
  },
  'a reorganisation of confirmed blocks': {
    alerts: ['BillhookConfirmedBlocksGone'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      await world.chain.node.call('anvil_reorg', CONFIRMATIONS + 2, [])
      await world.chain.mine()
      await watched.scrapeUntil((samples) =>
        samples.some(({ name, value }) => name === 'billhook_network_confirmed_blocks_undone_total' && value > 0),
      )
      return watched
    },
  },
  'stores of the ledger that have never answered': {
    alerts: ['BillhookLedgerBehind', 'BillhookLedgerStoreSilent'],
    play: async (t) => {
      const watched = await Watched.start(t, LEDGER)
      await watched.scrape()
      assert.ok(!watched.firing().includes('BillhookLedgerBehind'))
      watched.pass(301 * SECOND_MS)
      await scrapeUntil(watched, 'billhook_ledger_follower_silent_stores', {}, 2)
      return watched
    },
  },
  'a request that the database fails in a way that it must not': {
    alerts: ['BillhookDefects'],
    skip: noDatabase,
    play: async (t) => {
      const url = await database()
      const watched = await Watched.start(t, { BILLHOOK_STORE: url })
      await ownWallet(watched)
      await invoice(watched, 0)
      await silentAtFirst(watched)
      await administer(url, ...refusing('invoices'))
      assert.equal(await invoice(watched, 1), 500)
      watched.pass(SECOND_MS)
      await watched.scrape()
      return watched
    },
  },
  'a deposit that the database cannot record': {
    alerts: ['BillhookDepositsSetAside', 'BillhookDepositsRejected'],
    skip: noDatabase,
    play: async (t) => {
      const url = await database()
      const watched = await Watched.start(t, { BILLHOOK_STORE: url })
      await ownWallet(watched)
      await silentAtFirst(watched)
      await administer(url, ...refusing('deposits'))
      assert.equal((await deposit(watched, 'a', '1'))[0]?.status, 'rejected')
      await scrapeUntil(watched, 'billhook_deposits_set_aside', { network: 'SEP' }, 1)
      return watched
    },
  },
  'deposits to one wallet while somebody has locked their table': {
    alerts: ['BillhookHotWallet'],
    skip: noDatabase,
    play: async (t) => {
      const url = await database()
      const watched = await Watched.start(t, { BILLHOOK_STORE: url })
      await ownWallet(watched)
      await silentAtFirst(watched)
      const lock = await lockTable(url, 'deposits')
      const pushed = Array.from({ length: 5 }, (_, n) => deposits(watched, n * 1000, 1000))
      const settled = Promise.allSettled(pushed)
      await watched.scrapeUntil((samples) =>
        samples.some(({ name, value }) => name === 'billhook_mailbox_depth' && value > 4096),
      )
      await lock.release()
      await settled
      return watched
    },
  },
  'a heap that is twice what it was a day ago': {
    alerts: ['BillhookMemoryGrows'],
    play: async (t) => {
      const watched = await Watched.start(t)
      const { samples } = await watched.scrape()
      const before = samples.find(({ name }) => name === 'nodejs_heap_size_used_bytes')?.value ?? 0
      watched.pass(DAY_MS)
      const leaked = leak(1.5 * before + 150e6)
      await watched.scrape()
      assert.ok(leaked.length > 0)
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
  'a node that leaves transfers out until their block is confirmed, without a trace': {
    alerts: ['BillhookIncompleteBlocks'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      await world.openInvoice(watched.fixture.url, '25')
      await world.pay(25n)
      world.proxy.fault = { alter: (_, end) => ('result' in end ? { result: withoutLogs(end.result) } : end) }
      const height = (await world.chain.height()) + 1
      await world.chain.mine()
      await scrapeUntil(watched, 'billhook_network_cursor_block', {}, height)
      world.proxy.fault = {}
      await world.chain.mine(CONFIRMATIONS)
      await scrapeUntil(watched, 'billhook_network_repairs_total', {}, 1)
      return watched
    },
  },
  'a node that refuses most calls, because there are too many': {
    alerts: ['BillhookNetworkLimited'],
    skip: anvilAbsence,
    play: async (t) => {
      const { watched, world } = await watchedChain(t)
      let requests = 0
      world.proxy.fault = {
        answer: (response) => ++requests % 3 !== 0 && !!response.writeHead(429, { 'Retry-After': '1' }).end(),
      }
      await scrapeUntil(watched, 'billhook_network_problem', { reason: 'limited' }, 1)
      return watched
    },
  },
  'more signatures than the thread can verify': {
    alerts: ['BillhookSlowVerification'],
    play: async (t) => {
      const watched = await Watched.start(t, { BILLHOOK_VERIFY_ENGINE: 'noble' })
      await ownWallet(watched)
      const key = testKey('busy')
      assert.equal((await watched.fixture.register('alice', key)).status, 201)
      await signedInvoices(watched, key, 0, 1)
      await watched.scrape()
      for (let n = 1; n <= 7; n += 1) {
        await signedInvoices(watched, key, n * SIGNED_AT_ONCE, SIGNED_AT_ONCE)
        watched.pass(60 * SECOND_MS)
        await watched.scrape()
      }
      return watched
    },
  },
  'a limit of address space that leaves no room for tables of keys': {
    alerts: ['BillhookKeyTablesOff'],
    play: async (t) => {
      const place = temporaryDirectory()
      t.after(() => place.remove())
      const limited = join(place.path, 'limited')
      const main = join(projectRoot, 'dist/src/main.js')
      writeFileSync(limited, `#!/bin/sh\nulimit -v ${ADDRESS_SPACE_KIB}\nexec '${process.execPath}' '${main}' "$@"\n`, {
        mode: 0o755,
      })
      const environment = { BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET, BILLHOOK_METRICS_PORT: '0', BILLHOOK_LOG: 'fatal' }
      const { child, url, metricsUrl } = await ServiceProcess.launch({
        data: join(place.path, 'data'),
        executable: limited,
        environment: { ...environment, BILLHOOK_STORE: 'lmdb', BILLHOOK_VERIFY_THREADS: '1' },
      })
      t.after(() => endChild(child))
      const scrape = async (atMs: number) => scrapeOf(await samplesAt(metricsUrl ?? assert.fail()), atMs, 'a')
      const before = await scrape(Date.now())
      assert.deepEqual(firing([before]), [])
      await signedByStranger(url, testKey('frequent'), SIGNED_FOR_TABLE)
      const scrapes = [before, await scrape(before.atMs + SECOND_MS)]
      return { firing: () => firing(scrapes) }
    },
  },
  'a ledger that listed a transaction a day late': {
    alerts: ['BillhookLedgerMissed'],
    play: async (t) => {
      const { watched, ledger, node } = await followedLedger(t)
      node.fault = 'error'
      const { umid } = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey('late')))
      node.unlisted.add(umid)
      node.fault = null
      ledger.clock.advance(HOUR_MS)
      const next = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey('next')))
      await asked(node, `/api/tx/${next.umid}`)
      node.requests.length = 0
      await asked(node, '/umids')
      node.unlisted.clear()
      watched.pass(DAY_MS - HOUR_MS)
      await watched.scrape()
      watched.pass(HOUR_MS)
      await scrapeUntil(watched, 'billhook_ledger_follower_missed_total', {}, 1)
      return watched
    },
  },
  'a ledger that lists transactions that no node has': {
    alerts: ['BillhookLedgerSetAside'],
    play: async (t) => {
      const { watched, ledger, node } = await followedLedger(t)
      node.fault = 'error'
      for (let n = 0; n < LOST; n += 1) {
        const { umid } = await commit(ledger.sandbox, onboarding(ledger.sandbox.describe(), testKey(`lost ${n}`)))
        node.lost.add(umid)
        ledger.clock.advance(1)
      }
      node.fault = null
      await watched.scrapeUntil(
        (samples) => samples.some(({ name, value }) => name === 'billhook_ledger_follower_set_aside' && value === LOST),
        SECOND_MS,
      )
      return watched
    },
  },
}

/** Scrapes a service in a state in which nothing fires. */
async function silentAtFirst(watched: Watched): Promise<void> {
  await watched.scrape()
  assert.deepEqual(quiet(watched), [])
  watched.pass(SECOND_MS)
}

/** What fires beside the one about this process's thread, which has just been busy with the start. */
function quiet(watched: Watched): readonly string[] {
  return watched.firing().filter((name) => name !== 'BillhookBusyThread')
}

async function scrapeUntil(
  watched: Watched,
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number,
): Promise<void> {
  const isMeant = (one: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([label, text]) => one[label] === text)
  await watched.scrapeUntil((samples) =>
    samples.some((sample) => sample.name === name && isMeant(sample.labels) && sample.value === value),
  )
}

/** A service that has read all of a chain. */
async function watchedChain(
  t: TestContext,
  more: (world: WatchedChain) => Readonly<Record<string, string>> = () => ({}),
) {
  const world = await WatchedChain.start(t)
  await world.chain.mine(CONFIRMATIONS + 3)
  const watched = await Watched.start(t, world.environment(more(world)))
  await scrapeUntil(watched, 'billhook_network_lag_blocks', {}, 0)
  assert.deepEqual(quiet(watched), [])
  watched.pass(1)
  return { watched, world }
}

async function ownWallet({ fixture }: Watched): Promise<void> {
  await fixture.assign('alice', { id: 'wallet-1', address: ADDRESS, network: 'SEP' })
}

/** Answers the status. */
async function invoice({ fixture }: Watched, n: number, callbackUrl?: string): Promise<number> {
  const body = { owner: 'alice', walletIds: ['wallet-1'], name: 'Order', amount: `${n + 1}`, currency: 'USDT' }
  const more = callbackUrl === undefined ? {} : { callbackUrl, reference: `order ${n}` }
  return (await fixture.post('/api/invoices', { ...body, ...more })).status
}

function depositEvent(txHash: string, amount: string) {
  const receivedAt = Date.now() + TOLD_BY_TIME
  const sighting = { network: 'SEP', txHash, toAddress: ADDRESS, currency: 'Tether', amount, receivedAt }
  return { id: txHash, type: 'deposit.confirmed', deposit: sighting }
}

function deposit({ fixture }: Watched, txHash: string, amount: string) {
  return fixture.push(depositEvent(txHash, amount))
}

function deposits({ fixture }: Watched, from: number, count: number) {
  return fixture.push(...Array.from({ length: count }, (_, n) => depositEvent(`tx ${from + n}`, '1')))
}

/** Invoices of one key, all at once. */
async function signedInvoices({ fixture, nowMs }: Watched, key: TestKey, from: number, count: number): Promise<void> {
  const replies = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const body = { walletIds: ['wallet-1'], name: 'Order', amount: `${from + n + 1}`, currency: 'USDT' }
      return fixture.createSigned(key, body, String(nowMs))
    }),
  )
  for (const { status, text } of replies) assert.equal(status, 201, text)
}

/** Requests with valid signatures of a key that nobody has registered, one after the other. */
async function signedByStranger(url: string, key: TestKey, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const timestamp = String(Date.now())
    const headers = {
      'X-Service-Api-Key': key.publicKeyHex,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(key, 'POST /api/invoices', timestamp, `${n}`),
    }
    const answer = await ask('POST', `${url}/api/invoices`, `${n}`, headers)
    assert.equal(answer?.json.code, 'unknown_api_key')
  }
}

function database(): Promise<string> {
  return createDatabase(server ?? assert.fail())
}

/** Statements that let nothing more be written into a table, as a defect of a program or of the database would. */
function refusing(table: string): readonly string[] {
  return [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a defect'; END $$`,
    `CREATE TRIGGER refusing BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  ]
}

/** Lets nobody write into a table until it is released. */
async function lockTable(url: string, table: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
  return { release: () => client.end() }
}

/** Takes so many bytes of the heap. */
function leak(bytes: number): readonly unknown[] {
  return Array.from({ length: Math.ceil(bytes / LEAKED_BYTES) }, () => new Array(LEAKED_BYTES / 8).fill(0))
}

/** A block or receipts as of a block in which no contract has logged anything. */
function withoutLogs(value: unknown): unknown {
  const told = JSON.stringify(value, (name, one) => {
    if (name === 'logsBloom') return `0x${'00'.repeat(256)}`
    return name === 'logs' ? [] : one
  })
  return JSON.parse(told)
}

/** Resolves when a node was asked for it. */
function asked({ requests }: FaultyNode, part: string): Promise<void> {
  return until(() => requests.some((request) => request.includes(part)))
}

/** A service that follows a ledger, which lists and has what the test wants. */
async function followedLedger(t: TestContext) {
  const ledger = await SandboxFixture.start()
  t.after(() => ledger.close())
  const node = await serveFaulty(t, ledger)
  const about = ledger.sandbox.describe()
  const watched = await Watched.start(t, {
    BILLHOOK_LEDGER_URL: node.url,
    BILLHOOK_LEDGER_STORE_URL: node.url,
    BILLHOOK_LEDGER_FOLLOW: `onboard=sandbox/${about.contracts.onboard}`,
    BILLHOOK_LEDGER_POLL_MS: '100',
    BILLHOOK_ONBOARDING_NAME: about.onboardingName,
  })
  await silentAtFirst(watched)
  return { watched, ledger, node }
}

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('alerts on what a real service exposes', { timeout: 300_000 }, () => {
  for (const [name, { alerts, skip = false, play }] of Object.entries(plays)) {
    test(`${name}: ${alerts.join(', ')}`, { skip }, async (t) => {
      const fired = (await play(t)).firing()
      for (const alert of alerts) assert.ok(fired.includes(alert), `${alert} does not fire, but ${fired.join(', ')}`)
    })
  }

  test('are each fired', () => {
    const fired = new Set(Object.values(plays).flatMap(({ alerts }) => alerts))
    assert.deepEqual([...fired].sort(), [...new Set(alertRules().map(({ name }) => name))].sort())
  })
})
