import type { Clock } from '../../clock.js'
import type { BlockHead, ObservedBlock, WatchedAddresses } from '../../domain/block.js'
import { AdaptiveWidth } from '../adaptive-width.js'
import { BadAnswer, demand, HttpFailure, limitOf, MissingBlock, NodeFailure, UnfitNode } from '../node/answer.js'
import type { ChainNode, NodeHead } from '../node/chain-node.js'
import type { HttpJson } from '../node/http-json.js'
import type { NodeFact } from '../node/node-fact.js'
import { TokenChecks } from '../token-checks.js'
import type { TronBlock } from './block.js'
import { BlockReader } from './block-reader.js'
import { ChainEnd } from './chain-end.js'
import { examineTron } from './examination.js'
import { FirstBlocks } from './first-blocks.js'
import { InfoReader, NoInfos } from './info-reader.js'
import type { TokenLabels } from './infos.js'
import { isOfContract } from './internal.js'
import { explainMissing, explainNoInfos } from './kept-history.js'
import { Ladder } from './ladder.js'
import { SolidProgress } from './solid-progress.js'
import { findSolidSide, SolidityInterface, type SolidSide } from './solid-side.js'
import { type TronToken, TronTokenCheck } from './token-check.js'
import { TronApi } from './tron-api.js'

/** New blocks in one query, where they did not come with the head. */
const FRESH_MAX = 16
/** A sound node's newest block is not older: ten slots, for clocks that differ. */
const NEWEST_AGE_MAX_MS = 30_000
/** While no payment waits for its confirmation, the solidified side is asked with every fourth head only. */
const HEADS_PER_SOLID_LOOK = 4
/** How often the infos of a new block are asked for before it is taken as it is. They come a little later than the block. */
const GLIMPSES_MAX = 3
/** The number of connections to an endpoint. */
const OBSERVED_AT_ONCE = 4

export interface TronNodeOptions {
  /** At least one. */
  readonly tokens: readonly TronToken[]
  /** The id of the network's first block, 64 lower-case hex digits. */
  readonly genesisId: string
  readonly clock: Clock
  /** Called with a sentence about what the node does not prove. */
  readonly warn: (endpoint: string, text: string) => void
}

/**
 * A TRON node behind its REST interface. Solidified blocks are confirmed. A new block is read as far as it announces
 * payments itself; the infos of all its transactions are read once, when it is solidified.
 */
export class TronNode implements ChainNode {
  private readonly api: TronApi
  private readonly ladder: Ladder
  private readonly infoReader: InfoReader
  private readonly blockReader: BlockReader
  private readonly tokens: TokenChecks<TronTokenCheck>
  private readonly firsts: FirstBlocks
  private newest: ChainEnd
  private solid: SolidSide
  private solidHead: BlockHead | null = null
  private readonly solidProgress = new SolidProgress()
  private headsSinceLook = 0
  /** A payment may wait for its confirmation up to this height; null before the first head. */
  private waitsUpTo: number | null = null
  private readonly atOnce = new AdaptiveWidth(1, OBSERVED_AT_ONCE)
  /** The new block whose infos were not complete, and how often it was tried. */
  private incomplete = { hash: '', tries: 0 }

  constructor(
    /** Its address is that of the REST interface, without `/wallet`. */
    http: HttpJson,
    private readonly options: TronNodeOptions,
  ) {
    const { clock, tokens, warn } = options
    this.api = new TronApi(http)
    this.ladder = new Ladder(clock)
    this.infoReader = new InfoReader(this.api, this.ladder, () => this.labels())
    this.blockReader = new BlockReader(this.api, this.ladder, this.infoReader)
    const checks = tokens.map((token) => new TronTokenCheck(this.api, token))
    this.tokens = new TokenChecks(checks, (text) => warn(http.name, text))
    this.firsts = new FirstBlocks(this.blockReader, options.genesisId, clock)
    this.newest = this.newEnd()
    this.solid = new SolidityInterface(this.blockReader, this.ladder, clock)
  }

  async check(): Promise<void> {
    // What it has told may be of another chain than what it tells now.
    this.newest = this.newEnd()
    this.solidHead = null
    this.waitsUpTo = null
    await this.checkNetwork()
  }

  get flaw(): string | null {
    return this.tokens.flaw
  }

  private labels(): TokenLabels {
    return new Map(this.tokens.sound.map(({ token }) => [token.account, token.label]))
  }

  /** Finds the solidified side, and checks the tokens. What failed in passing goes on later. */
  private async checkNetwork(): Promise<void> {
    const { api, blockReader, ladder, firsts } = this
    let isOver = true
    try {
      this.solid = await findSolidSide(api, blockReader, ladder, firsts, this.options.clock)
      await this.tokens.check()
    } catch (error) {
      isOver = !(error instanceof HttpFailure && error.reason === 'timeout')
      throw error
    } finally {
      if (isOver) firsts.forget()
    }
  }

  async examine(nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]> {
    await this.check()
    const { solid, tokens, blockReader: blocks, infoReader: infos } = this
    const head = await this.head()
    const solidHead = await solid.look()
    return await examineTron({ blocks, infos, solid, tokens, head, solidHead, nowMs, headAgeMaxMs })
  }

