import { randomInt } from 'node:crypto'
import { formatAmount } from '../../src/domain/amount.js'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import { createLog } from '../../src/log.js'
import type { InvoiceCommand, WalletCommand } from '../../src/store/commands.js'
import type { Store } from '../../src/store/store.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { administer } from '../../test/support/postgres-database.js'
import type { Bench } from '../bench.js'
import { openBenchDatabase, SteppingClock } from '../bench-store.js'
import { wallet } from '../merchants.js'
import { POSTGRES_CLAIMS, POSTGRES_DEPOSITS, POSTGRES_PAID_STATUS } from '../names.js'
import { startDatabase } from '../postgres-contestants.js'
import { say } from '../service-process.js'

/** Invoices whose paid status is asked for, evenly over the history of a wallet. */
const INVOICES = 200
/** Owners of the queued webhooks, each with a receiver of its own. */
const RECEIVERS = 100
/** As the settings of a service have it by default. */
const CONCURRENCY = { concurrency: 256, concurrencyPerDestination: 16 }
/** Deposits to each wallet in a round. */
const DEPOSITS_EACH = 16
const ATOMS = 10n ** 18n
/** Time between two deposits of a history. */
const DEPOSIT_EVERY_MS = 40
const PAUSE_MS = 5

/** Measures the store on PostgreSQL alone: what a paid status costs, and how fast webhooks are claimed and deposits recorded. */
export async function postgresStore(bench: Bench): Promise<void> {
  const server = await startDatabase()
  const url = server.settings.BILLHOOK_STORE
  try {
    const sizes = bench.parameters.historySizes
    const clock = new SteppingClock(0, Date.now() - (Math.max(...sizes) + 1) * DEPOSIT_EVERY_MS)
    const store = await openBenchDatabase(url, clock)
    try {
      await timePaidStatus(bench, { store, clock, url })
    } finally {
      await store.close()
    }
    await timeOthers(bench, url)
  } finally {
    await server.stop()
  }
}

async function timeOthers(bench: Bench, url: string): Promise<void> {
  const store = await openBenchDatabase(url)
  try {
    await timeClaims(bench, store, url)
    await timeDeposits(bench, store)
  } finally {
    await store.close()
  }
}

interface Filling {
  readonly store: Store
  readonly clock: SteppingClock
  readonly url: string
}

/** The deposits of a history are inserted by SQL, as one is long, and so are their sums. */
async function timePaidStatus(bench: Bench, filling: Filling): Promise<void> {
  const { store, url } = filling
  const { findings, parameters } = bench
  const ids = new Map<number, readonly string[]>()
  for (const size of parameters.historySizes) ids.set(size, await fillHistory(filling, size))
  await administer(url, 'VACUUM ANALYZE deposits, received_spans, invoices, wallets')
  const samples = new Map(parameters.historySizes.map((size): [number, number[]] => [size, []]))
  for (let round = -1; round < parameters.rounds; round += 1) {
    for (const [size, known] of ids) {
      const startedAt = performance.now()
      for (let n = 0; n < parameters.historyOperations; n += 1) {
        const id = known[randomInt(known.length)] ?? ''
        if ((await store.invoices.findWithPayment(id))?.invoice.id !== id) throw new Error('an invoice is lost')
      }
      // The first round warms up.
      if (round >= 0) samples.get(size)?.push(((performance.now() - startedAt) * 1000) / parameters.historyOperations)
    }
  }
  const note = 'of invoices throughout the history, one after the other, each computed by the database'
  for (const [x, of] of samples) {
    findings.add({ group: 'postgres', name: POSTGRES_PAID_STATUS, unit: 'µs', samples: of, x, note })
  }
}

/** Answers the ids of the invoices that were created throughout the history. */
async function fillHistory({ store, clock, url }: Filling, size: number): Promise<readonly string[]> {
  const name = `history-${size}`
  await addWallet(store, name)
  const begin = clock.current
  const invoices = Math.min(INVOICES, size)
  const ids: string[] = []
  for (let n = 0; n < invoices; n += 1) {
    clock.current = begin + Math.floor((n * size * DEPOSIT_EVERY_MS) / invoices)
    ids.push(...(await create(store, [invoice(name, n)])))
  }
  clock.current = begin
  await administer(
    url,
    `INSERT INTO deposits (network, tx_hash, index, to_address, address_id, label, amount, kind, received_at, confirmed_at,
       counted_as, atoms, is_pending_reached, is_confirmed_reached)
     SELECT w.network, '${name}-' || n, 0, w.address, w.address_id, 'Tether', '1', 'confirmed', ${begin} + n * ${DEPOSIT_EVERY_MS}::bigint,
       ${begin} + n * ${DEPOSIT_EVERY_MS}::bigint, 'USDT', 1000000000000, true, true
     FROM wallets AS w, generate_series(1, ${size}) AS n WHERE w.id = '${name}'`,
    `INSERT INTO received_spans (address_id, currency, shift, start, seen, confirmed, unmatched_seen, unmatched_confirmed)
     SELECT d.address_id, 'USDT', size.shift, (d.received_at >> size.shift) << size.shift, sum(d.atoms), sum(d.atoms),
       sum(d.atoms), sum(d.atoms)
     FROM deposits AS d JOIN wallets AS w ON w.address_id = d.address_id
     CROSS JOIN (VALUES (0), (12), (18), (24), (30)) AS size (shift)
     WHERE w.id = '${name}' GROUP BY d.address_id, size.shift, 4`,
  )
  say(`  a wallet with ${size} deposits is there`)
  return ids
}

