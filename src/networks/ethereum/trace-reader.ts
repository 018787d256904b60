import type { Clock } from '../../clock.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { BadAnswer, demand, isMissingMethod, limitOf, NodeFailure, RpcFailure, UnfitNode } from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { Shortcomings } from '../node/shortcomings.js'
import { type EthereumBlock, headShape, readHead } from './block.js'
import { EveryWayFailed } from './every-way-failed.js'
import type { EthereumFilter } from './filter.js'
import { frameShape, readTrace, readTraces, tracesShape, withTraced } from './traces.js'
import { quantityText } from './values.js'

/** How nodes word that they do not offer traces, or no longer have the state of these blocks. */
const UNTRACED =
  /(?:not|un)[ -]?(?:available|found|supported|exist|enabled|allowed|authori[sz]ed|whitelisted)|disabled|does not exist|historical state|missing trie node|pruned/i
const TRACER = { tracer: 'callTracer' }
/** Transactions that are traced one by one at a time. */
const TRANSACTIONS_MAX = 500

/** Reads what contracts send from one node: the traces of whole blocks, or of their transactions where these are too long. */
export class TraceReader {
  private readonly shortcomings: Shortcomings<'traces of blocks'>

  constructor(
    private readonly rpc: JsonRpc,
    clock: Clock,
  ) {
    this.shortcomings = new Shortcomings(clock)
  }

  /** Rejects unless the node traces a block: one without transactions as a whole, for it has none to trace instead. */
  async demandTraces(block: EthereumBlock, filter: EthereumFilter): Promise<void> {
    if (block.txHashes.length > 0) await this.ofBlocks([block], filter)
    else await this.rpc.call(blockCall(block).method, blockCall(block).params, tracesShape(filter))
  }

  /** Adds to observed blocks what contracts send in them. Throws `UnfitNode` when the node refuses traces. */
  async added(
    observed: readonly ObservedBlock[],
    blocks: readonly EthereumBlock[],
    filter: EthereumFilter,
  ): Promise<readonly ObservedBlock[]> {
    const traced = blocks.filter(({ txHashes }) => txHashes.length > 0)
    try {
      const transfers = await this.ofBlocks(traced, filter)
      const byHash = new Map(traced.map(({ hash }, i) => [hash, transfers[i]]))
      return observed.map((each, i) => withTraced(each, blocks[i] as EthereumBlock, byHash.get(each.hash) ?? []))
    } catch (error) {
      if (!isRefusal(error)) throw error
      const heights = `${traced[0]?.height} to ${traced.at(-1)?.height}`
      throw new UnfitNode('no_traces', `the node does not trace the blocks ${heights}: ${error.message}`)
    }
  }

  private async ofBlocks(
    blocks: readonly EthereumBlock[],
    filter: EthereumFilter,
  ): Promise<readonly (readonly ObservedTransfer[])[]> {
    if (this.shortcomings.has('traces of blocks')) return await this.eachByTransaction(blocks, filter, null)
    try {
      return await this.rpc.all(blocks.map(blockCall), tracesShape(filter), (traces, i) => {
        demand(traces !== null && traces !== undefined, 'traces of a block: not a list')
        return readTraces(traces, blocks[i] as EthereumBlock)
      })
    } catch (error) {
      const [block, ...others] = blocks
      if (block === undefined || !(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      if (isMissingMethod(error)) {
        this.shortcomings.note('traces of blocks')
        return await this.eachByTransaction(blocks, filter, error)
      }
      if (others.length === 0) return [await this.byTransaction(block, filter, error)]
      const found: (readonly ObservedTransfer[])[] = []
      for (const one of blocks) found.push(...(await this.ofBlocks([one], filter)))
      return found
    }
  }

  private async eachByTransaction(blocks: readonly EthereumBlock[], filter: EthereumFilter, first: NodeFailure | null) {
    const found: (readonly ObservedTransfer[])[] = []
    for (const block of blocks) found.push(await this.byTransaction(block, filter, first))
    return found
  }

  private async byTransaction(
    block: EthereumBlock,
    filter: EthereumFilter,
    first: NodeFailure | null,
  ): Promise<readonly ObservedTransfer[]> {
    try {
      const { txHashes, height, hash } = block
      const transfers: ObservedTransfer[] = []
      for (let from = 0; from < txHashes.length; from += TRANSACTIONS_MAX) {
        const hashes = Array.from({ length: Math.min(TRANSACTIONS_MAX, txHashes.length - from) }, (_, i) => {
          const txHash = txHashes.at(from + i)
          demand(txHash !== null, 'a transaction has no hash')
          return txHash
        })
        const read = await this.rpc.all(hashes.map(transactionCall), frameShape(filter), (frame, i) => {
          return readTrace(frame, hashes[i] as string, filter)
        })
        transfers.push(...read.flat())
      }
      // A node traces a transaction in the block that has it now.
      const now = readHead(await this.rpc.call('eth_getBlockByNumber', [quantityText(height), false], headShape))
      demand(now.hash === hash, 'a block was replaced while its transactions were traced')
      return transfers
    } catch (error) {
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      throw new EveryWayFailed(`traces of block ${block.height}`, first === null ? [error] : [first, error])
    }
  }
}

function blockCall({ hash }: Pick<EthereumBlock, 'hash'>): RpcCall {
  return { method: 'debug_traceBlockByHash', params: [hash, TRACER] }
}

function transactionCall(txHash: string): RpcCall {
  return { method: 'debug_traceTransaction', params: [txHash, TRACER] }
}

/**
 * Whether a node says in one of the ways that it does not offer traces, and in none of them why else it fails. Ganache has
 * no traces of blocks, and traces a transaction step by step, whatever tracer it is asked for.
 */
function isRefusal(error: unknown): error is NodeFailure {
  if (error instanceof EveryWayFailed) {
    return (
      error.failures.some(isRefusal) && error.failures.every((each) => each instanceof BadAnswer || isRefusal(each))
    )
  }
  return isMissingMethod(error) || (error instanceof RpcFailure && UNTRACED.test(error.message))
}
