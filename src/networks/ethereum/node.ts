import { isChildOf, isConsecutive, type ObservedBlock, type WatchedAddresses } from '../../domain/block.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { type ChainHead, WrongNode } from '../network-reader.js'
import { demand, MissingBlock, NodeFailure, RpcFailure, UnfitNode } from '../node/answer.js'
import type { ChainNode } from '../node/chain-node.js'
import type { HttpJson } from '../node/http-json.js'
import { JsonRpc, type RpcCall } from '../node/json-rpc.js'
import { anything } from '../node/json-shape.js'
import { factOf, headFact, type NodeFact } from '../node/node-fact.js'
import { checkToken, symbolOf } from '../token.js'
import { type EthereumBlock, readBlock, readHead } from './block.js'
import { isOfPrunedHistory } from './pruned-history.js'
import { ReceiptReader } from './receipt-reader.js'
import { TraceReader } from './trace-reader.js'
import { EthereumFilter } from './transfers.js'
import { countOf, dataOf, quantityText } from './values.js'

/** Blocks that an examination asks for at once. */
const EXAMINED_BLOCKS = 20
/** Ranges of this many blocks are read in two halves. */
const HALVED_FROM = 8
/** Blocks in the first range. */
const RANGE_START = 16
/** The code of nodes for a call that the contract itself refused. */
const EXECUTION_REVERTED = 3
/** The first four bytes of keccak-256 of `decimals()` and of `symbol()`. */
const METHOD_IDS = { decimals: '0x313ce567', symbol: '0x95d89b41' }

/** A block that a node lacks this far below its own head is not one that it will have soon. */
const HISTORY_DEPTH = 128

/**
 * When a block is confirmed: after this many blocks, itself included; when the chain's consensus has finalised it; or
 * when the chain calls it safe, which comes earlier and is weaker: on most second layers it is then published on the
 * first.
 */
export type Confirmation = number | 'finalized' | 'safe'

export interface EthereumNodeOptions {
  readonly chainId: number
  /** The address of the token's contract. */
  readonly token: string
  readonly tokenDecimals: number
  readonly confirmation: Confirmation
  /** Maximum calls in one request; 1 for nodes without batches. */
  readonly batchMax: number
  /** Maximum blocks read at once while catching up. */
  readonly rangeMax: number
  /** Whether ether that contracts send is read too, from traces, which the node must offer. Off when absent. */
  readonly traces?: boolean
}

/**
 * Reads Ethereum from one node: ether that transactions themselves send, and transfers of one ERC-20 token. With traces
 * also ether that contracts send, which is invisible otherwise. Validators withdraw ether without a transaction, which
 * is never seen.
 *
 * Logs are taken from receipts, not from `eth_getLogs`, which silently omits logs where an index is missing or a
 * replica lags. All receipts of a block can be checked against its header.
 */
export class EthereumNode implements ChainNode {
  private readonly rpc: JsonRpc
  private readonly range: AdaptiveWidth
  private readonly receipts: ReceiptReader
  private readonly traces: TraceReader

  constructor(
    http: HttpJson,
    private readonly options: EthereumNodeOptions,
  ) {
    this.rpc = new JsonRpc(http, options.batchMax)
    this.range = new AdaptiveWidth(RANGE_START, options.rangeMax)
    this.receipts = new ReceiptReader(this.rpc)
    this.traces = new TraceReader(this.rpc)
  }

  async check(): Promise<void> {
    const { chainId, token, tokenDecimals } = this.options
    this.rpc.forget()
    this.receipts.forget()
    const found = countOf(await this.rpc.call('eth_chainId', []), 'chain id')
    if (found !== chainId) throw new WrongNode(`the chain id is ${found}, configured is ${chainId}`)
    const code = dataOf(await this.rpc.call('eth_getCode', [token, 'latest']), 'code')
    if (code === '0x') throw new WrongNode(`no contract is at the token's address ${token}`)
    await checkToken(`the contract ${token}`, tokenDecimals, (method) => this.callToken(METHOD_IDS[method]))
  }

