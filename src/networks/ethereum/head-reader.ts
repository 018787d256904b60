import type { Clock } from '../../clock.js'
import type { BlockHead } from '../../domain/block.js'
import type { ChainHead } from '../network-reader.js'
import { limitOf, NodeFailure, RpcFailure, UnfitNode } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { blockShape, headShape, readHead, type ToldBlock, type ToldHead } from './block.js'
import { SlotClock } from './slot-clock.js'

/**
 * When a block is confirmed: after this many blocks, itself included; when the chain's consensus has finalised it; or
 * when the chain calls it safe, which comes earlier and is weaker: on most second layers it is then published on the
 * first.
 */
export type Confirmation = number | 'finalized' | 'safe'

/** A tag that has not moved with the last block is asked for again after this time, and so is one on which no payment waits. */
const TAG_PAUSE_MS = 6000
/** Without a new block it can move too. */
const TAG_PAUSE_MAX_MS = 15_000
/** Payments of the newest block that are kept before it is known who watches. */
const PAYMENTS_MAX = 5000

/** Asks one node for its head, in as few calls as the head can move. */
export class HeadReader {
  private readonly slots = new SlotClock()
  private newest: BlockHead | null = null
  private tagged: {
    readonly head: BlockHead
    readonly latest: number
    readonly atMs: number
    readonly hasMoved: boolean
  } | null = null
  /** The newest block with its transactions, until it is taken. */
  private whole: { readonly height: number; readonly told: ToldBlock } | null = null
  /** Whether the newest block is what is read next: then one call tells both. */
  private isFollowed = false
  /** Blocks were read up to this height; a payment may wait for its confirmation up to the other one. */
  private readUpTo = -1
  private waitsUpTo = -1

  constructor(
    private readonly rpc: JsonRpc,
    private readonly confirmation: Confirmation,
    private readonly clock: Clock,
  ) {}

  /** Forgets what the node has told: it may be another one by now. */
  forget(): void {
    this.newest = null
    this.tagged = null
    this.whole = null
  }

  async read(): Promise<ChainHead & { readonly timeMs: number }> {
    if (this.newest === null || !this.slots.isTooEarly(this.clock.now())) this.newest = await this.readNewest()
    const { height, timeMs } = this.newest
    const { confirmation } = this
    const confirmed =
      typeof confirmation === 'number' ? height - confirmation + 1 : await this.readTag(confirmation, height)
    // Behind a balancer the two answers may come from two nodes.
    return { latest: height, confirmed: Math.max(-1, Math.min(height, confirmed)), timeMs }
  }

  /** The newest block that was told; null before the first. */
  get latest(): BlockHead | null {
    return this.newest
  }

  /** What the node has told last of what is confirmed: up to which height, and a block behind it or at it. Null before the first. */
  get confirmed(): { readonly height: number; readonly by: BlockHead } | null {
    const { confirmation, newest, tagged } = this
    if (typeof confirmation !== 'number')
      return tagged === null ? null : { height: tagged.head.height, by: tagged.head }
    return newest === null ? null : { height: newest.height - confirmation + 1, by: newest }
  }

  /** The block with a tag. Throws `UnfitNode` when there is none: then nothing would ever be confirmed. */
  async taggedHead(tag: Exclude<Confirmation, number>): Promise<BlockHead> {
    let answer: ToldHead
    try {
      answer = await this.rpc.call('eth_getBlockByNumber', [tag, false], headShape)
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      throw new UnfitNode('no_finality', `the node refuses the block tag "${tag}": ${error.message}`)
    }
    if (answer === null) throw new UnfitNode('no_finality', `the node has no block with the tag "${tag}"`)
    return readHead(answer)
  }

  /** The newest block, if it is of this height and was told with its transactions since it was last taken. */
  take(height: number): ToldBlock | null {
    const { whole } = this
    if (whole === null || whole.height !== height) return null
    this.whole = null
    return whole.told
  }

  /** A new block was read. `mayPay`: it has a payment, or may have one that was not seen. */
  followed(height: number, mayPay: boolean): void {
    this.isFollowed ||= height === this.newest?.height
    this.readUpTo = height
    if (mayPay) this.waitsUpTo = Math.max(this.waitsUpTo, height)
  }

  private async readNewest(): Promise<BlockHead> {
    // What was told the last time was not needed.
    if (this.whole !== null) this.isFollowed = false
    this.whole = null
    const head = this.isFollowed ? await this.readWhole() : await this.readHeader()
    // What others have read meanwhile, or nobody yet, may hold payments.
    const { height } = this.newest ?? head
    if (height > this.readUpTo || this.newest === null) this.waitsUpTo = Math.max(this.waitsUpTo, height)
    this.slots.saw(head, this.clock.now())
    return head
  }

  private async readHeader(): Promise<BlockHead> {
    return readHead(await this.rpc.call('eth_getBlockByNumber', ['latest', false], headShape))
  }

  private async readWhole(): Promise<BlockHead> {
    try {
      const told = await this.rpc.call(
        'eth_getBlockByNumber',
        ['latest', true],
        blockShape(() => true, { paymentsMax: PAYMENTS_MAX, hasReceivers: true }),
      )
      const head = readHead(told)
      const transactions = told?.transactions
      if (transactions?.isCut === false && transactions.doubtful.length === 0)
        this.whole = { height: head.height, told: told ?? null }
      return head
    } catch (error) {
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      this.isFollowed = false
      return await this.readHeader()
    }
  }

  private async readTag(tag: Exclude<Confirmation, number>, latest: number): Promise<number> {
    const { tagged, clock } = this
    if (tagged !== null) {
      const sinceMs = Math.abs(clock.now() - tagged.atMs)
      const isSoon = tagged.hasMoved && tagged.head.height < this.waitsUpTo
      const mayHaveMoved = latest !== tagged.latest && (isSoon || sinceMs >= TAG_PAUSE_MS)
      if (!mayHaveMoved && sinceMs < TAG_PAUSE_MAX_MS) return tagged.head.height
    }
    const head = await this.taggedHead(tag)
    this.tagged = { head, latest, atMs: clock.now(), hasMoved: head.height !== tagged?.head.height }
    return head.height
  }
}
