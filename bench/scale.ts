import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomSecretHex } from '../src/crypto/hmac.js'
import { createIdGenerator, randomKeyId } from '../src/crypto/id.js'
import { createPooledRandom } from '../src/crypto/random.js'
import { formatAmount } from '../src/domain/amount.js'
import { type LmdbStore, openLmdbStore } from '../src/store/lmdb/lmdb-store.js'
import type { WalletCommand } from '../src/store/store.js'
import { say, startBenched } from './service-process.js'

/*
 * What history costs. One wallet gets many invoices and as many deposits, another gets 100 of each; then the same
 * requests are timed on both, in turn, against the service in a process of its own. The ratio is the result.
 *
 *     node dist/bench/scale.js [records on the large wallet] [samples]
 */

const [records = 1_000_000, samples = 2000] = process.argv.slice(2).map(Number)
const SMALL = 100
const BATCH = 256
const ATOMS = 10n ** 18n

const place = mkdtempSync(join(tmpdir(), 'billhook-scale-'))
/** Time goes on by a millisecond with every look at the clock, which is once a command, up to about the present. */
let nowMs = Date.now() - 2 * (records + SMALL) - 60_000

try {
  await main()
} finally {
  rmSync(place, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const store = await openStore()
  const filled = { small: await fill(store, 'small', SMALL), large: await fill(store, 'large', records) }
  say(`filling: ${filled.large.microseconds.toFixed(1)} µs per command on the large wallet`)
  await timeDeposits(store)
  await store.close()
  await timeRequests(filled.small.middle, filled.large.middle)
}

function openStore(): Promise<LmdbStore> {
  const random = createPooledRandom()
  const ids = createIdGenerator(random)
  return openLmdbStore({
    directory: place,
    clock: {
      now: () => {
        nowMs += 1
        return nowMs
      },
    },
    tokenDecimals: { SEP: 6, 'TRX-NILE': 6 },
    newId: (ms) => ids.next(ms),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
  })
}

/** Invoices over 1000.000001, 1000.000002, … and deposits of 0.000001, in turn, so most invoices stay unpaid. */
async function fill(
  store: LmdbStore,
  name: string,
  count: number,
): Promise<{ readonly microseconds: number; readonly middle: string }> {
  const address = addressOf(name)
  await store.applyLedgerFacts([
    { eventId: null, fact: { type: 'wallet.assigned', id: name, address, network: 'SEP', owner: name } },
  ])
  const startedAt = process.hrtime.bigint()
  let middle = ''
  for (let from = 0; from < count; from += BATCH) {
    const batch: WalletCommand[] = []
    for (let n = from; n < Math.min(from + BATCH, count); n += 1) {
      batch.push(invoiceCommand(name, n), depositCommand(name, n, nowMs + batch.length + 2))
    }
    const results = await store.perform(batch)
    for (const [i, fate] of results.entries()) {
      if (fate.status === 'rejected') throw fate.reason
      if (fate.value.type === 'invoice') {
        if (!fate.value.outcome.ok) throw new Error(fate.value.outcome.failure.message)
        if (from + i / 2 <= count / 2) middle = fate.value.outcome.value.id
      }
    }
  }
  return { microseconds: Number(process.hrtime.bigint() - startedAt) / 1000 / (2 * count), middle }
}

function addressOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex')}`
}

function invoiceCommand(name: string, n: number): WalletCommand {
  const amount = 1000n * ATOMS + BigInt(n + 1) * 10n ** 12n
  return {
    type: 'invoice',
    request: {
      owner: name,
      walletIds: [name],
      name: `Order ${n}`,
      description: null,
      reference: `${name}-${n}`,
      amountText: formatAmount(amount),
      amount,
      currency: 'USDT',
      callbackUrl: null,
      isCallbackUrlValid: true,
    },
  }
}

function depositCommand(name: string, n: number, receivedAt: number): WalletCommand {
  return {
    type: 'deposit',
    eventId: null,
    fact: {
      type: 'deposit',
      report: 'confirmed',
      sighting: {
        network: 'SEP',
        txHash: `${name}-${n}`,
        index: 0,
        toAddress: addressOf(name),
        currency: 'Tether',
        amount: '1',
        receivedAt,
      },
    },
  }
}

