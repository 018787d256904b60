import { isObject } from '../../base/json-object.js'
import { isConsecutive, type ObservedBlock, type WatchedAddresses } from '../../domain/block.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { type ChainHead, WrongNode } from '../network-reader.js'
import {
  BadAnswer,
  demand,
  HttpFailure,
  isLimitingText,
  isPerhapsTooLarge,
  limitOf,
  NodeFailure,
  objectOf,
  RateLimited,
  textOf,
  UnfitNode,
} from '../node/answer.js'
import type { ChainNode } from '../node/chain-node.js'
import type { HttpJson } from '../node/http-json.js'
import { anything } from '../node/json-shape.js'
import { factOf, headFact, type NodeFact } from '../node/node-fact.js'
import { checkToken, symbolOf } from '../token.js'
import { hexOfAccount } from './address.js'
import { readBlock, readBlockId, readNewestBlock, readReceipts, type TronBlock, transfersOf } from './block.js'
import { repeatedOf } from './values.js'

/** Constant calls need a caller; any account will do, and this one has no owner. */
const CALLER = '0'.repeat(40)
const RETURNED = /^(?:[0-9a-f]{2})*$/
/** Nodes that keep the recent blocks only answer so. */
const PRUNED_TEXT = /lite ?fullnode/i
/** A solidified block that a node lacks this far below its own head is not one that it will have soon. */
const HISTORY_DEPTH = 100
/** Blocks that an examination asks for at once. */
const EXAMINED_BLOCKS = 20
/** Blocks in one query; nodes allow 100. */
const BLOCKS_MAX = 100
/** Blocks are queried together up to about this many transactions: half a megabyte, parsed in a few milliseconds. */
const TRANSACTIONS = 500
/** The number of connections to an endpoint. */
const RECEIPTS_MAX = 4

export interface TronNodeOptions {
  /** The account of the token's contract, 40 lower-case hex digits. */
  readonly token: string
  readonly tokenDecimals: number
  /** The id of the network's first block, 64 lower-case hex digits. */
  readonly genesisId: string
}

/** A node's interface for solidified blocks, and its full one. */
type Side = '/walletsolidity' | '/wallet'

/** A TRON node behind its REST interface. Solidified blocks are confirmed. */
export class TronNode implements ChainNode {
  private readonly pace = new TronPace()

  constructor(
    /** Its address is that of the REST interface, without `/wallet`. */
    private readonly http: HttpJson,
    private readonly options: TronNodeOptions,
  ) {}

  async check(): Promise<void> {
    const { genesisId, tokenDecimals } = this.options
    // A node serves its two sides on two ports unless a proxy joins them, so the checks query both.
    const id = readBlockId(await this.query('/walletsolidity/getblockbynum', { num: 0 }))
    if (id !== genesisId) throw new WrongNode(`its first block is ${id}, not ${genesisId}`)
    await checkToken('the token', tokenDecimals, (method) => this.callToken(`${method}()`))
  }

  async examine(nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]> {
    await this.check()
    const { tokenDecimals } = this.options
    const symbol = symbolOf(await this.callToken('symbol()'))
    const head = await this.head()
    const token = `its token calls itself ${symbol} with ${tokenDecimals} decimals`
    return [
      { verdict: 'ok', text: `has the first block of this network, and ${token}` },
      headFact(head, nowMs, headAgeMaxMs),
      await factOf(
        async () => {
          const block = readBlock(
            await this.query('/walletsolidity/getblockbynum', { num: head.confirmed }),
            head.confirmed,
          )
          await this.observe('/walletsolidity', block, { has: () => false, few: () => [] })
          return { verdict: 'ok', text: 'returns the transaction infos of a block' }
        },
        (reason) => ({ verdict: 'failed', text: `does not return the transaction infos of a block: ${reason}` }),
      ),
      await this.rangeFact(head.confirmed),
    ]
  }

  private async rangeFact(confirmed: number): Promise<NodeFact> {
    const wanted = Math.min(EXAMINED_BLOCKS, confirmed + 1)
    return await factOf(
      async () => {
        const { length } = await this.readConsecutive(confirmed - wanted + 1, wanted)
        return { verdict: 'ok', text: `gives ${length} blocks for one question` }
      },
      (reason) => ({ verdict: 'warning', text: `does not give ${wanted} blocks for one question: ${reason}` }),
    )
  }

