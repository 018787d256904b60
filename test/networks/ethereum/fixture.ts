import assert from 'node:assert/strict'
import { type Clock, systemClock } from '../../../src/clock.js'
import { labelOf } from '../../../src/domain/amount.js'
import type { ObservedBlock, ObservedTransfer, WatchedAddresses } from '../../../src/domain/block.js'
import { createLog } from '../../../src/log.js'
import { QUIET_SECONDS } from '../../../src/networks/catalogue/entry.js'
import type { Confirmation } from '../../../src/networks/ethereum/head-reader.js'
import { EthereumNode } from '../../../src/networks/ethereum/node.js'
import type { EvmToken } from '../../../src/networks/ethereum/token-contract.js'
import { type NetworkReader, NodeUnavailable } from '../../../src/networks/network-reader.js'
import { NodesReader } from '../../../src/networks/node/nodes-reader.js'
import { type Scheduler, systemScheduler } from '../../../src/scheduler.js'

export const CHAIN_ID = 11_155_111
export const CONFIRMATIONS = 12

export const TIMEOUT_MS = 20_000
/** Far more than any answer of the tests' chains. */
export const ANSWER_LIMIT_BYTES = 4_000_000

/** What differs between the readers of the tests. */
export interface ReaderVariant {
  readonly token: string
  readonly decimals?: number
  /** Tokens beside that one. */
  readonly others?: readonly EvmToken[]
  readonly chainId?: number
  readonly confirmation?: Confirmation
  readonly batchMax?: number
  readonly rangeMax?: number
  readonly traces?: boolean
  readonly clock?: Clock
  readonly scheduler?: Scheduler
  /** How long a call waits for its turn; not at all when absent. */
  readonly patienceMs?: number
  readonly timeoutMs?: number
  readonly warn?: (endpoint: string, text: string) => void
}

/** A token as a reader knows it. */
export function evmToken(symbol: string, contract: string, decimals = 6): EvmToken {
  return { symbol, contract, decimals, label: labelOf(symbol) }
}

export function ethereumReader(urls: readonly string[], variant: ReaderVariant): NetworkReader {
  const options = {
    chainId: variant.chainId ?? CHAIN_ID,
    tokens: [evmToken('USDT', variant.token, variant.decimals), ...(variant.others ?? [])],
    confirmation: variant.confirmation ?? CONFIRMATIONS,
    batchMax: variant.batchMax ?? 50,
    rangeMax: variant.rangeMax ?? 200,
    traces: variant.traces ?? false,
    clock: variant.clock ?? systemClock,
    warn: variant.warn ?? (() => {}),
  }
  return new NodesReader({
    network: 'SEP',
    addresses: urls.map((url) => ({ url })),
    nodeOf: (http) => new EthereumNode(http, options),
    headAgeMaxMs: QUIET_SECONDS.evm * 1000,
    timeoutMs: variant.timeoutMs ?? TIMEOUT_MS,
    answerLimitBytes: ANSWER_LIMIT_BYTES,
    clock: variant.clock ?? systemClock,
    scheduler: variant.scheduler ?? systemScheduler,
    random: () => 0,
    log: createLog('silent'),
    patienceMs: variant.patienceMs ?? 0,
  })
}

/** Watches addresses in both ways: few enough to be named to the node, and too many. */
export function watching(addresses: readonly string[]): readonly [named: WatchedAddresses, unnamed: WatchedAddresses] {
  const known = new Set(addresses.map((address) => address.toLowerCase()))
  const has = (address: string) => known.has(address.toLowerCase())
  return [
    { has, few: (limit) => (addresses.length <= limit ? addresses : null) },
    { has, few: () => null },
  ]
}

/** Resolves with the answer, or null when the reader says that no node gave a certain one. Anything else is a defect. */
export async function certain<T>(answer: Promise<T>): Promise<{ readonly value: T } | null> {
  try {
    return { value: await answer }
  } catch (error) {
    assert.ok(error instanceof NodeUnavailable, String(error))
    return null
  }
}

export function ether(txHash: string, toAddress: string, amount: string): ObservedTransfer {
  return { txHash, index: 0, toAddress: toAddress.toLowerCase(), currency: '#native', amount }
}

export function tether(txHash: string, index: number, toAddress: string, amount: bigint): ObservedTransfer {
  return { txHash, index, toAddress: toAddress.toLowerCase(), currency: 'Tether', amount: amount.toString() }
}

/** The transfers of blocks, in order. */
export function transfersOf(blocks: readonly ObservedBlock[]): readonly ObservedTransfer[] {
  return blocks.flatMap(({ transfers }) => transfers)
}

/** Blocks one by one up to a height, by the reader. */
export async function oneByOne(
  reader: NetworkReader,
  from: number,
  to: number,
  watched: WatchedAddresses,
): Promise<readonly ObservedBlock[]> {
  const blocks: ObservedBlock[] = []
  for (let height = from; height <= to; height += 1) {
    blocks.push((await reader.block(height, watched)) ?? assert.fail(`no block ${height}`))
  }
  return blocks
}

/** Blocks range by range, as a watcher catches up. */
export async function byRanges(
  reader: NetworkReader,
  from: number,
  to: number,
  watched: WatchedAddresses,
): Promise<readonly ObservedBlock[]> {
  const blocks: ObservedBlock[] = []
  while (from + blocks.length <= to) {
    const next = await reader.blocks(from + blocks.length, to, watched)
    assert.ok(next.length > 0)
    blocks.push(...next)
  }
  return blocks
}
