import { createHash } from 'node:crypto'
import secp256k1 from 'secp256k1'
import { Bench } from 'tinybench'
import { WalletDirectory } from '../src/actors/wallet-directory.js'
import { loadEngine } from '../src/crypto/choose-engine.js'
import { createIdGenerator } from '../src/crypto/id.js'
import { createPooledRandom } from '../src/crypto/random.js'
import { formatAmount, parseInvoiceAmount } from '../src/domain/amount.js'
import { succeed } from '../src/domain/failure.js'
import { type Invoice, type InvoiceRequest, parseInvoiceRequest } from '../src/domain/invoice.js'
import { matchDeposit } from '../src/domain/matching.js'
import type { RequestHead } from '../src/http/server.js'
import { createMetrics } from '../src/metrics/metrics.js'
import type { Store } from '../src/store/store.js'
import { say } from './service-process.js'

/*
 * The small parts of a request, one by one.
 *
 *     node dist/bench/micro.js [milliseconds for each]
 */

const [timeMs = 500] = process.argv.slice(2).map(Number)
const body = { walletIds: ['wallet-1'], name: 'Order 1', amount: '12.345678', currency: 'USDT', reference: 'order-1' }

const bench = new Bench({ time: timeMs, warmupTime: timeMs / 5 })
const secretKey = createHash('sha256').update('bench').digest()
const digest = createHash('sha256').update('message').digest()
const der = secp256k1.signatureExport(secp256k1.ecdsaSign(digest, secretKey).signature)
const publicKey = secp256k1.publicKeyCreate(secretKey)
for (const name of ['libsecp256k1', 'noble'] as const) {
  const engine = await loadEngine(name)
  bench.add(`verify a signature, ${name}`, () => {
    if (!engine.verify(der, digest, publicKey)) throw new Error('a good signature was refused')
  })
}
bench.add('parse an amount', () => {
  parseInvoiceAmount('12.345678')
})
bench.add('format an amount', () => {
  formatAmount(12_345_678_000_000_000_000n)
})
bench.add('check the body of an invoice', () => {
  parseInvoiceRequest(body, 'owner')
})
const ids = createIdGenerator(createPooledRandom())
bench.add('make an id', () => {
  ids.next(1_700_000_000_000)
})
const candidates = Array.from({ length: 100 }, (_, n) => ({ id: String(n).padStart(32, '0'), remaining: BigInt(n) }))
bench.add('match a deposit among 100 candidates', () => {
  matchDeposit(50n, candidates)
})

const metrics = createMetrics()
const finished = {
  // The metrics read nothing of the head.
  head: {} as RequestHead,
  method: 'POST',
  pattern: '/api/invoices',
  status: 201,
  durationMs: 1.5,
}
bench.add('count a request, both readings of the clock included', () => {
  const startedAt = metrics.requests.now()
  metrics.requests.observe({ ...finished, durationMs: metrics.requests.now() - startedAt })
})
bench.add('count a signature, one reading of the clock included', () => {
  metrics.verifications.waited('registered', metrics.requests.now() - 1)
})
bench.add('count a commit, both readings of the clock included', () => {
  const startedAt = metrics.commits.now()
  metrics.commits.committed(64, metrics.commits.now() - startedAt)
})

const wanted = parseInvoiceRequest(body, 'owner')
if (!wanted.ok) throw new Error(wanted.failure.message)
const request: InvoiceRequest = wanted.value
const instant: Pick<Store, 'perform'> = {
  perform: async (batch) =>
    batch.map(() => ({
      status: 'fulfilled' as const,
      value: { type: 'invoice' as const, outcome: succeed({ id: '' } as Invoice), isReplay: false },
    })),
}
// The directory calls nothing else of the store to create an invoice.
const directory = new WalletDirectory(instant as Store)
bench.add('a turn of a wallet actor, the store answering at once', async () => {
  await directory.createInvoice(request)
})

await bench.run()
for (const { name, result } of bench.tasks) {
  if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`)
  const microseconds = result.latency.p50 * 1000
  say(`${name.padEnd(56)} ${microseconds.toFixed(2).padStart(10)} µs`)
}