  async head(): Promise<ChainHead & { readonly timeMs: number }> {
    const newest = readNewestBlock(await this.query('/wallet/getnowblock'))
    const solidified = readNewestBlock(await this.query('/walletsolidity/getnowblock'))
    return { latest: newest.height, confirmed: solidified.height, timeMs: newest.timeMs }
  }

  /** Once any node has called a height solidified, only the solidified side is believed. */
  async block(height: number, watched: WatchedAddresses, isConfirmed: boolean): Promise<ObservedBlock | null> {
    const side = isConfirmed ? '/walletsolidity' : '/wallet'
    const answer = await this.query(`${side}/getblockbynum`, { num: height })
    if (!isNothing(answer)) return await this.observe(side, readBlock(answer, height), watched)
    demand(!isConfirmed, `block ${height}: solidified elsewhere, but not here yet`)
    return null
  }

  /** One block at a time: they come every three seconds. */
  async fresh(from: number, _to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const block = await this.block(from, watched, false)
    return block === null ? [] : [block]
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    for (;;) {
      try {
        return await this.readSome(from, to, watched)
      } catch (error) {
        const mayBeNarrower = this.pace.blocks > 1 && isPerhapsTooLarge(error)
        this.pace.failed(error)
        if (error instanceof BadAnswer) await this.explainMissing(from)
        if (!mayBeNarrower) throw error
      }
    }
  }

  async hashes(from: number, count: number): Promise<readonly (string | null)[]> {
    const hashes: (string | null)[] = []
    // One by one, since a node refuses a range of which it does not have all, and may limit its width.
    for (let height = from; height < from + count; height += 1) {
      const answer = await this.query('/walletsolidity/getblockbynum', { num: height })
      hashes.push(isNothing(answer) ? null : readBlock(answer, height).hash)
    }
    return hashes
  }

  /** Throws `UnfitNode` when the node's history begins above a height that is far below its solidified head. */
  private async explainMissing(height: number): Promise<void> {
    if (await this.keeps(height)) return
    const head = readNewestBlock(await this.query('/walletsolidity/getnowblock')).height
    if (height > head - HISTORY_DEPTH) return
    let [lacked, kept] = [height, head]
    while (kept - lacked > 1) {
      const middle = Math.floor((lacked + kept) / 2)
      if (await this.keeps(middle)) kept = middle
      else lacked = middle
    }
    throw new UnfitNode('pruned', `its history begins at block ${kept}, and block ${height} is needed`)
  }

  /** Whether the node has a solidified block. */
  private async keeps(height: number): Promise<boolean> {
    try {
      return !isNothing(await this.query('/walletsolidity/getblockbynum', { num: height }))
    } catch (error) {
      if (error instanceof BadAnswer && PRUNED_TEXT.test(error.message)) return false
      throw error
    }
  }

  /** The first of these blocks, and the following ones of one query, as far as their receipts can be read. */
  private async readSome(from: number, to: number, watched: WatchedAddresses): Promise<ObservedBlock[]> {
    const blocks = await this.readConsecutive(from, Math.min(to - from + 1, this.pace.blocks))
    const observed: ObservedBlock[] = []
    while (observed.length < blocks.length) {
      const next = blocks.slice(observed.length, observed.length + this.pace.receipts)
      const ends = await Promise.allSettled(next.map((block) => this.observe('/walletsolidity', block, watched)))
      for (const end of ends) {
        if (end.status === 'fulfilled') {
          observed.push(end.value)
          continue
        }
        // A node with a rate limit would never finish a long query, so the complete blocks count.
        if (observed.length === 0 || !(end.reason instanceof NodeFailure)) throw end.reason
        this.pace.failed(end.reason)
        return observed
      }
    }
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    this.pace.succeeded(blocks.length, transactions)
    return observed
  }

