import type { Clock } from '../../clock.js'
import type { ObservedBlock } from '../../domain/block.js'
import {
  BadAnswer,
  demand,
  HttpFailure,
  isMissingMethod,
  limitOf,
  MissingBlock,
  NodeFailure,
  RefusedAgain,
} from '../node/answer.js'
import type { JsonRpc, RpcCall } from '../node/json-rpc.js'
import { Shortcomings, SLOW_TRIED_AGAIN_MS } from '../node/shortcomings.js'
import type { EthereumBlock } from './block.js'
import { BY_LOGS, observeByLogs } from './block-logs.js'
import { EveryWayFailed } from './every-way-failed.js'
import type { EthereumFilter } from './filter.js'
import type { FilterMode } from './logs.js'
import { isOfPrunedHistory } from './pruned-history.js'
import { Receipts, receiptsShape } from './receipts.js'
import { receiptCall, SINGLE, SingleReceipts } from './single-receipts.js'
import { DoubtfulTransfer, ExcessReceipts, observePayments, observeWhole, UnexplainedFilter } from './transfers.js'
import { presence, quantityIn, quantityText } from './values.js'

const BY_BLOCK = 'eth_getBlockReceipts'
/** The filters that the node's receipts have do not fit their logs. */
const GIVEN_FILTERS = 'filters of receipts'
type Way = typeof BY_BLOCK | typeof SINGLE | typeof BY_LOGS | typeof GIVEN_FILTERS

/** Blocks in a row whose receipts failed before the others are read otherwise. */
const FAILURES_MAX = 3

/**
 * Some nodes refuse this method at every pace, where it costs more than what they allow. Then the other ways are tried, which
 * costs more calls.
 */
const REFUSALS_MAX = 3

/** What came of one block. */
type End = ObservedBlock | NodeFailure

/** Why each of the ways to read a block fails; null where it works. */
export interface TriedWays {
  readonly byBlock: NodeFailure | null
  /** The receipts of all transactions, one by one. */
  readonly each: NodeFailure | null
  /** All its logs, and the receipts of the transactions that concern us. */
  readonly byLogs: NodeFailure | null
}

/**
 * Reads the receipts that decide which transfers blocks have from one node. Where one way fails, the next one is tried:
 *
 *     receipts of several blocks → of one block → with filters over all logs → single receipts → logs of the block
 *
 * Each way proves for itself that nothing is missing. A refusal of the rate ends it at once, and is thrown.
 */
export class ReceiptReader {
  private readonly shortcomings: Shortcomings<Way>
  private readonly singles: SingleReceipts
  /** Whether the node has returned all receipts of a block since it was checked. */
  private hasShown = false

  constructor(
    private readonly rpc: JsonRpc,
    clock: Clock,
  ) {
    this.shortcomings = new Shortcomings(clock)
    this.singles = new SingleReceipts(rpc)
  }

  /** Forgets what the node has shown: it may be another one by now. */
  forget(): void {
    this.hasShown = false
  }

  /** Blocks with their transfers, in order. */
  async observed(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const found = new Map<EthereumBlock, ObservedBlock>()
    const quiet = blocks.filter((block) => !filter.mayMatchLogs(block))
    for (const [block, end] of await this.payments(quiet, filter)) {
      if (!(end instanceof NodeFailure)) found.set(block, end)
    }
    const rest = blocks.filter((block) => !found.has(block))
    for (const [i, end] of (await this.whole(rest, filter)).entries()) found.set(rest[i] as EthereumBlock, end)
    return blocks.map((block) => found.get(block) as ObservedBlock)
  }

