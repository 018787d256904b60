import type { Intake } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { BlockHead, ChainOutcome, ChainPosition, ChainStep, ObservedBlock } from '../domain/block.js'
import { isChildOf } from '../domain/block.js'
import type { AsidePort } from '../store/aside.js'
import type { ChainPort } from '../store/chain.js'
import type { DepositPort } from '../store/deposits.js'
import { Beginning, type StartHeight } from './beginning.js'
import { BlockPieces } from './block-pieces.js'
import { commonAncestor } from './common-ancestor.js'
import { type DatedDepositOptions, isDatedBack, warnOfDated } from './dated-deposits.js'
import { type AgedHead, NetworkProblem, type NetworkReader } from './network-reader.js'
import { ShorterBranch } from './shorter-branch.js'
import { portionsOf } from './step-portions.js'
import type { WatcherRecord } from './watcher-state.js'

/** Unconfirmed blocks that are read and recorded together. */
const FOLLOWED_BLOCKS_MAX = 200
/** Hashes in one line of the log. */
const LOGGED_MAX = 10
/**
 * The most blocks that wait for their confirmation. Where finality takes 20 minutes and four blocks come in a second it is
 * 4800. When finality stands still, work and disk end here.
 */
const UNCONFIRMED_BLOCKS_MAX = 20_000

export interface ChainProgressOptions extends DatedDepositOptions {
  readonly reader: NetworkReader
  readonly chain: Pick<ChainPort, 'position' | 'blockAt' | 'noteSettings' | 'watch' | 'watched'>
  readonly deposits: Pick<DepositPort, 'page'>
  readonly intake: Pick<Intake, 'observe'>
  readonly aside: Pick<AsidePort, 'blocks'>
  readonly clock: Clock
  readonly start: StartHeight
  /** How long a block that no node can give holds up the network, ms; 0 for ever. */
  readonly skipAfterMs: number
  /**
   * After this time without a new block the last one is read again: another of the same height may have replaced it.
   */
  readonly tipCheckMs: number
  /** The most blocks that wait for their confirmation; 20,000 when absent. */
  readonly unconfirmedMax?: number
  readonly record: WatcherRecord
  readonly isStopping: () => boolean
}

type Applied = Extract<ChainOutcome, { status: 'applied' }>

/**
 * Brings the store nearer to a chain, one piece at a time. All its state is in the store and read again each time, so it
 * may be interrupted anywhere and started again.
 */
export class ChainProgress {
  private tipSeenAt = Number.NEGATIVE_INFINITY
  private readonly beginning: Beginning
  private readonly pieces: BlockPieces
  private readonly shorter: ShorterBranch

  constructor(private readonly options: ChainProgressOptions) {
    this.beginning = new Beginning(options)
    this.shorter = new ShorterBranch(options)
    const { network } = options.reader
    this.pieces = new BlockPieces(options, (aside) => this.take({ type: 'unreadable', network, aside }))
  }

  /**
   * Takes the next piece towards `head`: confirms, catches up, takes the next block, or undoes replaced ones. False
   * when there was nothing to do. When it rejects, what it has recorded so far stays, and is correct.
   */
  async advance(head: AgedHead): Promise<boolean> {
    const position = await this.position()
    const isDone = position === null ? await this.begin(head) : await this.goOn(position, head)
    if (isDone) await this.position()
    return isDone
  }

  /** Notes how many blocks are set aside, whether nodes answer or not. */
  async countAside(): Promise<void> {
    const { aside, reader, record } = this.options
    record.blocksSetAside = (await aside.blocks(reader.network)).filter(({ hash }) => hash !== null).length
  }

  private async position(): Promise<ChainPosition | null> {
    const position = (await this.options.chain.position(this.options.reader.network)) ?? null
    this.options.record.position = position
    return position
  }