  /** Up to this many solidified blocks, each the parent of the next. */
  private async readConsecutive(from: number, count: number): Promise<readonly TronBlock[]> {
    if (count === 1) return [readBlock(await this.query('/walletsolidity/getblockbynum', { num: from }), from)]
    const what = `blocks from ${from}`
    const answer = await this.query('/walletsolidity/getblockbylimitnext', { startNum: from, endNum: from + count })
    const entries = repeatedOf(objectOf(answer, what)['block'], what)
    demand(entries.length > 0 && entries.length <= count, `${what}: ${entries.length} for ${count}`)
    const blocks = entries.map((entry, i) => readBlock(entry, from + i))
    demand(isConsecutive(blocks), `${what}: not a chain`)
    return blocks
  }

  /** Queries the side that reported the block for its receipts, and checks both together. */
  private async observe(side: Side, block: TronBlock, watched: WatchedAddresses): Promise<ObservedBlock> {
    const { height, hash, parentHash, timeMs } = block
    const head = { height, hash, parentHash, timeMs }
    // The first block distributes the initial supply. It has no receipts, and is no payment.
    if (block.isEmpty || height === 0) return { ...head, transfers: [] }
    const answer = await this.query(`${side}/gettransactioninfobyblocknum`, { num: height })
    return { ...head, transfers: transfersOf(readReceipts(answer, block), this.options.token, watched) }
  }

  /** Throws `WrongNode` when the account is no contract, and when the node is configured to refuse such calls. */
  private async callToken(selector: string): Promise<Buffer> {
    const answer = objectOf(
      await this.query('/wallet/triggerconstantcontract', {
        owner_address: hexOfAccount(CALLER),
        contract_address: hexOfAccount(this.options.token),
        function_selector: selector,
      }),
      selector,
    )
    const { result, code, message } = objectOf(answer['result'], selector)
    // The node writes its reason in hex.
    const reason = typeof message === 'string' ? Buffer.from(message, 'hex').toString() : 'no reason'
    const failure = `${selector} of the token: ${this.http.presentable(reason)}`
    if (code === 'CONTRACT_VALIDATE_ERROR') throw new WrongNode(failure)
    demand(result === true, failure)
    // A call that reverted returns an empty text.
    return Buffer.from(textOf(repeatedOf(answer['constant_result'], selector)[0], RETURNED, selector), 'hex')
  }

  /** Returns the node's unchecked answer. Rejects with `NodeFailure`, also when the node reports an error. */
  private async query(path: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const answer = await this.http.post(path, JSON.stringify(parameters), anything)
    if (isObject(answer) && 'Error' in answer) {
      // Errors, even of a node's own rate limit, come with HTTP status 200.
      const reason = typeof answer['Error'] === 'string' ? answer['Error'] : 'an error'
      const shown = this.http.presentable(`${path}: ${reason}`)
      throw isLimitingText(reason) ? new RateLimited(shown) : new BadAnswer(shown)
    }
    return answer
  }
}

/** A node answers a query for something unknown with an empty object. */
function isNothing(answer: unknown): boolean {
  return isObject(answer) && Object.keys(answer).length === 0
}

/** How much of a node is queried at once in catching up. It grows with success and shrinks after a failure. */
class TronPace {
  private readonly blocksAtOnce = new AdaptiveWidth(1, BLOCKS_MAX)
  private readonly receiptsAtOnce = new AdaptiveWidth(1, RECEIPTS_MAX)
  /** The number of blocks like the last ones that have `TRANSACTIONS` transactions together. */
  private fitting = BLOCKS_MAX

  /** Blocks to request in one query. */
  get blocks(): number {
    return Math.min(this.blocksAtOnce.value, this.fitting)
  }

  /** Receipts to request in parallel, each of one block. */
  get receipts(): number {
    return this.receiptsAtOnce.value
  }

  /** All blocks of a query came, with this many transactions in all. */
  succeeded(blocks: number, transactions: number): void {
    this.fitting = Math.max(1, Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions)))
    this.blocksAtOnce.succeeded()
    this.receiptsAtOnce.succeeded()
  }

  /** Not all blocks of a query came. When the node only limits the rate, queries with more blocks are better. */
  failed(error: unknown): void {
    this.receiptsAtOnce.refused(this.receipts)
    const isOnlyLimited =
      limitOf(error) !== null ||
      (error instanceof HttpFailure && error.reason === 'status' && !isPerhapsTooLarge(error))
    if (!isOnlyLimited) this.blocksAtOnce.refused(this.blocks)
  }
}
