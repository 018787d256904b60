import assert from 'node:assert/strict'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { ObservedTransfer } from '../../src/domain/block.js'
import { isWithin, millisecond, wholeSecond } from '../../src/domain/received-at.js'
import { createLog } from '../../src/log.js'
import type { NetworkEntry } from '../../src/networks/catalogue/entry.js'
import { ChainWatcher } from '../../src/networks/chain-watcher.js'
import { type LmdbStore, openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { Random } from '../simulation/random.js'
import { CATALOGUE_NETWORKS } from '../support/catalogue.js'
import { addressOf, invoiceRequest, walletAssigned, walletCreated } from '../support/fixtures.js'
import { lmdbStoreOptions } from '../support/lmdb-harness.js'
import { ManualClock } from '../support/manual-clock.js'
import { memoryDirectory } from '../support/temporary-directory.js'
import { Gate } from './gate.js'
import { NoticedScheduler } from './noticed-scheduler.js'
import { SimulatedChain } from './simulated-chain.js'
import { type Faults, NO_FAULTS, SimulatedReader } from './simulated-reader.js'

const POLL_MS = 1000
/** Events of one history. */
const EVENTS = 60
const DEPTH_MAX = 20
/** Blocks that a chain confirms together by its own finality. */
const FINAL_AT_ONCE_MAX = 8
const WALLETS = ['wallet-0', 'wallet-1', 'wallet-2']
/** Passages in which a watcher that nothing disturbs must have arrived. */
const PASSAGES_MAX = 50_000
/** What is ordered on the wallets, one invoice each. */
const ORDERS = WALLETS.flatMap((id) =>
  ['native', 'USDT'].map((currency) => ({ id, currency, reference: `${id} ${currency}` })),
)
const log = createLog('silent')

/** What a history did, for people. */
export interface HistoryTally {
  blocks: number
  reorganisations: number
  restarts: number
  undone: number
  confirmedUndone: number
  repaired: number
  deposits: number
}

/**
 * One watcher after the other on one store, beside a chain that grows and is reorganised, all from one seed: a chain of a
 * network of the catalogue, which confirms its blocks as the entry says.
 */
class History {
  readonly tally: HistoryTally = {
    blocks: 0,
    reorganisations: 0,
    restarts: 0,
    undone: 0,
    confirmedUndone: 0,
    repaired: 0,
    deposits: 0,
  }
  private readonly random: Random
  private readonly chain: SimulatedChain
  private readonly reader: SimulatedReader
  private readonly clock = new ManualClock()
  private readonly start: number
  private transactions = 0
  private life: { readonly watcher: ChainWatcher; readonly gate: Gate; readonly scheduler: NoticedScheduler } | null =
    null

  constructor(
    seed: number,
    private readonly entry: NetworkEntry,
    private readonly store: LmdbStore,
    clock: ManualClock,
  ) {
    this.random = new Random(seed)
    this.clock = clock
    const isCounted = entry.kind === 'evm' && typeof entry.confirmations === 'number'
    const atOnce = isCounted ? 1 : this.random.between(1, FINAL_AT_ONCE_MAX)
    const timeOf = entry.kind === 'evm' ? wholeSecond : millisecond
    this.chain = new SimulatedChain(this.random.between(1, 15), atOnce, timeOf)
    this.reader = new SimulatedReader(this.chain, new Random(seed, 1), entry.id)
    this.start = this.random.pick([0, 0, 1, 5])
  }

  async play(): Promise<void> {
    const { random } = this
    await this.openShop()
    for (let n = random.below(30); n > 0; n -= 1) this.mine()
    await this.restart()
    for (let n = 0; n < EVENTS; n += 1) {
      if (random.chance(0.15)) this.reader.faults = this.someFaults()
      if (random.chance(0.12)) await this.restart()
      if (random.chance(0.25)) this.reorganise()
      else for (let blocks = random.pick([0, 1, 1, 1, 2, 6]); blocks > 0; blocks -= 1) this.mine()
      await this.let(random.pick([0, 3, 20, 80, 300]))
    }
    this.reader.faults = NO_FAULTS
    // Whatever was read wrongly gets confirmed, and so gets read again; the last blocks stay pending.
    for (let n = 0; n < this.chain.confirmations + this.chain.confirmedAtOnce; n += 1) this.mine()
    await this.arrive()
    for (let n = 0; n < 3; n += 1) this.mine()
    await this.arrive()
    await this.compare()
    await this.stop()
  }

  /** Every deposit is one to an invoice that is never paid in full, so each is notified. */
  private async openShop(): Promise<void> {
    const facts = WALLETS.flatMap((id) => [walletCreated(id, this.entry.id), walletAssigned(id, 'alice')])
    await this.store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
    for (const { id, currency, reference } of ORDERS) {
      const about = { walletIds: [id], amount: '1000000000', currency, reference }
      const request = invoiceRequest({ ...about, callbackUrl: 'https://receiver.test/' })
      const [fate] = await this.store.commands.perform([{ type: 'invoice', request }])
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
    }
  }

  /** A crash, unless there is no watcher yet, and another start. */
  private async restart(): Promise<void> {
    if (this.life !== null) {
      this.tally.restarts += 1
      this.keepCounts()
      await this.life.gate.shut()
    }
    const gate = new Gate()
    const scheduler = new NoticedScheduler()
    const directory = new WalletDirectory(this.store)
    const watcher = new ChainWatcher({
      reader: gate.around(this.reader),
      chain: gate.around(this.store.chain),
      invoices: this.store.invoices,
      deposits: this.store.deposits,
      aside: gate.around(this.store.aside),
      decimals: this.store.networks.decimals,
      intake: gate.around(new Intake(this.store.ledger, directory, () => {})),
      clock: this.clock,
      scheduler,
      log,
      random: () => 0,
      start: this.start,
      skipAfterMs: 0,
      pollMs: POLL_MS,
      tipCheckMs: POLL_MS,
      settings: 'of the simulated chain',
    })
    this.life = { watcher, gate, scheduler }
    watcher.start().catch((error: unknown) => {
      throw error
    })
  }

  private keepCounts(): void {
    const state = this.life?.watcher.state()
    this.tally.undone += state?.reorganisations ?? 0
    this.tally.confirmedUndone += state?.confirmedBlocksUndone ?? 0
    this.tally.repaired += state?.repaired ?? 0
  }

  /** Lets the watcher do so many things. */
  private async let(passages: number): Promise<void> {
    for (let n = 0; n < passages; n += 1) await this.passage()
  }

  private async passage(): Promise<void> {
    if (this.life === null) throw new Error('there is no watcher')
    const { gate, scheduler } = this.life
    if (await gate.open(scheduler)) return
    this.clock.advance(POLL_MS)
    // Pauses after failures are longer; here nobody waits for them.
    scheduler.pass(100 * POLL_MS)
  }

  /** The watcher goes on until it has nothing more to do. */
  private async arrive(): Promise<void> {
    for (let n = 0; n < PASSAGES_MAX; n += 1) {
      await this.passage()
      const { head, position, lastError } = this.life?.watcher.state() ?? assert.fail()
      if (lastError?.includes('refused')) assert.fail(lastError)
      const { latest, confirmed } = this.chain
      const isThere = position?.tip.hash === this.chain.present[latest]?.hash && position?.confirmed === confirmed
      if (isThere && head?.latest === latest && (this.life?.scheduler.pending ?? 0) > 0) return
    }
    assert.fail(`the watcher does not arrive: ${JSON.stringify(this.life?.watcher.state())}`)
  }

  private async stop(): Promise<void> {
    this.keepCounts()
    const { watcher, gate } = this.life ?? assert.fail()
    let isStopped = false
    const stopped = watcher.stop().then(() => {
      isStopped = true
    })
    while (!isStopped) await gate.openNow()
    await stopped
    assert.ok(this.reader.isClosed)
  }

  private someFaults(): Faults {
    const { random } = this
    return {
      unavailable: random.pick([0, 0, 0.1, 0.5]),
      lagging: random.pick([0, 0, 0.2, 0.6]),
      mistaken: random.pick([0, 0.3, 0.9]),
      rangeMax: random.pick([1, 3, 50]),
    }
  }

  private mine(included: readonly ObservedTransfer[] = []): void {
    const { random } = this
    this.tally.blocks += 1
    const fresh = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => this.transaction()).flat()
    this.chain.mine([...included, ...fresh])
  }

  /** One or two transfers, to us or to others. */
  private transaction(): readonly ObservedTransfer[] {
    const { random } = this
    this.transactions += 1
    const txHash = `tx-${this.transactions}`
    const wallets = random.shuffled([...WALLETS, 'a stranger']).slice(0, random.pick([1, 1, 2]))
    return wallets.map((id, index) => {
      const amount = BigInt(random.between(1, 500_000))
      const isToken = random.chance(0.5)
      return {
        txHash,
        index,
        toAddress: addressOf(id),
        currency: isToken ? 'Tether' : '#native',
        amount: String(isToken ? amount * this.rawThousandth : Number(amount) / 1000),
      }
    })
  }

  /** Of the token, as transfers tell it. */
  private get rawThousandth(): bigint {
    return 10n ** BigInt((this.entry.tokens[0]?.decimals ?? 0) - 3)
  }

  /** Blocks are replaced; of their transactions some are left out, the others come in other blocks. */
  private reorganise(): void {
    const { random } = this
    this.tally.reorganisations += 1
    const depth = random.chance(0.7) ? random.between(1, 4) : random.between(1, DEPTH_MAX)
    const gone = this.chain.undo(depth, this.start)
    const left = new Map<string, ObservedTransfer[]>()
    for (const transfer of gone.flatMap(({ transfers }) => transfers)) {
      left.set(transfer.txHash, [...(left.get(transfer.txHash) ?? []), transfer])
    }
    const again = random.shuffled([...left.values()]).filter(() => random.chance(0.8))
    const blocks = Math.max(0, gone.length + random.pick([-1, 0, 0, 1, 1, 2]))
    for (let n = 0; n < blocks; n += 1) {
      const share = n === blocks - 1 ? again.length : random.below(again.length + 1)
      this.mine(again.splice(0, share).flat())
    }
  }

  /** The store against a scan of the chain from its start, and the notifications against both. */
  private async compare(): Promise<void> {
    const network = this.entry.id
    const expected = new Map<string, object>()
    const sums = new Map(
      ORDERS.map(({ id, currency }) => [`${addressOf(id)} ${currency}`, { confirmed: 0, pending: 0 }]),
    )
    const kept = this.store.deposits.page(network, { after: null, limit: 100_000 }).items
    for (const { transfers, ...block } of this.chain.present.slice(this.start)) {
      const { height, timeEndMs } = block
      for (const transfer of transfers) {
        const isToken = transfer.currency === 'Tether'
        const sum = sums.get(`${transfer.toAddress} ${isToken ? 'USDT' : 'native'}`)
        if (sum === undefined) continue
        const kind = height <= this.chain.confirmed ? 'confirmed' : 'pending'
        sum[kind] += isToken ? Number(BigInt(transfer.amount) / this.rawThousandth) : thousandths(transfer.amount)
        // When the watcher saw it first is its own affair, as long as the block may be of that time.
        const { txHash, index } = transfer
        const seenAt = kept.find((one) => one.txHash === txHash && one.index === index)?.receivedAt ?? timeEndMs
        const receivedAt = isWithin(block, seenAt) ? seenAt : timeEndMs
        expected.set(`${txHash} ${index}`, { network, ...transfer, receivedAt, kind })
      }
    }
    this.tally.deposits = expected.size
    const actual = kept.filter(({ kind }) => kind !== 'dropped').map(({ confirmedAt: _, ...deposit }) => deposit)
    assert.deepEqual(
      new Map(actual.map((deposit) => [`${deposit.txHash} ${deposit.index}`, deposit] as const).sort(byName)),
      new Map([...expected].sort(byName)),
    )
    for (const { id, currency, reference } of ORDERS) {
      const invoice = this.store.invoices.findByReference(reference) ?? assert.fail()
      const { received, pending } = this.store.invoices.findWithPayment(invoice.id)?.payment ?? assert.fail()
      const sum = sums.get(`${addressOf(id)} ${currency}`) ?? assert.fail()
      assert.deepEqual([thousandths(received), thousandths(pending)], [sum.confirmed, sum.pending], reference)
    }
    this.compareDeliveries(actual)
  }

  private compareDeliveries(present: readonly { txHash: string; toAddress: string; kind: string }[]): void {
    const times = new Map<string, number>()
    for (const { body } of this.store.outbox.page('alice', { after: null, limit: 100_000 }).items) {
      const { txHash, toAddress, status }: Record<string, string> = JSON.parse(body)
      const name = `${txHash} ${toAddress} ${status}`
      times.set(name, (times.get(name) ?? 0) + 1)
    }
    for (const [name, count] of times) assert.equal(count, 1, `${name} was notified ${count} times`)
    for (const { txHash, toAddress, kind } of present) {
      assert.equal(times.get(`${txHash} ${toAddress} pending`), 1, `${txHash} was never notified as pending`)
      if (kind === 'confirmed') {
        assert.equal(times.get(`${txHash} ${toAddress} confirmed`), 1, `${txHash} was never notified as confirmed`)
      }
    }
  }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

/** Amounts here have at most three digits behind the point. */
function thousandths(amount: string): number {
  const [whole = '0', fraction = ''] = amount.split('.')
  return Number(whole) * 1000 + Number(fraction.padEnd(3, '0'))
}

/** Plays the history of a seed on a network in a directory of its own. Throws what came out wrong. */
export async function playHistory(seed: number, entry: NetworkEntry): Promise<HistoryTally> {
  const place = memoryDirectory()
  const clock = new ManualClock()
  const store = await openLmdbStore({ ...lmdbStoreOptions(place.path, clock), networks: CATALOGUE_NETWORKS })
  try {
    const history = new History(seed, entry, store, clock)
    await history.play()
    return history.tally
  } finally {
    await store.close()
    place.remove()
  }
}
