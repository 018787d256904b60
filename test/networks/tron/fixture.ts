import { labelOf } from '../../../src/domain/amount.js'
import type { WatchedAddresses } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import { QUIET_SECONDS } from '../../../src/networks/catalogue/entry.js'
import { NodesReader, type NodesReaderOptions } from '../../../src/networks/node/nodes-reader.js'
import { accountOfAddress, addressOfAccount } from '../../../src/networks/tron/address.js'
import { TronNode, type TronNodeOptions } from '../../../src/networks/tron/node.js'
import type { TronToken } from '../../../src/networks/tron/token-check.js'
import type { Scheduler } from '../../../src/scheduler.js'
import { ManualClock } from '../../support/manual-clock.js'
import { EmulatedTronChain } from '../../support/tron-chain.js'
import { type EmulatedToken, type EmulatedTronNode, openTronNode } from '../../support/tron-node.js'
import { emulatedAccount } from '../../support/tron-transactions.js'
import { HastyScheduler } from '../hasty-scheduler.js'

/** A token of Nile that public configurations use. */
export const TOKEN_ADDRESS = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
export const TOKEN = accountOfAddress(TOKEN_ADDRESS) ?? ''

const SIX = '6'.padStart(64, '0')
const USDT = ['20', '4', Buffer.from('USDT').toString('hex')]

export const token: EmulatedToken = {
  account: TOKEN,
  returns: {
    'decimals()': SIX,
    'symbol()': `${USDT[0]?.padStart(64, '0')}${USDT[1]?.padStart(64, '0')}${USDT[2]?.padEnd(64, '0')}`,
  },
}

/** Longer than anybody waits for a turn. */
const TIMEOUT_MS = 600_000

/** Ours, and one that nobody watches. */
export const OURS: readonly string[] = [emulatedAccount(101), emulatedAccount(102)]
export const [ALICE = '', BOB = ''] = OURS
export const STRANGER = emulatedAccount(103)
export const ours: ReadonlySet<string> = new Set(OURS)

export const addresses = OURS.map(addressOfAccount)
export const watched: WatchedAddresses = {
  has: (address) => addresses.includes(address),
  few: (limit) => (addresses.length <= limit ? addresses : null),
}

/** `token`: the account of its contract. */
export interface TronVariant extends Partial<NodesReaderOptions & TronNodeOptions> {
  readonly token?: string
  readonly tokenDecimals?: number
}

/** A token as a reader knows it. */
export function tronToken(symbol: string, account: string, decimals = 6): TronToken {
  return { symbol, account, decimals, label: labelOf(symbol) }
}

/** Emulated nodes with one chain, and a reader of them whose time is that of the newest block. */
export class TronFixture {
  private constructor(
    readonly chain: EmulatedTronChain,
    readonly nodes: readonly EmulatedTronNode[],
    readonly clock: ManualClock,
    readonly reader: NodesReader,
    /** What the nodes do not prove. */
    readonly warnings: readonly string[],
  ) {}

  static async open(count: number, variant: TronVariant = {}, emulated = token): Promise<TronFixture> {
    const chain = new EmulatedTronChain()
    const nodes = await Promise.all(Array.from({ length: count }, () => openTronNode(chain, emulated)))
    const clock = new ManualClock(chain.newestMs)
    const warnings: string[] = []
    const options = {
      tokens: [tronToken('USDT', variant.token ?? emulated.account, variant.tokenDecimals)],
      genesisId: chain.blocks[0]?.hash ?? '',
      clock,
      warn: (_endpoint: string, text: string) => warnings.push(text),
      ...variant,
    }
    const reader = new NodesReader({
      network: 'TRX-NILE',
      addresses: nodes.map(({ url }) => ({ url })),
      nodeOf: (http) => new TronNode(http, options),
      headAgeMaxMs: QUIET_SECONDS.tron * 1000,
      timeoutMs: TIMEOUT_MS,
      answerLimitBytes: 1_000_000,
      clock,
      scheduler: new HastyScheduler(clock, TIMEOUT_MS),
      random: () => 0,
      log: createLog('silent', { write: () => {} }),
      ...variant,
    })
    return new TronFixture(chain, nodes, clock, reader, warnings)
  }

  /** The first node. */
  get node(): EmulatedTronNode {
    const [node] = this.nodes
    if (node === undefined) throw new Error('there is no node')
    return node
  }

  /** Lets the clock show the time of the newest block, and pauses end. */
  now(): void {
    this.clock.set(Math.max(this.clock.now(), this.chain.newestMs))
  }

  async close(): Promise<void> {
    await this.reader.close()
    for (const node of this.nodes) await node.close()
  }
}

/** A scheduler whose delays end when the test says so, once they have begun. */
export function impatientScheduler(): { readonly scheduler: Scheduler; endAll(): void } {
  let waiting: (() => void)[] = []
  return {
    scheduler: {
      after(_delayMs, task) {
        waiting.push(task)
        return () => {
          waiting = waiting.filter((other) => other !== task)
        }
      },
    },
    endAll() {
      const due = waiting
      waiting = []
      for (const task of due) task()
    },
  }
}
