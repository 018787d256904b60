import type { Clock } from '../../clock.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { BadAnswer, demand, isMissingMethod, NodeFailure, RpcFailure, UnfitNode } from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { Shortcomings, SLOW_TRIED_AGAIN_MS } from '../node/shortcomings.js'
import { type EthereumBlock, headShape, readHead } from './block.js'
import type { EthereumFilter } from './filter.js'
import { failureOf, isTimeout, REFUSALS_MAX, SingleTraces, TRACER, transactionCall } from './single-traces.js'
import { readTraces, tracesShape, withTraced } from './traces.js'
import { presence, quantityText } from './values.js'

/** How nodes word that they do not offer traces, or no longer have the state of these blocks. */
const UNTRACED =
  /(?:not|un)[ -]?(?:available|found|supported|exist|enabled|allowed|authori[sz]ed|whitelisted)|disabled|does not exist|historical state|missing trie node|pruned/i
/** Transactions that are traced one by one at a time. */
const TRANSACTIONS_MAX = 500
const OF_BLOCKS = 'traces of blocks'

/** What the traces of a whole block tell. */
interface Told {
  readonly transfers: readonly ObservedTransfer[]
  /** The places of the transactions whose traces are missing. */
  readonly missing: readonly number[]
  /** Why all are missing; null when they are not, or were not asked for. */
  readonly failure: NodeFailure | null
}

/** A block with what is found out about it. */
interface Traced {
  readonly block: EthereumBlock
  readonly transfers: ObservedTransfer[]
  readonly untold: Map<string, NodeFailure>
}

/**
 * Reads what contracts send from one node: the traces of whole blocks, or of single transactions where these do not come. What a
 * node does not trace is untold, and everything else counts.
 */
export class TraceReader {
  private readonly shortcomings: Shortcomings<typeof OF_BLOCKS>
  private readonly singles: SingleTraces
  /** A call that the node has answered, and the height that it was about. */
  private answered: { readonly call: RpcCall; readonly height: number } | null = null

  constructor(
    private readonly rpc: JsonRpc,
    clock: Clock,
  ) {
    this.shortcomings = new Shortcomings(clock)
    this.singles = new SingleTraces(rpc, clock)
  }

  /** Forgets what the node has answered: it may be another one by now. */
  forget(): void {
    this.answered = null
  }

  /** Rejects unless the node traces a block: one without transactions as a whole, for it has none to trace instead. */
  async demandTraces(block: EthereumBlock, filter: EthereumFilter): Promise<void> {
    if (block.txHashes.length === 0) {
      await this.rpc.call(blockCall(block).method, blockCall(block).params, tracesShape(filter))
      return
    }
    for (const { untold } of await this.ofBlocks([block], filter)) {
      for (const failure of untold.values()) throw failure
    }
  }

  /**
   * Adds to observed blocks what contracts send in them, as far as the node tells. Throws `UnfitNode` when it refuses all traces.
   */
  async added(
    observed: readonly ObservedBlock[],
    blocks: readonly EthereumBlock[],
    filter: EthereumFilter,
  ): Promise<readonly ObservedBlock[]> {
    const traced = await this.ofBlocks(
      blocks.filter(({ txHashes }) => txHashes.length > 0),
      filter,
    )
    const byBlock = new Map(traced.map((each) => [each.block, each]))
    return observed.map((each, i) => {
      const block = blocks[i] as EthereumBlock
      const { transfers = [], untold } = byBlock.get(block) ?? {}
      const whole = withTraced(each, block, transfers)
      const [failure] = untold?.values() ?? []
      if (untold === undefined || failure === undefined) return whole
      const reason = failure.question === null ? failure.message : `${failure.question}: ${failure.message}`
      return { ...whole, untold: { txHashes: [...untold.keys()], reason } }
    })
  }

