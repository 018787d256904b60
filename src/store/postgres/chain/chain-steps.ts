import {
  asideOfUntold,
  type BlockAside,
  type DepositAside,
  isUntold,
  type NameInNetwork,
  nameOf,
} from '../../../domain/aside.js'
import {
  type BlockHead,
  type ChainOutcome,
  type ChainRefusal,
  type ChainReport,
  type ChainStep,
  CONFIRMED_BLOCKS_KEPT,
  confirmedAfterUndo,
  mayAppend,
  mayConfirm,
  type ObservedBlock,
  placeOfAside,
  sightedAgain,
  sightingsIn,
  sightingsOf,
} from '../../../domain/block.js'
import type { DepositReport, Sighting } from '../../../domain/deposit.js'
import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Network } from '../../../domain/network.js'
import { NONE_ASIDE, type StepAside } from '../../commands.js'
import type { OwedDelivery } from '../../outbox.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { DepositMemo } from '../deposits/deposit-memo.js'
import type { DepositId } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/recorder.js'
import type { DepositRecording } from '../deposits/recording.js'
import { expireDue } from '../invoices/settle.js'
import { lockAddresses } from '../wallets/wallet-rows.js'
import {
  endAsideAbove,
  endBlockAside,
  endWaiting,
  findBlockAside,
  findDepositAside,
  forgetAside,
  putBlockAside,
  putDepositAside,
} from './aside-rows.js'
import {
  type Ask,
  type BlockRow,
  blocksAbove,
  blocksAt,
  findHead,
  forgetChain,
  positionOf,
  putBlock,
  putConfirmed,
  removeBlocks,
} from './block-rows.js'
import { Holders } from './holders.js'

/*
 * The steps of the watchers: blocks, and the deposits that live and die with them, all in one transaction.
 */

/** The outcome of a step, and the deliveries that each of its reports caused, which are complete with the commit. */
export interface TakenStep {
  readonly outcome: ChainOutcome
  readonly owed: readonly (readonly OwedDelivery[])[]
}

/** The addresses, each once, whose deposits a step reports on. */
export async function addressesOf(ask: Ask, step: ChainStep, deposits: DepositRecorder): Promise<readonly string[]> {
  const { network } = step
  const sightings = sightingsOf(step).filter((sighting) => deposits.flawOf(sighting) === null)
  const names: readonly NameInNetwork[] = [...sightings, ...(await heldBy(ask, step))]
  const known = await ask<{ to_address: string }>(sql`
    SELECT d.to_address FROM deposits AS d JOIN unnest(
      ${names.map(({ txHash }) => txHash)}::text[], ${names.map(({ index }) => index)}::bigint[]
    ) AS named (tx_hash, index) ON d.tx_hash = named.tx_hash AND d.index = named.index
    WHERE d.network = ${network}`)
  return [...new Set([...sightings.map(({ toAddress }) => toAddress), ...known.map(({ to_address }) => to_address)])]
}

/** The deposits, each once, that a step reports on. */
export async function depositsOf(
  ask: Ask,
  step: ChainStep,
  deposits: DepositRecorder,
): Promise<readonly NameInNetwork[]> {
  const sightings = sightingsOf(step).filter((sighting) => deposits.flawOf(sighting) === null)
  const names = [...sightings, ...(await heldBy(ask, step))].map(({ txHash, index }) => ({ txHash, index }))
  return [...new Map(names.map((name) => [nameOf(name), name])).values()]
}

/** The deposits that a step may take away, because they were read from its blocks before. */
async function heldBy(ask: Ask, step: ChainStep): Promise<readonly NameInNetwork[]> {
  const held = (await blocksOf(ask, step)).flatMap((block) => block.deposits)
  if (step.type !== 'recover') return held
  return [...held, ...((await findBlockAside(ask, step.network, step.blocks[0].height))?.deposits ?? [])]
}

/** The stored blocks whose deposits a step is about. */
async function blocksOf(ask: Ask, step: ChainStep): Promise<readonly BlockRow[]> {
  if (step.type === 'confirm' || step.type === 'recover')
    return blocksAt(
      ask,
      step.network,
      step.blocks.map(({ height }) => height),
    )
  return step.type === 'undo' ? blocksAbove(ask, step.network, step.above) : []
}