/** A deposit's turn with matching, which only happens where a callback resolves. Nothing sends the deliveries here. */
async function timeDeposits(store: LmdbStore): Promise<void> {
  for (const name of ['small', 'large']) await store.putWebhook(name, 'http://127.0.0.1:9/')
  const count = 50
  const times: Record<string, number[]> = { small: [], large: [] }
  for (let n = 0; n < count; n += 1) {
    for (const name of ['small', 'large']) {
      const startedAt = process.hrtime.bigint()
      await store.perform([depositCommand(name, records + n, nowMs + 1)])
      times[name]?.push(Number(process.hrtime.bigint() - startedAt) / 1000)
    }
  }
  report('deposit with matching, one durable commit each', times['small'] ?? [], times['large'] ?? [])
  for (const name of ['small', 'large']) await store.deleteWebhook(name)
}

async function timeRequests(smallInvoice: string, largeInvoice: string): Promise<void> {
  const service = await startBenched(place, { BILLHOOK_LOG: 'error' })
  const { url } = service
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const read = (id: string) => send(agent, 'GET', `${url}/api/invoices/${id}`)
  const create = (name: string, n: number) =>
    send(agent, 'POST', `${url}/api/invoices`, {
      owner: name,
      walletIds: [name],
      name: 'Order',
      amount: `5000.${String(n).padStart(6, '0')}1`,
      currency: 'USDT',
    })
  await alternate(
    'GET /api/invoices/:id',
    () => read(smallInvoice),
    () => read(largeInvoice),
  )
  let n = 0
  await alternate(
    'POST /api/invoices, durable',
    () => create('small', n++),
    () => create('large', n++),
  )
  // RssAnon is the process's own memory; RssFile beside it is the page cache's, mapped: the database file as it is read.
  const memory = () => {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
    const [anonymous = 0, file = 0] = ['RssAnon', 'RssFile'].map(
      (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024,
    )
    return { anonymous, file }
  }
  const before = memory()
  const most = { ...before }
  let bytes = 0
  const waits: number[] = []
  const list = get(`${url}/api/users/large/invoices`)
  const [response] = await once(list, 'response')
  const startedAt = process.hrtime.bigint()
  let isDone = false
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    const now = memory()
    most.anonymous = Math.max(most.anonymous, now.anonymous)
    most.file = Math.max(most.file, now.file)
  })
  response.on('end', () => {
    isDone = true
  })
  while (!isDone) waits.push(await read(smallInvoice))
  const tookMs = Number(process.hrtime.bigint() - startedAt) / 1e6
  say(`full list: ${(bytes / 1e6).toFixed(0)} MB in ${(tookMs / 1000).toFixed(1)} s`)
  say(`  own memory ${before.anonymous.toFixed(0)} MB before, at most ${most.anonymous.toFixed(0)} MB while it streams`)
  say(`  mapped database pages ${before.file.toFixed(0)} MB before, at most ${most.file.toFixed(0)} MB`)
  say(`  meanwhile ${waits.length} other requests, ${describe(waits)}`)
  agent.destroy()
  await service.stop()
}

/** Sends one request and answers how long it took, in microseconds. */
function send(agent: Agent, method: string, url: string, body?: unknown): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = process.hrtime.bigint()
    const sent = request(url, { method, agent }, (response) => {
      if (response.statusCode === undefined || response.statusCode > 299)
        reject(new Error(`${method} ${url}: ${response.statusCode}`))
      response.resume()
      response.on('end', () => resolve(Number(process.hrtime.bigint() - startedAt) / 1000))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Times two things in turn, after a warm-up. */
async function alternate(what: string, a: () => Promise<number>, b: () => Promise<number>): Promise<void> {
  for (let n = 0; n < samples / 10; n += 1) await Promise.all([a(), b()])
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < samples; n += 1) {
    times[0].push(await a())
    times[1].push(await b())
  }
  report(what, ...times)
}

function report(what: string, small: readonly number[], large: readonly number[]): void {
  say(
    `${what}: with ${SMALL} ${describe(small)}; with ${records} ${describe(large)}; ratio ${(median(large) / median(small)).toFixed(2)}`,
  )
}

function describe(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `median ${median(times).toFixed(0)} µs, p99 ${(sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(0)} µs`
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
