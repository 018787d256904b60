import type { Clock } from '../../clock.js'
import { isChildOf, isConsecutive, type ObservedBlock, type WatchedAddresses } from '../../domain/block.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { type ChainHead, WrongNode } from '../network-reader.js'
import { demand, limitOf, MissingBlock, NodeFailure } from '../node/answer.js'
import type { ChainNode } from '../node/chain-node.js'
import type { HttpJson } from '../node/http-json.js'
import { JsonRpc } from '../node/json-rpc.js'
import type { NodeFact } from '../node/node-fact.js'
import { TokenChecks } from '../token-checks.js'
import { blockCall, blockShape, type EthereumBlock, headerCall, headShape, readBlock, readHead } from './block.js'
import { Doubts } from './doubts.js'
import { examine } from './examination.js'
import { EthereumFilter, type Movement, tokenMovements } from './filter.js'
import { type Confirmation, HeadReader } from './head-reader.js'
import { explainMissing } from './kept-history.js'
import { NewBlocks } from './new-blocks.js'
import { isOfPrunedHistory } from './pruned-history.js'
import { ReceiptReader } from './receipt-reader.js'
import { type EvmToken, TokenContract } from './token-contract.js'
import { TraceReader } from './trace-reader.js'
import { quantityOf } from './values.js'

/** Ranges of this many blocks are read in two halves. */
const HALVED_FROM = 8
/** Blocks in the first range. */
const RANGE_START = 16
/** Polygon and its test network: their nodes log every movement of the coin. */
const CHAINS_WITH_COIN_LOGS: readonly number[] = [137, 80_002]

export interface EthereumNodeOptions {
  readonly chainId: number
  /** At least one. */
  readonly tokens: readonly EvmToken[]
  readonly confirmation: Confirmation
  /** Maximum calls in one request; 1 for nodes without batches. */
  readonly batchMax: number
  /** Maximum blocks read at once while catching up. */
  readonly rangeMax: number
  /** Whether ether that contracts send is read too, from traces, which the node must offer. Off when absent. */
  readonly traces?: boolean
  readonly clock: Clock
  /** Called with a sentence about what the node does not prove. */
  readonly warn: (endpoint: string, text: string) => void
}

/**
 * Reads Ethereum from one node: ether that transactions themselves send, and transfers of ERC-20 tokens. With traces
 * also ether that contracts send, which is invisible otherwise; Polygon's nodes log it. Validators withdraw ether without
 * a transaction, which is never seen.
 *
 * Logs are taken from receipts, because `eth_getLogs` silently omits logs where an index is missing or a replica lags.
 * All receipts of a block can be checked against its header.
 *
 * A block is asked for when it is new. When it is confirmed, its hash proves what it and its header hold, so only its receipts
 * and traces are asked for again.
 */
export class EthereumNode implements ChainNode {
  private readonly rpc: JsonRpc
  private readonly range: AdaptiveWidth
  private readonly heads: HeadReader
  private readonly newBlocks: NewBlocks
  private readonly doubts: Doubts
  private readonly receipts: ReceiptReader
  private readonly traces: TraceReader
  private readonly tokens: TokenChecks<TokenContract>
  private movements: { readonly of: readonly TokenContract[]; readonly all: readonly Movement[] } = { of: [], all: [] }

  constructor(
    http: HttpJson,
    private readonly options: EthereumNodeOptions,
  ) {
    const { batchMax, rangeMax, confirmation, clock, tokens, warn } = options
    this.rpc = new JsonRpc(http, batchMax)
    this.range = new AdaptiveWidth(RANGE_START, rangeMax)
    this.heads = new HeadReader(this.rpc, confirmation, clock)
    this.newBlocks = new NewBlocks(this.rpc, this.heads)
    this.doubts = new Doubts(this.rpc, clock)
    this.receipts = new ReceiptReader(this.rpc, clock)
    this.traces = new TraceReader(this.rpc, clock)
    const contracts = tokens.map((token) => new TokenContract(this.rpc, token, clock))
    this.tokens = new TokenChecks(contracts, (text) => warn(http.name, text))
  }

  async check(): Promise<void> {
    this.rpc.forget()
    this.heads.forget()
    this.newBlocks.forget()
    this.receipts.forget()
    this.traces.forget()
    await this.checkChain()
  }

  async examine(nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]> {
    await this.check()
    const { rpc, heads, receipts, traces, tokens, options } = this
    return await examine(
      { rpc, heads, receipts, traces, tokens, filter: this.filterOf(EVERYBODY), options },
      nowMs,
      headAgeMaxMs,
    )
  }

  async head(): Promise<ChainHead & { readonly timeMs: number }> {
    if (this.tokens.isToBeAsked) await this.checkChain()
    return await this.heads.read()
  }

