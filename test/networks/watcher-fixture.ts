import { Intake } from '../../src/actors/intake.js'
import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { createLog } from '../../src/log.js'
import { ChainWatcher, type ChainWatcherOptions } from '../../src/networks/chain-watcher.js'
import type { Store } from '../../src/store/store.js'
import type { StoreHarness } from '../contract/store/harness.js'
import { Random } from '../simulation/random.js'
import { addressOf, walletAssigned, walletCreated } from '../support/fixtures.js'
import { openLmdbHarness } from '../support/lmdb-harness.js'
import type { ManualClock } from '../support/manual-clock.js'
import { NoticedScheduler } from './noticed-scheduler.js'
import { SimulatedChain } from './simulated-chain.js'
import { SimulatedReader } from './simulated-reader.js'

export const POLL_MS = 1000

/** A watcher of a simulated chain on a real store, whose time passes when the test says so. */
export class WatcherFixture {
  readonly chain: SimulatedChain
  readonly reader: SimulatedReader
  readonly scheduler = new NoticedScheduler()
  readonly intake: Intake
  readonly log: Record<string, unknown>[] = []
  watcher: ChainWatcher
  private transactions = 0

  private constructor(
    private readonly harness: StoreHarness,
    confirmations: number,
    options: Partial<ChainWatcherOptions>,
  ) {
    this.chain = new SimulatedChain(confirmations)
    this.reader = new SimulatedReader(this.chain, new Random(1))
    this.intake = new Intake(harness.store.ledger, new WalletDirectory(harness.store), () => {})
    this.watcher = this.newWatcher(options)
  }

  /** Gives `run` a fixture whose wallet `wallet-1` is watched, and removes everything behind it. */
  static with(
    run: (fixture: WatcherFixture) => Promise<void>,
    options: Partial<ChainWatcherOptions> = {},
    confirmations = 3,
  ): () => Promise<void> {
    return async () => {
      const harness = await openLmdbHarness()
      const facts = [walletCreated('wallet-1'), walletAssigned('wallet-1', 'alice')]
      await harness.store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
      const fixture = new WatcherFixture(harness, confirmations, options)
      try {
        await run(fixture)
      } finally {
        await fixture.watcher.stop()
        await harness.discard()
      }
    }
  }

  get store(): Store {
    return this.harness.store
  }

  get clock(): ManualClock {
    return this.harness.clock
  }

  newWatcher(options: Partial<ChainWatcherOptions> = {}): ChainWatcher {
    return new ChainWatcher({
      reader: this.reader,
      chain: this.store.chain,
      invoices: this.store.invoices,
      deposits: this.store.deposits,
      aside: this.store.aside,
      decimals: this.store.networks.decimals,
      intake: this.intake,
      clock: this.clock,
      scheduler: this.scheduler,
      log: createLog('debug', { write: (line) => this.log.push(JSON.parse(line)) }),
      // Pauses are as long as they can be.
      random: () => 0.999_999,
      start: 0,
      skipAfterMs: 900_000,
      pollMs: POLL_MS,
      tipCheckMs: POLL_MS,
      settings: 'of the simulated chain',
      ...options,
    })
  }

  /** Mines blocks, each with one deposit; answers the hashes of the transactions. */
  mine(count = 1): string[] {
    return Array.from({ length: count }, () => {
      this.transactions += 1
      const txHash = `tx-${this.transactions}`
      this.chain.mine([{ txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '1' }])
      return txHash
    })
  }

  /** Waits until the watcher waits for time to pass. */
  rest(): Promise<void> {
    return this.scheduler.waited()
  }

  /** Lets the time of the next attempt come, and waits until it is over. */
  async next(): Promise<void> {
    const delay = this.scheduler.delays.at(-1) ?? 0
    this.clock.advance(delay)
    this.scheduler.pass(delay)
    await this.rest()
  }

  /** The kinds of deposits by their transactions. */
  async kinds(...txHashes: readonly string[]): Promise<readonly (string | undefined)[]> {
    const deposits = await Promise.all(txHashes.map((txHash) => this.store.deposits.find('SEP', txHash, 0)))
    return deposits.map((deposit) => deposit?.kind)
  }

  lines(level: string): readonly unknown[] {
    return this.log.filter((line) => line['level'] === level).map(({ msg }) => msg)
  }
}