  /** The same with all receipts of each block. */
  async whole(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly ObservedBlock[]> {
    const ends = await this.byBlocks(blocks, filter)
    const found: ObservedBlock[] = []
    for (const [i, block] of blocks.entries()) {
      const end = ends[i] ?? null
      found.push(end === null || end instanceof NodeFailure ? await this.otherwise(block, filter, end) : end)
    }
    return found
  }

  /** Tries each way by itself, and tells why it fails: null for one that works. */
  async tried(block: EthereumBlock, filter: EthereumFilter): Promise<TriedWays> {
    return {
      byBlock: await failureOf(() => this.demandByBlock(block, filter)),
      each: await failureOf(() => this.singles.ofBlock(block, filter)),
      byLogs: await failureOf(() => observeByLogs(this.rpc, this.singles, block, filter)),
    }
  }

  /** Whether the node has the receipts of a block, of which this is one transaction; null when it does not tell. */
  async keeps(height: number, txHash: string | null): Promise<boolean | null> {
    const calls = [
      { way: BY_BLOCK, call: blockCall(height) },
      ...(txHash === null ? [] : [{ way: SINGLE, call: receiptCall(txHash) } as const]),
    ] as const
    for (const { way, call } of calls) {
      const isKept = this.shortcomings.has(way) ? null : await isKeptAs(this.rpc, call)
      if (isKept !== null) return isKept
    }
    return null
  }

  /** Rejects unless the node returns all receipts of a block at once, and they fit it. */
  private async demandByBlock(block: EthereumBlock, filter: EthereumFilter): Promise<void> {
    const [end] = await this.byBlock([block], filter, 'given')
    if (end instanceof UnexplainedFilter) await this.withOwnFilters(block, filter)
    else if (end instanceof ExcessReceipts) await this.withExcess(block, filter)
    else if (end instanceof NodeFailure) throw end
  }

  /** All receipts of each block, where the node supports it: as many blocks at once as it gives. Null for one not tried. */
  private async byBlocks(blocks: readonly EthereumBlock[], filter: EthereumFilter): Promise<readonly (End | null)[]> {
    const mode = this.shortcomings.has(GIVEN_FILTERS) ? 'own' : 'given'
    const ends: (End | null)[] = []
    let isRefused = false
    let failures = 0
    while (ends.length < blocks.length) {
      if (this.shortcomings.has(BY_BLOCK) || failures >= FAILURES_MAX) {
        ends.push(null)
        continue
      }
      // At first one alone: a batch that is refused would be retried in ever smaller parts.
      const isAlone = isRefused || !this.hasShown
      const next = blocks.slice(ends.length, isAlone ? ends.length + 1 : undefined)
      const found = await this.byBlock(next, filter, mode)
      if (found.some(isTooMuch)) this.shortcomings.note(BY_BLOCK, SLOW_TRIED_AGAIN_MS)
      isRefused ||= next.length > 1 && found.every((end) => end === found[0])
      if (isRefused && next.length > 1) continue
      const isShown = found.some((end) => !(end instanceof NodeFailure))
      if (isShown) this.shortcomings.succeeded(BY_BLOCK)
      else if (found.every(isMissingMethod)) this.shortcomings.note(BY_BLOCK)
      this.hasShown ||= isShown
      failures = isShown ? 0 : failures + 1
      ends.push(...found)
    }
    return ends
  }

  /**
   * What came of blocks by their receipts; one failure for all when they cannot be had together. Only the receipts of one batch
   * are in memory at a time.
   */
  private async byBlock(
    blocks: readonly EthereumBlock[],
    filter: EthereumFilter,
    mode: FilterMode,
    isCounted = false,
  ): Promise<readonly End[]> {
    const calls = blocks.map(({ height }) => blockCall(height))
    const take = (receipts: Receipts | null | undefined, i: number): End => {
      const block = blocks[i] as EthereumBlock
      return endOf(() => {
        if (receipts === null && block.txHashes.length > 0) {
          throw new MissingBlock(`the node does not have the receipts of block ${block.height}`)
        }
        demand(receipts !== undefined, 'receipts of a block: not a list')
        return observeWhole(block, receipts ?? new Receipts(filter, mode), filter, isCounted)
      })
    }
    try {
      return await this.rpc.all(calls, receiptsShape(filter, mode, blocks), take, REFUSALS_MAX)
    } catch (error) {
      const failure = passable(error)
      return blocks.map(() => failure)
    }
  }

  /** A block by the ways that are left after its receipts, or `null` where these were not tried. */
  private async otherwise(
    block: EthereumBlock,
    filter: EthereumFilter,
    first: NodeFailure | null,
  ): Promise<ObservedBlock> {
    if (first instanceof ExcessReceipts) return await this.withExcess(block, filter)
    const failures = first === null ? [] : [first]
    const isUnexplained = first instanceof UnexplainedFilter && !this.shortcomings.has(GIVEN_FILTERS)
    const single = [SINGLE, () => this.singles.ofBlock(block, filter)] as const
    const byLogs = [BY_LOGS, () => observeByLogs(this.rpc, this.singles, block, filter)] as const
    // Logs tell of what is in doubt; single receipts would only leave it out.
    const others = first instanceof DoubtfulTransfer ? [byLogs, single] : [single, byLogs]
    const ways: readonly (readonly [Way, () => Promise<ObservedBlock>])[] = [
      ...(isUnexplained ? [[GIVEN_FILTERS, () => this.withOwnFilters(block, filter)] as const] : []),
      ...others.filter(([way]) => !this.shortcomings.has(way)),
      // It was not tried, because it is said not to work.
      ...(first === null ? [[BY_BLOCK, () => this.withOwnFilters(block, filter)] as const] : []),
    ]
    for (const [way, read] of ways) {
      try {
        const found = await read()
        // A node that does not have them yet will have them soon.
        const isOver =
          first === null || way === GIVEN_FILTERS || first instanceof MissingBlock || first instanceof DoubtfulTransfer
        if (!isOver) this.shortcomings.failed(BY_BLOCK)
        return found
      } catch (error) {
        const failure = passable(error)
        failures.push(failure)
        if (isMissingMethod(failure)) this.shortcomings.note(way)
      }
    }
    const [only, ...more] = failures
    throw more.length === 0 && only !== undefined ? only : new EveryWayFailed(`block ${block.height}`, failures)
  }

  /**
   * A block with receipts of transactions that are not in it, as some nodes have of bridges. Throws unless the node says that
   * it has no other transactions.
   */
  private async withExcess(block: EthereumBlock, filter: EthereumFilter): Promise<ObservedBlock> {
    const count = quantityIn(await this.rpc.call('eth_getBlockTransactionCountByHash', [block.hash]))
    demand(count === BigInt(block.txHashes.length), 'a block comes without some of its transactions')
    const [end] = await this.byBlock([block], filter, 'own', true)
    if (end === undefined || !(end instanceof NodeFailure)) return end ?? (await this.singles.ofBlock(block, filter))
    return await this.otherwise(block, filter, end)
  }

  /** The receipts of a block, with filters over all their logs in place of those that they have. */
  private async withOwnFilters(block: EthereumBlock, filter: EthereumFilter): Promise<ObservedBlock> {
    const [end] = await this.byBlock([block], filter, 'own')
    if (end === undefined || end instanceof NodeFailure) throw end ?? new BadAnswer('no receipts')
    this.shortcomings.note(GIVEN_FILTERS)
    return end
  }

  /** What came of blocks without relevant logs, by the receipts of their payments, of all blocks together. */
  private async payments(
    blocks: readonly EthereumBlock[],
    filter: EthereumFilter,
  ): Promise<readonly (readonly [EthereumBlock, End])[]> {
    const receipts = blocks.map(() => new Receipts(filter, 'given'))
    const asked = blocks.flatMap(({ payments, txHashes }, n) => {
      return payments.map(({ txIndex }, i) => ({ n, i, hash: txHashes.at(txIndex) }))
    })
    const failure = await failureOf(async () => {
      const hashes = asked.map(({ hash }) => hash)
      await this.singles.each(hashes, filter, 'given', (receipt, at) => {
        const { n, i } = asked[at] as (typeof asked)[number]
        receipts[n]?.take(receipt, i)
      })
    })
    return blocks.map((block, n) => {
      if (block.payments.length > 0 && failure !== null) return [block, failure]
      return [block, endOf(() => observePayments(block, receipts[n] as Receipts))]
    })
  }
}

/** Whether a node has what a call asks for; null when it does not tell. */
async function isKeptAs(rpc: JsonRpc, { method, params }: RpcCall): Promise<boolean | null> {
  try {
    return (await rpc.call(method, params, presence)) !== null
  } catch (error) {
    const failure = passable(error)
    return isOfPrunedHistory(failure) ? false : null
  }
}

/** Whether it took too long, or was refused at every pace. */
function isTooMuch(end: End): boolean {
  return end instanceof RefusedAgain || (end instanceof HttpFailure && end.reason === 'timeout')
}

/** What came of a block. */
function endOf(observe: () => ObservedBlock): End {
  try {
    return observe()
  } catch (error) {
    if (error instanceof NodeFailure) return error
    throw error
  }
}

/** Null when it succeeds. */
async function failureOf(work: () => Promise<unknown>): Promise<NodeFailure | null> {
  try {
    await work()
    return null
  } catch (error) {
    return passable(error)
  }
}

/** A failure after which another way may succeed. Throws any other error: a refusal of the rate refuses that way too. */
function passable(error: unknown): NodeFailure {
  if (error instanceof NodeFailure && limitOf(error) === null) return error
  throw error
}

function blockCall(height: number): RpcCall {
  return { method: BY_BLOCK, params: [quantityText(height)] }
}