  async timeOf(height: number): Promise<number | null> {
    const { method, params } = headerCall(height)
    try {
      const answer = await this.rpc.call(method, params, headShape)
      return answer === null ? null : readHead(answer).timeMs
    } catch (error) {
      if (isOfPrunedHistory(error)) return null
      throw error
    }
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    const filter = this.filterOf(watched)
    const [observed] = await this.observe(await this.newBlocks.present(height, 1, filter), filter)
    return observed ?? null
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const filter = this.filterOf(watched)
    const width = Math.min(this.range.value, to - from + 1)
    const read = new Map<string, EthereumBlock>()
    const observed = await this.orOne(width, (count) => {
      return inHalves(from, count, async (first, part) => {
        const blocks = await this.newBlocks.next(first, part, filter)
        for (const block of blocks) read.set(block.hash, block)
        return await this.observe(blocks, filter)
      })
    })
    // The node does not have them all yet, or follows another branch by now.
    const end = observed.findIndex((block, i) => block.height !== from + i || !isChildOfPrevious(observed, i))
    const present = end === -1 ? observed : observed.slice(0, end)
    const blocks = present.flatMap(({ hash }) => read.get(hash) ?? [])
    this.newBlocks.note(blocks)
    for (const [i, { height, isProven }] of blocks.entries()) {
      this.heads.followed(height, !isProven || present[i]?.transfers.length !== 0)
    }
    return present
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const filter = this.filterOf(watched)
    const width = Math.min(this.range.value, to - from + 1)
    const known = await this.knownBlocks(from, width, filter)
    if (known.length > 0) return known
    try {
      return await this.orOne(width, async (count) => {
        const observed = await inHalves(from, count, (first, part) => this.readSome(first, part, filter))
        demand(isConsecutive(observed), 'the blocks of a range are no chain')
        if (count === width) this.range.succeeded()
        return observed
      })
    } catch (error) {
      if (isOfPrunedHistory(error)) await explainMissing(this.rpc, this.receipts, from)
      throw error
    }
  }

  hashes(from: number, count: number): Promise<readonly (string | null)[]> {
    const calls = Array.from({ length: count }, (_, i) => headerCall(from + i))
    return this.rpc.all(calls, headShape, (answer, i) => {
      if (answer === null) return null
      const { height, hash } = readHead(answer)
      demand(height === from + i, 'a block has another number than was asked for')
      return hash
    })
  }

  /**
   * Reads a range, and one block of it when the range fails in whatever way: a smaller query may be answered, and with it a
   * node that is slow or counts calls gets further.
   */
  private async orOne<T>(width: number, read: (width: number) => Promise<T>): Promise<T> {
    try {
      return await read(width)
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      this.range.refused(width)
      if (width === 1 || limitOf(error) !== null) throw error
      return await read(1)
    }
  }

  /** The first of these confirmed blocks without asking for them; none where that is not possible. */
  private async knownBlocks(from: number, width: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const proven = await this.newBlocks.proven(from, from + width - 1, filter)
    try {
      return await this.observe(proven, filter)
    } catch (error) {
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      return []
    }
  }

  private async readSome(from: number, width: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const calls = Array.from({ length: width }, (_, i) => blockCall(from + i))
    const blocks = await this.rpc.all(calls, blockShape(filter.isWatched), (told, i) => {
      if (told === null) throw new MissingBlock(`the node does not have block ${from + i}`)
      return readBlock(told, from + i, filter.isWatched)
    })
    return await this.observe(blocks, filter)
  }

  private async observe(read: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    try {
      const blocks = await Promise.all(read.map((block) => this.doubts.settled(block, filter)))
      const observed = await this.receipts.observed(blocks, filter)
      return this.options.traces === true ? await this.traces.added(observed, blocks, filter) : observed
    } catch (error) {
      if (error instanceof NodeFailure && limitOf(error) === null) this.newBlocks.doubt(read)
      throw error
    }
  }

  /** Rejects with `WrongNode` when the node is of another chain, or no token is what the settings say. */
  private async checkChain(): Promise<void> {
    const { chainId } = this.options
    const found = quantityOf(await this.rpc.call('eth_chainId', []), 'chain id')
    if (found !== BigInt(chainId)) throw new WrongNode(`the chain id is ${found}, configured is ${chainId}`)
    await this.tokens.check()
  }

  get flaw(): string | null {
    return this.tokens.flaw
  }

  private filterOf(watched: WatchedAddresses): EthereumFilter {
    const { traces, chainId } = this.options
    const { sound } = this.tokens
    if (this.movements.of !== sound)
      this.movements = { of: sound, all: tokenMovements(sound.map(({ token }) => token)) }
    // Traces tell of the same movements.
    return new EthereumFilter(this.movements.all, watched, traces !== true && CHAINS_WITH_COIN_LOGS.includes(chainId))
  }
}

/** Whose payments an examination reads: then whatever a payment needs must be there. */
const EVERYBODY: WatchedAddresses = { has: () => true, few: () => null }

/** Reads a range, a wide one in two halves at once: while one is parsed the other is on its way. */
async function inHalves<T>(
  from: number,
  width: number,
  read: (from: number, count: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (width < HALVED_FROM) return await read(from, width)
  const half = Math.ceil(width / 2)
  return (await Promise.all([read(from, half), read(from + half, width - half)])).flat()
}

function isChildOfPrevious(blocks: readonly ObservedBlock[], i: number): boolean {
  const [block, before] = [blocks[i], blocks[i - 1]]
  return block !== undefined && (before === undefined || isChildOf(block, before))
}