/** Takes a step in a unit of work of its own; null when it has only settled a piece of what the step meets. */
export async function takeStep(
  work: Work,
  step: ChainStep,
  deposits: DepositRecorder,
  aside: StepAside = NONE_ASIDE,
): Promise<TakenStep | null> {
  await lockStep(work, step, deposits)
  await work.readClock()
  await expireDue(work)
  const { network } = step
  const sightings = [...sightingsOf(step)]
  const held = await heldBy((fragment) => work.rows(fragment), step)
  const memo = new DepositMemo(work)
  const [holders] = await Promise.all([
    Holders.read(work, network, [...sightings, ...held]),
    memo.prepare(sightings.filter((sighting) => deposits.flawOf(sighting) === null)),
  ])
  const recorded = sightings.filter((sighting) => !aside.has(nameOf(sighting)))
  if ((await deposits.settle(memo, work, recorded)).size > 0) return null
  return new StepTaker(work, network, deposits, memo, holders, aside).take(step)
}

/** Locks the chain of a step and the addresses that it is about. */
async function lockStep(work: Work, step: ChainStep, deposits: DepositRecorder): Promise<void> {
  const { network } = step
  work.write(sql`INSERT INTO chains (network, bound) VALUES (${network}, 0) ON CONFLICT DO NOTHING`)
  work.lock(sql`SELECT network FROM chains WHERE network = ${network} FOR UPDATE`)
  const addresses = await addressesOf((fragment) => work.rows(fragment), step, deposits)
  lockAddresses(
    work,
    addresses.map((toAddress) => ({ network, toAddress })),
  )
}

/** Takes one step in a unit of work that has locked it, and collects its effects on deposits. */
class StepTaker {
  private repaired = 0
  private confirmedBlocksUndone = 0
  private confirmedDepositsDropped = 0
  private readonly reports: ChainReport[] = []
  private readonly owed: (readonly OwedDelivery[])[] = []
  private readonly ask: Ask = (fragment) => this.work.rows(fragment)
  private readonly recording: DepositRecording

  constructor(
    private readonly work: Work,
    private readonly network: Network,
    private readonly deposits: DepositRecorder,
    private readonly memo: DepositMemo,
    private readonly holders: Holders,
    private readonly aside: StepAside,
  ) {
    this.recording = deposits.begin(work, memo)
  }

  async take(step: ChainStep): Promise<TakenStep> {
    const refusal = await this.perform(step)
    await this.recording.finish()
    if (refusal !== null) return { outcome: { status: 'refused', reason: refusal }, owed: [] }
    const { reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped, owed } = this
    return {
      outcome: { status: 'applied', reports, repaired, confirmedBlocksUndone, confirmedDepositsDropped },
      owed,
    }
  }

  /** Null when the step was taken; nothing is written otherwise. */
  private async perform(step: ChainStep): Promise<ChainRefusal | null> {
    switch (step.type) {
      case 'append':
        return this.append(step)
      case 'confirm':
        return this.confirm(step.blocks)
      case 'undo':
        return this.undo(step.above)
      case 'forget':
        forgetChain(this.work, this.network)
        forgetAside(this.work, this.network)
        return null
      case 'unreadable':
        return this.noteUnreadable(step.aside)
      case 'set_aside':
        return this.setAside(step.block, step.aside)
      case 'recover':
        return this.recover(step)
      case 'retry':
        for (const one of step.deposits) await this.retry(one)
        return null
    }
  }

  private async append(step: Extract<ChainStep, { type: 'append' }>): Promise<ChainRefusal | null> {
    const { blocks, isConfirmed } = step
    const position = (await positionOf(this.ask, this.network)) ?? null
    if (!mayAppend(position, step)) return 'not_next'
    for (const block of blocks) await this.appendBlock(block, step)
    this.endWaiting(blocks)
    if (isConfirmed) for (const block of blocks) this.keepUntold(block, undefined, [])
    const confirmed = isConfirmed ? (blocks.at(-1)?.height ?? 0) : (position?.confirmed ?? (blocks[0]?.height ?? 0) - 1)
    this.setConfirmed(confirmed)
    return null
  }

  private async appendBlock(
    block: ObservedBlock,
    { isConfirmed, seenAtMs }: Extract<ChainStep, { type: 'append' }>,
  ): Promise<void> {
    const { work, network } = this
    const report = isConfirmed ? 'confirmed' : 'pending'
    let place = 0
    for (const seen of sightingsIn(network, block, seenAtMs)) {
      if (this.deposits.flawOf(seen) !== null) {
        await this.report(report, seen)
        continue
      }
      if (await this.keepsAside(report, seen, block.height)) continue
      const known = await this.memo.deposit(seen)
      const sighting = sightedAgain(block, seen, known?.deposit)
      const isHeld = this.holders.of(sighting) !== undefined
      // A confirmed block overrides other reports. Until a block is confirmed the first report stands.
      if (isConfirmed && !isHeld && this.deposits.conflictWith(known, sighting) !== null) {
        await this.retract(sighting)
        this.repaired += 1
      }
      if ((await this.report(report, sighting)) === 'rejected') continue
      // A lower block has it already, or another report has confirmed it: it stays even if this block disappears.
      const isOthers = isHeld || (known?.deposit.kind === 'confirmed' && !isConfirmed)
      if (!isOthers) this.holders.hold({ ...sighting, height: block.height }, place++)
    }
    putBlock(work, network, block)
  }

