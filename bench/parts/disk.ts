import { createHash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { NO_ORDER_FIELDS } from '../../src/domain/order-fields.js'
import type { LmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { openEnvironment, openTables, type Table } from '../../src/store/lmdb/tables/tables.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import type { Bench } from '../bench.js'
import { openBenchStore, SteppingClock } from '../bench-store.js'
import { type BenchWallet, wallet } from '../merchants.js'
import { DISK, DISK_FILE } from '../names.js'
import { plainNumber } from '../report-parts/figure.js'
import { type DiskKind, TABLE_KINDS } from '../table-kinds.js'

const AT_ONCE = 256
const INVOICES_PER_WALLET = 10
const OWNERS = 50
/** An invoice has a deposit, which is reported twice, each time with a webhook and an event. Its owner's log also has its creation and that it was paid. */
const REPORTS = ['pending', 'confirmed'] as const
/** Readings of the clock for an invoice, at most. */
const READINGS = 20

/**
 * Measures the bytes on disk that each kind of record takes: fills a store with invoices that are paid and notified, and
 * counts the pages of its tables.
 */
export async function disk({ parameters, findings, directory }: Bench): Promise<void> {
  const place = join(directory, 'disk')
  const count = parameters.diskInvoices
  const paid = new PaidInvoices(place, count)
  await paid.fill()
  const bytes = await bytesByKind(place)
  const file = statSync(join(place, 'data.mdb')).size
  rmSync(place, { recursive: true })
  const counts = {
    invoice: count,
    deposit: count,
    delivery: count * REPORTS.length,
    event: count * REPORTS.length,
    'owner event': count * (REPORTS.length + 2),
    'idempotency key': count,
    wallet: paid.walletCount,
  }
  const note = `pages of its tables, in a store with ${plainNumber(count)} paid invoices`
  const add = (name: string, figure: number) =>
    findings.add({ group: 'disk', name, unit: 'bytes', samples: [figure], note })
  for (const [kind, name] of Object.entries(DISK) as [keyof typeof DISK, string][]) {
    add(name, (bytes.get(kind) ?? 0) / counts[kind])
  }
  add(DISK_FILE, file / count)
}

async function bytesByKind(directory: string): Promise<ReadonlyMap<DiskKind, number>> {
  const { root, ...tables } = openTables(openEnvironment(directory))
  const bytes = new Map<DiskKind, number>()
  for (const [name, kind] of Object.entries(TABLE_KINDS) as [keyof typeof TABLE_KINDS, DiskKind][]) {
    bytes.set(kind, (bytes.get(kind) ?? 0) + bytesOf(tables[name]))
  }
  await root.close()
  return bytes
}

function bytesOf(table: Table): number {
  // The binding's types do not say what its statistics hold.
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as Record<string, number>
  return (pageSize ?? Number.NaN) * ((treeBranchPageCount ?? 0) + (treeLeafPageCount ?? 0) + (overflowPages ?? 0))
}

/** A store with invoices of usual fields that were paid and whose webhooks were delivered. */
class PaidInvoices {
  readonly walletCount: number
  private readonly clock: SteppingClock

  constructor(
    private readonly directory: string,
    private readonly count: number,
  ) {
    this.walletCount = Math.ceil(count / INVOICES_PER_WALLET)
    this.clock = new SteppingClock(count * READINGS)
  }

  async fill(): Promise<void> {
    const store = await openBenchStore(this.directory, this.clock)
    const wallets = Array.from({ length: this.walletCount }, (_, n) => n)
    for (const batch of batches(wallets)) await store.ledger.applyFacts(batch.map((n) => assignment(walletOf(n))))
    const numbers = Array.from({ length: this.count }, (_, n) => n)
    for (const batch of batches(numbers)) {
      await this.create(store, batch)
      for (const report of REPORTS) await deliver(store, await this.report(store, batch, report))
    }
    await store.close()
  }

  private async create(store: LmdbStore, batch: readonly number[]): Promise<void> {
    const fates = await store.commands.perform(batch.map((n) => this.invoice(n)))
    for (const fate of fates) {
      if (fate.status === 'rejected') throw fate.reason
      if (fate.value.type !== 'invoice' || !fate.value.outcome.ok) throw new Error('an invoice was refused')
    }
  }

  private async report(store: LmdbStore, batch: readonly number[], report: (typeof REPORTS)[number]) {
    const fates = await store.commands.perform(batch.map((n) => this.deposit(n, report)))
    const owed = fates.flatMap((fate) => {
      if (fate.status === 'rejected') throw fate.reason
      return fate.value.type === 'deposit' ? fate.value.owed : []
    })
    if (owed.length !== batch.length) throw new Error(`${batch.length} deposits caused ${owed.length} webhooks`)
    return owed
  }

  private invoice(n: number) {
    const { id, owner } = walletOf(n % this.walletCount)
    const amount = amountOf(n)
    return {
      type: 'invoice',
      request: {
        owner,
        walletIds: [id],
        name: `Order ${n}`,
        description: null,
        reference: `order-${String(n).padStart(8, '0')}`,
        amountText: `${amount / 10n ** 6n}.${String(amount % 10n ** 6n).padStart(6, '0')}`,
        amount: amount * 10n ** 12n,
        currency: 'USDT',
        callbackUrl: 'https://shop.example/webhooks/billhook',
        isCallbackUrlValid: true,
        order: NO_ORDER_FIELDS,
        expiresInSeconds: null,
      },
      terms: { idempotency: { scope: sha256(`scope ${n}`), bodyHash: sha256(`body ${n}`) } },
    } as const
  }

  private deposit(n: number, report: (typeof REPORTS)[number]) {
    const { address, network } = walletOf(n % this.walletCount)
    const txHash = `0x${sha256(`transaction ${n}`).toString('hex')}`
    const sighting = { network, txHash, index: 0, toAddress: address, currency: 'Tether', amount: `${amountOf(n)}` }
    return {
      type: 'deposit',
      eventId: `${txHash.slice(2, 34)}-${report}`,
      fact: { type: 'deposit', report, sighting: { ...sighting, receivedAt: this.clock.now() } },
    } as const
  }
}

async function deliver(store: LmdbStore, owed: readonly OwedDelivery[]): Promise<void> {
  const result = { kind: 'answered', httpStatus: 200, durationMs: 40 } as const
  const all = (work: (id: string) => Promise<unknown>) => Promise.all(owed.map(({ id }) => work(id)))
  await all((id) => store.outbox.markAttempted(id))
  await all((id) => store.outbox.recordResult(id, result, () => null))
}

/** Raw units of USDT; no two are equal on a wallet. */
function amountOf(n: number): bigint {
  return 25_000_000n + BigInt(n)
}

/** A wallet of an identity with an id as long as the ledger's. */
function walletOf(n: number): BenchWallet {
  return wallet(sha256(`wallet ${n}`).toString('hex').slice(0, 36), sha256(`owner ${n % OWNERS}`).toString('hex'))
}

function assignment({ id, address, network, owner }: BenchWallet) {
  return { eventId: null, fact: { type: 'wallet.assigned', id, address, network, owner } } as const
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function* batches(numbers: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < numbers.length; from += AT_ONCE) yield numbers.slice(from, from + AT_ONCE)
}