  private async ofBlocks(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly Traced[]> {
    const told = await this.together(blocks, filter)
    const traced = blocks.map((block, i) => ({ block, transfers: [...(told[i]?.transfers ?? [])], untold: new Map() }))
    let isAnyTraced = told.some(({ missing }, i) => missing.length < (blocks[i]?.txHashes.length ?? 0))
    for (const some of missingOf(told)) {
      const hashes = some.map(({ n, place }) => hashAt(blocks[n] as EthereumBlock, place))
      const ends = await this.singles.of(hashes, filter)
      for (const [i, end] of ends.entries()) {
        const { block, transfers, untold } = traced[some[i]?.n ?? 0] as Traced
        const txHash = hashes[i] as string
        if (end instanceof NodeFailure) untold.set(txHash, end)
        else transfers.push(...end)
        if (end instanceof NodeFailure) continue
        isAnyTraced = true
        this.answered = { call: transactionCall(txHash), height: block.height }
      }
    }
    const asked = traced.filter((_, i) => told[i]?.missing.length !== 0)
    for (const { block } of asked) await this.demandPresent(block)
    const failures = [...told.map(({ failure }) => failure), ...asked.flatMap(({ untold }) => [...untold.values()])]
    if (!isAnyTraced) await this.demandNoRefusal(blocks, failures)
    for (const { untold } of asked) for (const [txHash, failure] of untold) this.singles.note(txHash, failure)
    const isOfBlocks = told.some(({ failure }) => failure !== null) && asked.every(({ untold }) => untold.size === 0)
    if (isOfBlocks && !this.shortcomings.has(OF_BLOCKS)) this.shortcomings.failed(OF_BLOCKS)
    return traced
  }

  /** The traces of whole blocks, where the node gives them. */
  private async together(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly Told[]> {
    if (this.shortcomings.has(OF_BLOCKS)) return blocks.map((block) => untraced(block, null))
    const found: Told[] = []
    const failure = await failureOf(() =>
      this.rpc.all(
        blocks.map(blockCall),
        tracesShape(filter),
        (traces, i) => {
          demand(traces !== null && traces !== undefined, 'traces of a block: not a list')
          const block = blocks[i] as EthereumBlock
          found[i] = { transfers: readTraces(traces, block), missing: traces.unreadable, failure: null }
        },
        REFUSALS_MAX,
      ),
    )
    const [block, ...others] = blocks
    if (block === undefined) return []
    if (failure === null) {
      this.shortcomings.succeeded(OF_BLOCKS)
      const whole = blocks.find((_, i) => found[i]?.missing.length === 0)
      if (whole !== undefined) this.answered = { call: blockCall(whole), height: whole.height }
      return found
    }
    if (isMissingMethod(failure)) this.shortcomings.note(OF_BLOCKS)
    else if (others.length === 0 && isTimeout(failure)) this.shortcomings.note(OF_BLOCKS, SLOW_TRIED_AGAIN_MS)
    if (others.length === 0 || this.shortcomings.has(OF_BLOCKS)) return blocks.map((one) => untraced(one, failure))
    const each: Told[] = []
    for (const one of blocks) each.push(...(await this.together([one], filter)))
    return each
  }

  /** A node traces a transaction in the block that has it now. And one that has answered this was not down meanwhile. */
  private async demandPresent({ height, hash }: EthereumBlock): Promise<void> {
    const now = readHead(await this.rpc.call('eth_getBlockByNumber', [quantityText(height), false], headShape))
    demand(now.hash === hash, 'a block was replaced while its transactions were traced')
  }

  /**
   * Throws `UnfitNode` when nothing was traced because the node refuses traces, or no longer has the state of these blocks. It
   * has the state, and the matter is these transactions, when it still traces what it has traced at a lower height.
   */
  private async demandNoRefusal(
    blocks: readonly EthereumBlock[],
    ends: readonly (NodeFailure | null)[],
  ): Promise<void> {
    const failures = ends.filter((failure) => failure !== null)
    const refusal = failures.findLast(isRefusal)
    if (refusal === undefined || !failures.every((each) => each instanceof BadAnswer || isRefusal(each))) return
    const [first, last] = [blocks[0]?.height ?? 0, blocks.at(-1)?.height]
    const { answered } = this
    if (answered !== null && answered.height <= first) {
      const { method, params } = answered.call
      if ((await failureOf(() => this.rpc.call(method, params, presence))) === null) return
    }
    const message = [...new Set(failures.map((failure) => failure.message))].join('; ')
    throw new UnfitNode('no_traces', `the node does not trace the blocks ${first} to ${last}: ${message}`)
  }
}

function untraced({ txHashes }: EthereumBlock, failure: NodeFailure | null): Told {
  return { transfers: [], missing: [...Array(txHashes.length).keys()], failure }
}

/** The transactions whose traces are missing, in pieces: which block of several, and the place in it. */
function* missingOf(told: readonly Told[]): Generator<readonly { readonly n: number; readonly place: number }[]> {
  let piece: { readonly n: number; readonly place: number }[] = []
  for (const [n, { missing }] of told.entries()) {
    for (const place of missing) {
      piece.push({ n, place })
      if (piece.length < TRANSACTIONS_MAX) continue
      yield piece
      piece = []
    }
  }
  if (piece.length > 0) yield piece
}

function hashAt({ txHashes }: EthereumBlock, place: number): string {
  const txHash = txHashes.at(place)
  demand(txHash !== null, 'a transaction has no hash')
  return txHash
}

function blockCall({ hash }: Pick<EthereumBlock, 'hash'>): RpcCall {
  return { method: 'debug_traceBlockByHash', params: [hash, TRACER] }
}

/** Whether a node says in one of the ways that it does not offer traces. */
function isRefusal(failure: unknown): boolean {
  return isMissingMethod(failure) || (failure instanceof RpcFailure && UNTRACED.test(failure.message))
}