  /** The first blocks are confirmed ones, which must never be undone: what is below them is not recorded. */
  private async begin(head: AgedHead): Promise<boolean> {
    const { beginning } = this
    const start = head.confirmed < 0 ? null : await beginning.find(head.confirmed)
    if (start === null) return false
    let blocks: readonly ObservedBlock[]
    try {
      blocks = await this.pieces.confirmed(start, head.confirmed)
    } catch (error) {
      await beginning.failed(error)
      // Nothing else is known of its time.
      const block = { height: start, ...(await this.pieces.linkOfUnreadable(error)), timeMs: this.options.clock.now() }
      beginning.began(block, head.confirmed)
      return this.setAside(block)
    }
    const [first] = blocks
    if (first !== undefined) beginning.began(first, head.confirmed)
    await this.append(blocks, true, head)
    return true
  }

  private async goOn(position: ChainPosition, head: AgedHead): Promise<boolean> {
    const { tip, confirmed } = position
    const next = tip.height + 1
    if (head.latest >= tip.height) this.shorter.end()
    if (confirmed < Math.min(head.confirmed, tip.height)) return this.confirm(position, head.confirmed)
    if (next <= head.confirmed) return this.catchUp(position, head)
    if (next <= head.latest) return this.follow(position, head)
    if (head.latest === tip.height) return this.checkTip(position)
    await this.shorter.check(tip, head)
    return false
  }

  /** Reads newly confirmed blocks again: when they were new, a node may not have known all of their transfers. */
  private async confirm(position: ChainPosition, confirmed: number): Promise<boolean> {
    const { chain, reader, log } = this.options
    const first = position.confirmed + 1
    let blocks: readonly ObservedBlock[]
    try {
      blocks = await this.pieces.confirmed(first, Math.min(confirmed, position.tip.height))
    } catch (error) {
      const link = await this.pieces.linkOfUnreadable(error)
      const recorded = await chain.blockAt(reader.network, first)
      if (recorded === undefined) throw error
      const isSame = link.hash === recorded.hash
      return isSame ? this.setAside(recorded) : this.reorganise(position, { ...recorded, ...link })
    }
    const kept = await Promise.all(blocks.map(({ height }) => chain.blockAt(reader.network, height)))
    const replaced = blocks.find(({ hash }, i) => kept[i]?.hash !== hash)
    if (replaced !== undefined) return this.reorganise(position, replaced)
    for (const portion of portionsOf(blocks)) {
      const { repaired } = await this.take({ type: 'confirm', network: reader.network, blocks: portion })
      this.tellUntold(portion)
      if (repaired === 0) continue
      const about = { network: reader.network, from: portion[0]?.height, to: portion.at(-1)?.height, repaired }
      log.warn(about, 'blocks held other transfers when they were confirmed than when they were first read')
    }
    return true
  }

  private async catchUp(position: ChainPosition, head: AgedHead): Promise<boolean> {
    const { tip } = position
    let blocks: readonly ObservedBlock[]
    try {
      blocks = await this.pieces.confirmed(tip.height + 1, head.confirmed)
    } catch (error) {
      // Until it is read it has the time of its parent.
      const block = { height: tip.height + 1, ...(await this.pieces.linkOfUnreadable(error)), timeMs: tip.timeMs }
      return isChildOf(block, tip) ? this.setAside(block) : this.reorganise(position, block)
    }
    const [first] = blocks
    if (first !== undefined && !isChildOf(first, tip)) return this.reorganise(position, first)
    await this.append(blocks, true, head)
    return true
  }

  private async follow({ tip, confirmed, ...position }: ChainPosition, head: AgedHead): Promise<boolean> {
    const { reader, unconfirmedMax = UNCONFIRMED_BLOCKS_MAX } = this.options
    const room = confirmed + unconfirmedMax - tip.height
    if (room <= 0) {
      const message = `${unconfirmedMax} blocks after block ${confirmed} wait for their confirmation`
      throw new NetworkProblem('unconfirmed', `${reader.network}: ${message}`)
    }
    const to = Math.min(head.latest, tip.height + Math.min(room, FOLLOWED_BLOCKS_MAX))
    const blocks = await this.pieces.fresh(tip.height + 1, to)
    const [first] = blocks
    // The node that reported the head was ahead of the others.
    if (first === undefined) return false
    if (!isChildOf(first, tip)) return this.reorganise({ tip, confirmed, ...position }, first)
    await this.append(blocks, false, head)
    return true
  }