  async examine(nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]> {
    await this.check()
    const { chainId, tokenDecimals, batchMax } = this.options
    const symbol = symbolOf(await this.callToken(METHOD_IDS.symbol))
    const newest = readHead(await this.rpc.call('eth_getBlockByNumber', ['latest', false], anything))
    const facts: NodeFact[] = [
      {
        verdict: 'ok',
        text: `is of chain ${chainId}, and its token calls itself ${symbol} with ${tokenDecimals} decimals`,
      },
    ]
    facts.push(
      await factOf(
        async () => headFact(await this.head(), nowMs, headAgeMaxMs),
        (reason) => ({ verdict: 'failed', text: `tells no head: ${reason}` }),
      ),
    )
    for (const tag of ['safe', 'finalized'] as const) facts.push(await this.tagFact(tag, newest.height))
    const byBlock = await factOf(
      async () => {
        await this.receipts.demandByBlock(newest.height)
        return { verdict: 'ok', text: 'returns all receipts of a block at once' }
      },
      (reason) => ({ verdict: 'warning', text: `does not return all receipts of a block at once: ${reason}` }),
    )
    // One by one, the receipts of many full blocks would be thousands of calls.
    facts.push(byBlock, await this.fitFact(newest.height, byBlock.verdict === 'ok' ? EXAMINED_BLOCKS : 1))
    const { method, params } = headerCall(newest.height)
    const width = batchMax === 1 ? 1 : await this.rpc.largestBatch({ method, params }, batchMax)
    const isNarrow = width < batchMax
    const batches = width === 1 ? 'takes no batches' : `takes batches of ${width} calls`
    facts.push({
      verdict: isNarrow ? 'warning' : 'ok',
      text: isNarrow ? `${batches}, fewer than ${batchMax}` : batches,
    })
    facts.push(await this.rangeFact(newest.height))
    if (this.options.traces === true) facts.push(await this.traces.fact(newest.hash))
    return facts
  }

  private tagFact(tag: Exclude<Confirmation, number>, latest: number): Promise<NodeFact> {
    const isNeeded = this.options.confirmation === tag
    return factOf(
      async () => {
        const behind = Math.max(0, latest - (await this.taggedHeight(tag)))
        return { verdict: 'ok', text: `has a ${tag} block, ${behind} blocks behind the newest` }
      },
      () => ({ verdict: isNeeded ? 'failed' : 'ok', text: `has no ${tag} block` }),
    )
  }

  /** Whether the newest blocks and their receipts are in the form of Ethereum's, and fit each other. */
  private fitFact(latest: number, blocks: number): Promise<NodeFact> {
    return factOf(
      async () => {
        const count = Math.min(blocks, latest + 1)
        const filter = this.filterOfNobody()
        await this.receipts.whole(await this.wholeBlocks(latest - count + 1, count, filter), filter)
        const newest = count === 1 ? 'newest block' : `${count} newest blocks`
        return { verdict: 'ok', text: `has receipts that fit its ${newest}` }
      },
      (reason) => ({ verdict: 'failed', text: `has blocks or receipts that cannot be used: ${reason}` }),
    )
  }

  private filterOfNobody(): EthereumFilter {
    return new EthereumFilter(this.options.token, { has: () => false, few: () => [] })
  }

  /** How many of its newest blocks the node gives at once, up to a number. */
  private async rangeFact(latest: number): Promise<NodeFact> {
    const wanted = Math.min(this.options.rangeMax, EXAMINED_BLOCKS, latest + 1)
    const filter = this.filterOfNobody()
    for (let width = wanted; width >= 1; width = Math.floor(width / 2)) {
      try {
        await this.wholeBlocks(latest - width + 1, width, filter)
        const text = `gives ${width} blocks for one question`
        return {
          verdict: width < wanted ? 'warning' : 'ok',
          text: width < wanted ? `${text}, fewer than ${wanted}` : text,
        }
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
      }
    }
    return { verdict: 'failed', text: 'gives no whole block' }
  }

  async head(): Promise<ChainHead & { readonly timeMs: number }> {
    const { confirmation } = this.options
    const { height, timeMs } = readHead(await this.rpc.call('eth_getBlockByNumber', ['latest', false], anything))
    const confirmed =
      typeof confirmation === 'number' ? height - confirmation + 1 : await this.taggedHeight(confirmation)
    // Behind a balancer the two answers may come from two nodes.
    return { latest: height, confirmed: Math.max(-1, Math.min(height, confirmed)), timeMs }
  }

  /** Throws `UnfitNode` when the node has no such block: then nothing would ever be confirmed. */
  private async taggedHeight(tag: Exclude<Confirmation, number>): Promise<number> {
    let answer: unknown
    try {
      answer = await this.rpc.call('eth_getBlockByNumber', [tag, false], anything)
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      throw new UnfitNode('no_finality', `the node refuses the block tag "${tag}": ${error.message}`)
    }
    if (answer === null) throw new UnfitNode('no_finality', `the node has no block with the tag "${tag}"`)
    return readHead(answer).height
  }