  async head(): Promise<NodeHead> {
    const { height, timeMs } = await this.newest.look()
    this.waitsUpTo ??= height
    this.headsSinceLook += 1
    const isDoubted = this.solidProgress.waiting(height) !== null
    const isDue = this.headsSinceLook >= HEADS_PER_SOLID_LOOK || isDoubted
    if (this.solidHead === null || this.solidHead.height < this.waitsUpTo || isDue) {
      this.solidHead = await this.solid.look()
      this.headsSinceLook = 0
      this.solidProgress.note(height, this.solidHead.height)
    }
    const unconfirmed = this.solidProgress.waiting(height)
    return { latest: height, confirmed: this.solidHead.height, timeMs, unconfirmed }
  }

  async timeOf(height: number): Promise<number | null> {
    try {
      return (await this.blockReader.at(this.solid.side, height))?.timeMs ?? null
    } catch (error) {
      // A lite node says so.
      if (error instanceof UnfitNode) return null
      throw error
    }
  }

  /** Once any node has called a height solidified, only solidified blocks are believed. */
  async block(height: number, watched: WatchedAddresses, isConfirmed: boolean): Promise<ObservedBlock | null> {
    if (!isConfirmed) {
      const block = await this.blockReader.at('/wallet', height)
      return block === null ? null : await this.glimpse(block, watched)
    }
    await this.solid.demandFinal(height)
    const block = await this.blockReader.at(this.solid.side, height)
    demand(block !== null, `block ${height}: solidified elsewhere, but not here yet`)
    return await this.blockReader.observe(this.solid.side, block, watched)
  }

  async fresh(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const max = Math.min(to - from + 1, FRESH_MAX)
    const came = this.newest.take(from, max)
    const blocks = came.length > 0 ? came : await this.blockReader.run('/wallet', from, max)
    const observed: ObservedBlock[] = []
    for (const block of blocks) {
      try {
        observed.push(await this.glimpse(block, watched))
      } catch (error) {
        if (observed.length === 0 || !(error instanceof NodeFailure)) throw error
        break
      }
    }
    const last = observed.at(-1)
    if (last !== undefined) this.newest.pass(last.height)
    return observed
  }

  async blocks(from: number, to: number, watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    await this.solid.demandFinal(from)
    try {
      const observed = await this.observed(await this.solidRun(from, to), watched)
      this.solid.pass(observed.at(-1)?.height ?? from)
      return observed
    } catch (error) {
      const isMissing = error instanceof BadAnswer || error instanceof MissingBlock || error instanceof UnfitNode
      if (error instanceof NoInfos) await explainNoInfos(this.blockReader, this.infoReader, this.solid, error)
      else if (isMissing) await explainMissing(this.blockReader, this.solid, from)
      throw error
    }
  }

  /** Nodes that do not keep what contracts send are as sound as those that do. */
  readonly mayLack = isOfContract

  async hashes(from: number, count: number): Promise<readonly (string | null)[]> {
    const hashes: (string | null)[] = []
    while (hashes.length < count) {
      const height = from + hashes.length
      const run = (await this.isFinal(height))
        ? await this.blockReader.run(this.solid.side, height, count - hashes.length)
        : []
      hashes.push(...(run.length === 0 ? [null] : run.map(({ hash }) => hash)))
    }
    return hashes
  }

  /** What a new block announces. When its infos do not come, it is taken without them: it is read again as a solid one. */
  private async glimpse(block: TronBlock, watched: WatchedAddresses): Promise<ObservedBlock> {
    const { height, hash } = block
    try {
      const observed = await this.blockReader.glimpse('/wallet', block, watched)
      if (observed.transfers.length > 0) this.waitsUpTo = Math.max(this.waitsUpTo ?? 0, height)
      return observed
    } catch (error) {
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      const tries = this.incomplete.hash === hash ? this.incomplete.tries + 1 : 1
      this.incomplete = { hash, tries }
      if (tries < GLIMPSES_MAX) throw error
      this.waitsUpTo = Math.max(this.waitsUpTo ?? 0, height)
      return this.blockReader.announced(block, watched)
    }
  }

  /** The first of these solidified blocks, and the following ones that come with it. */
  private async solidRun(from: number, to: number): Promise<readonly TronBlock[]> {
    const came = this.solid.take(from, to - from + 1)
    if (came.length > 0) return came
    const run = await this.blockReader.run(this.solid.side, from, to - from + 1)
    if (run.length === 0) throw new MissingBlock(`block ${from}: the node does not have it`)
    return run
  }

  /** Blocks with their transfers: the first of them, as far as their infos can be read. */
  private async observed(blocks: readonly TronBlock[], watched: WatchedAddresses): Promise<readonly ObservedBlock[]> {
    const observed: ObservedBlock[] = []
    while (observed.length < blocks.length) {
      const next = blocks.slice(observed.length, observed.length + this.atOnce.value)
      const ends = await Promise.allSettled(
        next.map((block) => this.blockReader.observe(this.solid.side, block, watched)),
      )
      for (const end of ends) {
        if (end.status === 'fulfilled') {
          observed.push(end.value)
          continue
        }
        this.atOnce.refused(this.atOnce.value)
        // A node with a rate limit would never finish a long query, so the complete blocks count.
        if (observed.length === 0 || !(end.reason instanceof NodeFailure)) throw end.reason
        return observed
      }
    }
    this.atOnce.succeeded()
    return observed
  }

  private async isFinal(height: number): Promise<boolean> {
    try {
      await this.solid.demandFinal(height)
      return true
    } catch (error) {
      if (error instanceof BadAnswer) return false
      throw error
    }
  }

  private newEnd(): ChainEnd {
    return new ChainEnd(this.blockReader, this.ladder, '/wallet', this.options.clock, NEWEST_AGE_MAX_MS)
  }
}
