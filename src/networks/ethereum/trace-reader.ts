import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import {
  demand,
  isMissingMethod,
  isPerhapsTooLarge,
  listOf,
  type NodeFailure,
  RpcFailure,
  UnfitNode,
} from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { anything } from '../node/json-shape.js'
import { factOf, type NodeFact } from '../node/node-fact.js'
import { type EthereumBlock, readHead } from './block.js'
import { readTrace, readTraces, withTraced } from './traces.js'
import type { EthereumFilter } from './transfers.js'
import { quantityText } from './values.js'

/** How nodes word that they do not offer traces, or no longer have the state of these blocks. */
const UNTRACED =
  /(?:not|un)[ -]?(?:available|found|supported|exist|enabled|allowed|authori[sz]ed|whitelisted)|disabled|does not exist|historical state|missing trie node|pruned/i
const TRACER = { tracer: 'callTracer' }

/** Reads what contracts send from one node: the traces of whole blocks, or of their transactions where these are too long. */
export class TraceReader {
  constructor(private readonly rpc: JsonRpc) {}

  /** Whether the node traces its newest block. */
  fact(hash: string): Promise<NodeFact> {
    return factOf(
      async () => {
        await this.rpc.all([blockCall({ hash })], anything, (answer) => listOf(answer, 'traces of a block'))
        return { verdict: 'ok', text: 'traces its newest block' }
      },
      (reason) => ({ verdict: 'failed', text: `refuses traces: ${reason}` }),
    )
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
    try {
      const read = (answer: unknown, i: number) => readTraces(answer, blocks[i] as EthereumBlock, filter)
      return await this.rpc.all(blocks.map(blockCall), anything, read)
    } catch (error) {
      const [block, ...others] = blocks
      if (block === undefined || isRefusal(error) || !isPerhapsTooLarge(error)) throw error
      if (others.length === 0) return [await this.byTransaction(block, filter)]
      const found: (readonly ObservedTransfer[])[] = []
      for (const one of blocks) found.push(...(await this.ofBlocks([one], filter)))
      return found
    }
  }

  private async byTransaction(block: EthereumBlock, filter: EthereumFilter): Promise<readonly ObservedTransfer[]> {
    const { txHashes, height, hash } = block
    const read = (answer: unknown, i: number) => readTrace(answer, txHashes[i] ?? '', filter)
    const transfers = await this.rpc.all(txHashes.map(transactionCall), anything, read)
    // A node traces a transaction in the block that has it now.
    const now = readHead(await this.rpc.call('eth_getBlockByNumber', [quantityText(height), false], anything))
    demand(now.hash === hash, 'a block was replaced while its transactions were traced')
    return transfers.flat()
  }
}

function blockCall({ hash }: Pick<EthereumBlock, 'hash'>): RpcCall {
  return { method: 'debug_traceBlockByHash', params: [hash, TRACER] }
}

function transactionCall(txHash: string): RpcCall {
  return { method: 'debug_traceTransaction', params: [txHash, TRACER] }
}

function isRefusal(error: unknown): error is NodeFailure {
  return isMissingMethod(error) || (error instanceof RpcFailure && UNTRACED.test(error.message))
}