/** The dispatcher of the service, with receivers that answer at once. */
async function timeClaims(bench: Bench, store: Store, url: string): Promise<void> {
  const { findings, parameters } = bench
  const samples: number[] = []
  for (let round = 0; round < parameters.rounds; round += 1) {
    await administer(
      url,
      `INSERT INTO deliveries (id, owner, lane, invoice_id, status, url, body, state, created_at, attempts, attempts_before)
       SELECT gen_random_uuid(), 'owner-' || n % ${RECEIVERS}, md5((n % ${RECEIVERS})::text), md5(n::text), 'confirmed', 'https://shop.example/paid',
         repeat('x', 420), 'queued', 0, 0, 0 FROM generate_series(1, ${parameters.queuedDeliveries}) AS n`,
      'VACUUM ANALYZE deliveries',
    )
    const startedAt = performance.now()
    await drain(store)
    samples.push((parameters.queuedDeliveries * 1000) / (performance.now() - startedAt))
  }
  const note = `by the dispatcher, of ${RECEIVERS} owners, to receivers that answer at once`
  findings.add({ group: 'postgres', name: POSTGRES_CLAIMS, unit: 'per second', samples, note })
}

async function drain(store: Store): Promise<void> {
  const dispatcher = new Dispatcher({
    outbox: store.outbox,
    webhooks: store.webhooks,
    sender: { send: async () => ({ kind: 'answered', httpStatus: 200, durationMs: 0 }) },
    clock: { now: () => Date.now() },
    log: createLog('silent'),
    ...CONCURRENCY,
  })
  await dispatcher.start()
  while (dispatcher.laneCount > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  await dispatcher.stop()
  const { queued, attempted } = await store.outbox.depth()
  if (queued + attempted > 0) throw new Error(`${queued + attempted} deliveries are left`)
}

/** Each deposit is matched with an invoice, pays it and queues two webhooks. */
async function timeDeposits(bench: Bench, store: Store): Promise<void> {
  const { findings, parameters } = bench
  const names = Array.from({ length: parameters.depositWallets }, (_, n) => `paid-${n}`)
  for (const name of names) await addWallet(store, name)
  const samples: number[] = []
  for (let round = 0; round <= parameters.rounds; round += 1) {
    let ms = 0
    for (let n = round * DEPOSITS_EACH; n < (round + 1) * DEPOSITS_EACH; n += 1)
      ms += await timeDepositToEach(store, names, n)
    // The first round warms up.
    if (round > 0) samples.push((names.length * DEPOSITS_EACH * 1000) / ms)
  }
  const note = 'one for each of many wallets at once, each matched, paying an invoice, with two webhooks queued'
  findings.add({ group: 'postgres', name: POSTGRES_DEPOSITS, unit: 'per second', samples, note })
}

/** Answers how long the deposits took, ms. */
async function timeDepositToEach(store: Store, names: readonly string[], n: number): Promise<number> {
  await create(
    store,
    names.map((name) => invoice(name, n)),
  )
  const startedAt = performance.now()
  await Promise.all(names.map((name) => perform(store, [deposit(name, n)])))
  return performance.now() - startedAt
}

async function addWallet(store: Store, name: string): Promise<void> {
  const { id, address, network, owner } = wallet(name, name)
  await store.ledger.applyFacts([{ eventId: null, fact: { type: 'wallet.assigned', id, address, network, owner } }])
}

async function create(store: Store, commands: readonly InvoiceCommand[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const value of await perform(store, commands)) {
    if (value.type === 'invoice' && value.outcome.ok) ids.push(value.outcome.value.id)
    else throw new Error('an invoice was not created')
  }
  return ids
}

async function perform(store: Store, commands: readonly WalletCommand[]) {
  const fates = await store.commands.perform(commands)
  return fates.map((fate) => {
    if (fate.status === 'rejected') throw fate.reason
    return fate.value
  })
}

function amountOf(n: number): bigint {
  return 1000n * ATOMS + BigInt(n) * 10n ** 12n
}

function invoice(name: string, n: number): InvoiceCommand {
  return {
    type: 'invoice',
    request: {
      owner: name,
      walletIds: [name],
      name: 'Order',
      description: null,
      reference: `${name}-${n}`,
      amountText: formatAmount(amountOf(n)),
      amount: amountOf(n),
      currency: 'USDT',
      callbackUrl: 'https://shop.example/paid',
      isCallbackUrlValid: true,
      order: NO_ORDER_FIELDS,
      expiresInSeconds: null,
    },
  }
}

function deposit(name: string, n: number): WalletCommand {
  const { address: toAddress, network } = wallet(name, name)
  const sighting = { network, txHash: `${name}-${n}`, index: 0, toAddress, currency: 'Tether' } as const
  const amount = String(amountOf(n) / 10n ** 12n)
  return {
    type: 'deposit',
    eventId: null,
    // Received after the invoice was created, and before the next one is: that one would be paid as it is created.
    fact: { type: 'deposit', report: 'confirmed', sighting: { ...sighting, amount, receivedAt: Date.now() + 1 } },
  }
}