  private async confirm(blocks: readonly ObservedBlock[]): Promise<ChainRefusal | null> {
    const { network } = this
    if (!mayConfirm((await positionOf(this.ask, network)) ?? null, blocks)) return 'not_next'
    const stored = await blocksAt(
      this.ask,
      network,
      blocks.map(({ height }) => height),
    )
    if (!blocks.every(({ hash }, i) => stored[i]?.hash === hash)) return 'not_same'
    this.endWaiting(blocks)
    for (const block of blocks) {
      // Read again: a block before may have taken some of its deposits.
      const [kept] = await blocksAt(this.ask, network, [block.height])
      const before = kept?.deposits ?? []
      await this.confirmBlock(block, before, true)
      this.keepUntold(block, undefined, before)
    }
    this.setConfirmed(blocks.at(-1)?.height ?? 0)
    return null
  }

  /**
   * Replaces a block's deposits by those that it was now read to hold, and confirms them. `before`: those that it held. What is
   * untold of them stays as it is. A block that is not kept any more holds none.
   */
  private async confirmBlock(block: ObservedBlock, before: readonly NameInNetwork[], isKept: boolean): Promise<void> {
    const { network } = this
    const sightings = sightingsIn(network, block, null)
    const actual = new Set(sightings.filter((one) => this.deposits.flawOf(one) === null).map(nameOf))
    // By name: a deposit that a block lists twice is held once.
    const held = new Set<string>()
    for (const id of before) {
      if (actual.has(nameOf(id))) continue
      if (isUntold(block.untold, id)) {
        if (isKept) this.holders.hold({ ...id, height: block.height }, held.size)
        held.add(nameOf(id))
        continue
      }
      await this.drop(id)
      this.repaired += 1
      this.holders.release(id)
    }
    for (const read of sightings) {
      if (this.deposits.flawOf(read) !== null) {
        await this.report('confirmed', read)
        continue
      }
      const known = await this.memo.deposit(read)
      const sighting = sightedAgain(block, read, known?.deposit)
      const holder = this.holders.of(sighting)
      if (await this.keepsAside('confirmed', sighting, block.height)) {
        if (holder === block.height && isKept && !held.has(nameOf(sighting))) {
          this.holders.hold({ ...sighting, height: block.height }, held.size)
          held.add(nameOf(sighting))
        }
        continue
      }
      if (holder !== undefined && holder < block.height) continue
      const isElsewhere = holder !== undefined && holder > block.height
      const isWrong = isElsewhere || this.deposits.conflictWith(known, sighting) !== null
      // The earlier report is taken back, so that the deposit is recorded again as it is.
      if (isWrong) await this.retract(sighting)
      const status = await this.report('confirmed', sighting)
      if (isWrong || (holder === undefined && status === 'applied')) this.repaired += 1
      if (isKept && !held.has(nameOf(sighting))) {
        this.holders.hold({ ...sighting, height: block.height }, held.size)
        held.add(nameOf(sighting))
      }
    }
  }

  private async noteUnreadable(aside: BlockAside): Promise<ChainRefusal | null> {
    const known = await findBlockAside(this.ask, this.network, aside.height)
    // Behind what is set aside already, nobody waits.
    if (known === undefined || known.hash === null) putBlockAside(this.work, aside)
    return null
  }

  private async setAside(block: BlockHead, aside: BlockAside): Promise<ChainRefusal | null> {
    const { work, network } = this
    const place = placeOfAside((await positionOf(this.ask, network)) ?? null, block)
    if (place === null) return 'not_next'
    const [known] = await blocksAt(this.ask, network, [block.height])
    if (place === 'confirm' && known?.hash !== block.hash) return 'not_same'
    if (place === 'append') putBlock(work, network, block)
    putBlockAside(work, { ...aside, height: block.height, hash: block.hash, deposits: known?.deposits ?? [] })
    this.setConfirmed(block.height)
    return null
  }

  private async recover({
    blocks: [block],
    isSettled = false,
  }: Extract<ChainStep, { type: 'recover' }>): Promise<ChainRefusal | null> {
    const { work, network } = this
    const aside = await findBlockAside(this.ask, network, block.height)
    if (aside?.hash !== block.hash) return 'not_aside'
    const [kept] = await blocksAt(this.ask, network, [block.height])
    const before = kept?.deposits ?? (await this.stillOf(aside))
    await this.confirmBlock(block, before, kept !== undefined)
    if (kept !== undefined) putBlock(work, network, block)
    if (isSettled || !this.keepUntold(block, aside, before)) endBlockAside(work, network, block.height)
    return null
  }