  /** A branch of the same length is followed when the nodes report it now. */
  private async checkTip(position: ChainPosition): Promise<boolean> {
    const { reader, chain, clock, tipCheckMs } = this.options
    if (Math.abs(clock.now() - this.tipSeenAt) < tipCheckMs) return false
    const block = await reader.block(position.tip.height, await chain.watched(reader.network))
    if (block === null) return false
    this.tipSeenAt = clock.now()
    return block.hash === position.tip.hash ? false : this.reorganise(position, block)
  }

  private async reorganise(position: ChainPosition, block: BlockHead): Promise<boolean> {
    const { reader, chain, log, record, isStopping } = this.options
    const above = await commonAncestor(reader, chain, position, block, isStopping)
    if (above === null) return false
    const { network } = reader
    const depth = position.tip.height - above
    const undone = await this.take({ type: 'undo', network, above })
    record.reorganisations += 1
    const { confirmedBlocksUndone, confirmedDepositsDropped } = undone
    const about = { network, above, depth, tip: position.tip.height, deposits: undone.reports.length }
    if (confirmedBlocksUndone === 0) log.warn(about, 'blocks were replaced')
    else log.error({ ...about, confirmedBlocksUndone, confirmedDepositsDropped }, 'CONFIRMED blocks were replaced')
    return true
  }

  /** Goes on without a block. It is asked for in the background. */
  private async setAside(block: BlockHead): Promise<true> {
    const { aside, log } = this.options
    const { network } = this.options.reader
    const noted = (await aside.blocks(network)).find(({ height }) => height === block.height)
    if (noted === undefined) throw new Error('a block is to be set aside for which nobody waited')
    await this.take({ type: 'set_aside', network, block, aside: noted })
    await this.countAside()
    const { height, hash } = block
    const about = { network, block: height, hash, reason: noted.reason, since: noted.since }
    log.error(
      about,
      'a block that no node can give is SET ASIDE: deposits in it are not known; see docs/networks/problems.md',
    )
    return true
  }

  /** Of confirmed blocks: what is untold of unconfirmed ones is asked for again when they are confirmed. */
  private tellUntold(blocks: readonly ObservedBlock[]): void {
    for (const { height, hash, untold } of blocks) {
      if (untold === undefined) continue
      const about = { network: this.options.reader.network, block: height, hash, ...untold }
      this.options.log.error(
        { ...about, txHashes: untold.txHashes.slice(0, LOGGED_MAX), transactions: untold.txHashes.length },
        'what contracts send in transactions that no node traces is SET ASIDE; see docs/networks/problems.md',
      )
    }
  }

  private async append(blocks: readonly ObservedBlock[], isConfirmed: boolean, head: AgedHead): Promise<void> {
    const { reader, clock, record } = this.options
    const seenAtMs = clock.now()
    for (const portion of portionsOf(blocks)) {
      const step = { type: 'append', network: reader.network, blocks: portion, isConfirmed, seenAtMs } as const
      const { reports } = await this.take(step)
      if (isConfirmed) this.tellUntold(portion)
      if (isDatedBack(head)) record.datedBeforeInvoice += await warnOfDated(step, reports, this.options)
    }
    this.tipSeenAt = clock.now()
  }

  private async take(step: ChainStep): Promise<Applied> {
    const { intake, record, log, reader } = this.options
    const outcome = await intake.observe(step)
    if (outcome.status === 'refused') throw new Error(`the store refused the step ${step.type}: ${outcome.reason}`)
    record.confirmedBlocksUndone += outcome.confirmedBlocksUndone
    const repaired = Math.max(0, outcome.repaired - unannouncedIn(step))
    record.repaired += repaired
    for (const { txHash, index, outcome: fate } of outcome.reports) {
      if (fate.status !== 'rejected') continue
      log.warn({ network: reader.network, txHash, index, error: fate.error }, 'a transfer cannot be recorded')
    }
    return { ...outcome, repaired }
  }
}

/** Transfers that a step adds to blocks although their first reading was right. */
function unannouncedIn(step: ChainStep): number {
  if (step.type !== 'confirm') return 0
  return step.blocks.reduce((sum, { unannounced = 0 }) => sum + unannounced, 0)
}
