import assert from 'node:assert/strict'
import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import type { DepositReport, Sighting } from '../../src/domain/deposit.js'
import type { Difference } from '../../src/networks/difference.js'
import { type ReconcileOptions, type ReconcileProgress, reconcile } from '../../src/networks/reconcile.js'
import { type Scenario, withStore } from '../contract/store/harness.js'
import { Random } from '../simulation/random.js'
import { addressOf, depositFact } from '../support/fixtures.js'
import { openLmdbHarness } from '../support/lmdb-harness.js'
import { SimulatedChain } from './simulated-chain.js'
import { SimulatedReader } from './simulated-reader.js'

export const BLOCKS = 30
export const CONFIRMATIONS = 5
/** The block that everything is about. */
export const HEIGHT = 12
export const TX = `tx-${HEIGHT}`

/** A chain with a deposit to `wallet-1` in each block, and a store that has recorded all of them as the chain has them. */
export class Books {
  readonly chain = new SimulatedChain(CONFIRMATIONS)
  readonly reader = new SimulatedReader(this.chain, new Random(1))
  readonly intake: Intake
  readonly told: Difference[] = []
  readonly steps: ReconcileProgress[] = []

  constructor(private readonly t: Scenario) {
    this.intake = new Intake(t.store.ledger, new WalletDirectory(t.store), () => {})
  }

  async open(): Promise<void> {
    await this.t.own('alice', 'wallet-1', 'wallet-2')
    for (let height = 1; height <= BLOCKS; height += 1) {
      const block = this.chain.mine([
        { txHash: `tx-${height}`, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '5' },
      ])
      for (const transfer of block.transfers) await this.report('confirmed', { ...transfer, receivedAt: block.timeMs })
    }
  }

  timeOf(height: number): number {
    return this.chain.present[height]?.timeMs ?? assert.fail()
  }

  async report(report: DepositReport, fields: Partial<Sighting>): Promise<void> {
    const [outcome] = await this.intake.apply([{ eventId: null, fact: depositFact(report, fields) }])
    assert.equal(outcome?.status, 'applied')
  }

  async reconcile(options: Partial<ReconcileOptions> = {}): Promise<ReconcileProgress> {
    return reconcile({
      reader: this.reader,
      store: this.t.store,
      decimals: { SEP: { native: 18, USDT: 6 }, 'TRX-NILE': { native: 6, USDT: 6 } },
      isRead: () => true,
      intake: null,
      from: 5,
      to: 20,
      windowBlocks: 7,
      onDifference: (difference) => this.told.push(difference),
      onProgress: (progress) => this.steps.push(progress),
      isStopping: () => false,
      ...options,
    })
  }

  /** What a difference is, in a word and where. */
  words(): readonly string[] {
    return this.told.map((one) => {
      if (one.type === 'unplaced') return `unplaced ${one.deposit.txHash}`
      if (one.type === 'untold') return `untold ${one.txHash} in ${one.height}`
      const txHash = one.type === 'not_on_chain' ? one.deposit.txHash : one.transfer.txHash
      return `${one.type} ${txHash} in ${one.height}${one.type === 'other' ? ` by ${one.fields.join()}` : ''}`
    })
  }
}

export function withBooks(run: (books: Books, t: Scenario) => Promise<void>): () => Promise<void> {
  return withStore(openLmdbHarness, async (t) => {
    const books = new Books(t)
    await books.open()
    await run(books, t)
  })
}

/** The deposit of the block is another than before. */
export async function again(books: Books, report: DepositReport, fields: Partial<Sighting>): Promise<void> {
  await books.report('dropped', { txHash: TX })
  await books.report(report, {
    txHash: TX,
    amount: '5',
    toAddress: addressOf('wallet-1'),
    receivedAt: books.timeOf(HEIGHT),
    ...fields,
  })
}