  /** Sets aside what is not known of a confirmed block, if anything is not. */
  private keepUntold(block: ObservedBlock, known: BlockAside | undefined, before: readonly NameInNetwork[]): boolean {
    const { work, network } = this
    const aside = asideOfUntold(block, { network, known, before, nowMs: work.nowMs })
    if (aside !== null) putBlockAside(work, aside)
    return aside !== null
  }

  /** The deposits that a block, which is not kept any more, was read to hold, and that no other block has taken since. */
  private async stillOf(aside: BlockAside): Promise<readonly NameInNetwork[]> {
    const still: NameInNetwork[] = []
    for (const name of aside.deposits) {
      const known = await this.memo.deposit({ network: this.network, ...name })
      if (known?.deposit.kind === 'pending' && this.holders.of(name) === undefined) still.push(name)
    }
    return still
  }

  /** Records a deposit that is still set aside, as it was reported last. */
  private async retry(told: DepositAside): Promise<void> {
    const { network } = this
    const aside = await findDepositAside(this.work, told.sighting)
    if (aside === undefined) return
    const { sighting, report, height } = aside
    if (await this.keepsAside(report, sighting, height)) return
    const known = await this.memo.deposit(sighting)
    // A confirmed block overrides other reports.
    const isWrong = height !== null && report === 'confirmed' && this.deposits.conflictWith(known, sighting) !== null
    if (isWrong) await this.retract(sighting)
    const status = await this.report(report, sighting)
    if (status === 'rejected' || height === null || this.holders.of(sighting) !== undefined) return
    const [block] = await blocksAt(this.ask, network, [height])
    if (block !== undefined) this.holders.hold({ ...sighting, height }, block.deposits.length)
  }

  private async undo(above: number): Promise<ChainRefusal | null> {
    const { work, network } = this
    const position = await positionOf(this.ask, network)
    if (position === undefined || (await findHead(this.ask, network, above)) === undefined) return 'no_ancestor'
    endAsideAbove(work, network, above)
    for (const block of await blocksAbove(this.ask, network, above)) {
      for (const id of block.deposits) await this.drop(id)
      if (block.height <= position.confirmed) this.confirmedBlocksUndone += 1
    }
    removeBlocks(work, network, (height) => sql`${height} > ${above}::bigint`)
    putConfirmed(work, network, confirmedAfterUndo(position, above))
    return null
  }

  private async report(report: DepositReport, sighting: Sighting): Promise<EventOutcome['status']> {
    const { outcome, owed } = await this.recording.record({ type: 'deposit', report, sighting })
    const { txHash, index } = sighting
    const reported = outcome.status === 'rejected' ? outcome : { status: outcome.status }
    this.reports.push({ report, txHash, index, outcome: reported })
    this.owed.push(owed)
    return outcome.status
  }

  /** A deposit that a block held has disappeared. */
  private async drop(name: NameInNetwork): Promise<void> {
    const known = await this.memo.deposit({ network: this.network, ...name })
    if (known !== undefined && (await this.keepsAside('dropped', known.deposit, null))) return
    const kind = await this.retract({ network: this.network, ...name })
    if (kind === 'confirmed') this.confirmedDepositsDropped += 1
  }

  /** Sets a deposit aside whose recording is known to fail; false for any other. */
  private async keepsAside(
    report: DepositReport,
    { network, txHash, index, ...seen }: Sighting,
    height: number | null,
  ): Promise<boolean> {
    const error = this.aside.get(nameOf({ txHash, index }))
    if (error === undefined) return false
    const { toAddress, currency, amount, receivedAt } = seen
    const sighting = { network, txHash, index, toAddress, currency, amount, receivedAt }
    if (error !== null) await putDepositAside(this.work, { sighting, report, height, error, since: this.work.nowMs })
    this.reports.push({ report, txHash, index, outcome: { status: 'rejected', error: `set aside: ${error}` } })
    return true
  }

  private endWaiting(blocks: readonly BlockHead[]): void {
    endWaiting(this.work, this.network, blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0)
  }

  /** Takes back the reports of a deposit, and answers its kind before. */
  private async retract(id: DepositId): Promise<DepositReport> {
    const known = await this.memo.deposit(id)
    if (known === undefined) throw new Error('a block holds a deposit that is not there')
    await this.report('dropped', known.deposit)
    return known.deposit.kind
  }

  private setConfirmed(confirmed: number): void {
    const { work, network } = this
    putConfirmed(work, network, confirmed)
    removeBlocks(work, network, (height) => sql`${height} < ${confirmed - CONFIRMED_BLOCKS_KEPT}::bigint`)
  }
}
