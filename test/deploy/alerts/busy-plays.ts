import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from '../../chaos/http-client.js'
import { endChild } from '../../support/child-process.js'
import { projectRoot } from '../../support/project-root.js'
import { GATEWAY_SECRET } from '../../support/service-fixture.js'
import { ServiceProcess } from '../../support/service-process.js'
import { signRequest, type TestKey, testKey } from '../../support/signing.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { DAY_MS, invoice, ownWallet, type Plays, quiet, SECOND_MS } from './play.js'
import { firing, samplesAt, scrapeOf, Watched } from './watched.js'

/** What is leaked at a time. */
const LEAKED_BYTES = 8e6
/** Enough for a second of the slower engine. */
const SIGNED_AT_ONCE = 400
/** Room for the service, but not for the addresses that an engine of WebAssembly reserves. */
const ADDRESS_SPACE_KIB = 6_000_000
/** After so many a key has a table. */
const SIGNED_FOR_TABLE = 50

export const busyPlays: Plays = {
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
      assert.deepEqual(quiet({ firing: () => firing([before]) }), [])
      await signedByStranger(url, testKey('frequent'), SIGNED_FOR_TABLE)
      const scrapes = [before, await scrape(before.atMs + SECOND_MS)]
      return { firing: () => firing(scrapes) }
    },
  },
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

/** Takes so many bytes of the heap. */
function leak(bytes: number): readonly unknown[] {
  return Array.from({ length: Math.ceil(bytes / LEAKED_BYTES) }, () => new Array(LEAKED_BYTES / 8).fill(0))
}