  async block(height: number, watched: WatchedAddresses): Promise<ObservedBlock | null> {
    const filter = new EthereumFilter(this.options.token, watched)
    const { method, params } = blockCall(height)
    const answer = await this.rpc.call(method, params, anything)
    if (answer === null) return null
    const [observed] = await this.observe([readBlock(answer, height, filter.isWatched)], filter)
    return observed ?? null
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const filter = new EthereumFilter(this.options.token, watched)
    const width = Math.min(this.range.value, to - from + 1)
    const observed = await inHalves(from, width, (first, count) => this.readPresent(first, count, filter))
    // The node does not have them all yet, or follows another branch by now.
    const end = observed.findIndex((block, i) => block.height !== from + i || !isChildOfPrevious(observed, i))
    return end === -1 ? observed : observed.slice(0, end)
  }

  /** The blocks of a range that the node has, from its first one on. */
  private async readPresent(from: number, width: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const calls = Array.from({ length: width }, (_, i) => blockCall(from + i))
    const read = (answer: unknown, i: number) =>
      answer === null ? null : readBlock(answer, from + i, filter.isWatched)
    const blocks = await this.rpc.all(calls, anything, read)
    const missing = blocks.indexOf(null)
    const present = (missing === -1 ? blocks : blocks.slice(0, missing)) as readonly EthereumBlock[]
    return await this.observe(present, filter)
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const filter = new EthereumFilter(this.options.token, watched)
    const width = Math.min(this.range.value, to - from + 1)
    try {
      const observed = await inHalves(from, width, (first, count) => this.readSome(first, count, filter))
      demand(isConsecutive(observed), 'the blocks of a range are no chain')
      this.range.succeeded()
      return observed
    } catch (error) {
      // Whatever the failure: with smaller queries, a node that is slow or counts requests gets further.
      if (error instanceof NodeFailure) this.range.refused(width)
      if (isOfPrunedHistory(error)) await this.explainMissing(from)
      throw error
    }
  }

  /** Throws `UnfitNode` when the node's history begins above a height that is far below its head. */
  private async explainMissing(height: number): Promise<void> {
    const head = readHead(await this.rpc.call('eth_getBlockByNumber', ['latest', false], anything)).height
    if (height > head - HISTORY_DEPTH || (await this.keeps(height))) return
    let [lacked, kept] = [height, head]
    while (kept - lacked > 1) {
      const middle = Math.floor((lacked + kept) / 2)
      if (await this.keeps(middle)) kept = middle
      else lacked = middle
    }
    throw new UnfitNode('pruned', `its history begins at block ${kept}, and block ${height} is needed`)
  }

  /** Whether the node has a block and its receipts. */
  private async keeps(height: number): Promise<boolean> {
    try {
      const { method, params } = headerCall(height)
      const block = await this.rpc.call(method, params, anything)
      return block !== null && (await this.receipts.has(height))
    } catch (error) {
      if (error instanceof RpcFailure) return false
      throw error
    }
  }

  hashes(from: number, count: number): Promise<readonly (string | null)[]> {
    const calls = Array.from({ length: count }, (_, i) => headerCall(from + i))
    return this.rpc.all(calls, anything, (answer, i) => {
      if (answer === null) return null
      const { height, hash } = readHead(answer)
      demand(height === from + i, 'a block has another number than was asked for')
      return hash
    })
  }

  private async readSome(from: number, width: number, filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    return await this.observe(await this.wholeBlocks(from, width, filter), filter)
  }

  /** This many full blocks from a height on. */
  private wholeBlocks(from: number, width: number, filter: EthereumFilter): Promise<readonly EthereumBlock[]> {
    const calls = Array.from({ length: width }, (_, i) => blockCall(from + i))
    return this.rpc.all(calls, anything, (answer, i) => {
      if (answer === null) throw new MissingBlock(`the node does not have block ${from + i}`)
      return readBlock(answer, from + i, filter.isWatched)
    })
  }

  private async observe(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const observed = await this.receipts.observed(blocks, filter)
    return this.options.traces === true ? await this.traces.added(observed, blocks, filter) : observed
  }

  private async callToken(data: string): Promise<Buffer> {
    const { token } = this.options
    try {
      const answer = dataOf(await this.rpc.call('eth_call', [{ to: token, data }, 'latest']), 'the answer of the token')
      return Buffer.from(answer.slice(2), 'hex')
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.code !== EXECUTION_REVERTED) throw error
      throw new WrongNode(`the contract ${token} is no token: ${error.message}`)
    }
  }
}

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

function blockCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [quantityText(height), true] }
}

function headerCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [quantityText(height), false] }
}
