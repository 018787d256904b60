import type { ChainOutcome, ChainPosition, ChainStep, ObservedBlock } from '../../../src/domain/block.js'
import type { DepositReport, Sighting } from '../../../src/domain/deposit.js'
import type { Network } from '../../../src/domain/network.js'
import { depositAtoms } from './amounts.js'
import { type ModelDeposits, placeOf } from './deposits.js'
import type { ModelOwed } from './outbox.js'
import type { EventStatus } from './wallets.js'

/** Confirmed blocks that are kept below the last one. */
const KEPT = 512

interface Identity {
  readonly txHash: string
  readonly index: number
}

interface ModelBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly timeMs: number
  readonly timeEndMs: number
  /** As it was told last, for the script. */
  readonly told: ObservedBlock['transfers']
  /** The deposits that live and die with it. */
  held: Identity[]
}

interface ModelChain {
  blocks: ModelBlock[]
  confirmed: number
}

/** A deposit that waits until its wallet is settled. */
interface ModelAside {
  readonly sighting: Sighting
  readonly report: DepositReport
  readonly height: number | null
}

/** Reports a deposit to the model; answers how it was taken and what it owes. */
export type ApplyDeposit = (
  report: DepositReport,
  sighting: Sighting,
) => { readonly status: EventStatus; readonly owed: readonly ModelOwed[] }

/** What the watchers went by (architecture, Chains), in lists. */
export class ModelChains {
  private readonly chains = new Map<Network, ModelChain>()
  private readonly aside = new Map<string, ModelAside>()

  constructor(private readonly deposits: ModelDeposits) {}

  position(network: Network): ChainPosition | undefined {
    const chain = this.chains.get(network)
    const tip = chain?.blocks.at(-1)
    const oldest = chain?.blocks[0]
    if (chain === undefined || tip === undefined || oldest === undefined) return undefined
    return { tip: headOf(tip), confirmed: chain.confirmed, oldest: oldest.height }
  }

  blocks(network: Network): readonly ModelBlock[] {
    return this.chains.get(network)?.blocks ?? []
  }

  /** How many blocks confirm a deposit; null when no block holds it. */
  confirmationsOf({ network, txHash, index }: Pick<Sighting, 'network' | 'txHash' | 'index'>): number | null {
    const blocks = this.blocks(network)
    const at = blocks.findIndex(({ held }) => held.some((one) => one.txHash === txHash && one.index === index))
    return at === -1 ? null : blocks.length - at
  }

  /** The deposits that wait, by name. */
  waiting(): readonly string[] {
    return [...this.aside].map(([name, { report, height }]) => `${name} ${report} ${height}`).sort()
  }

  /** A report of a deposit was recorded. A pending one says nothing of a confirmation. */
  endWaiting(report: DepositReport, sighting: Sighting): void {
    const name = asideName(sighting.network, sighting)
    if (report === 'pending' && this.aside.get(name)?.report === 'confirmed') return
    this.aside.delete(name)
  }

  addressesOf(step: ChainStep): readonly string[] {
    const addresses = new Set<string>()
    const known = (id: Identity) => {
      const deposit = this.deposits.find(step.network, id.txHash, id.index)
      if (deposit !== undefined) addresses.add(deposit.record.toAddress)
    }
    if (step.type === 'append' || step.type === 'confirm') {
      for (const transfer of step.blocks.flatMap(({ transfers }) => transfers)) {
        if (isUnsound(step.network, transfer)) continue
        addresses.add(transfer.toAddress)
        known(transfer)
      }
    }
    if (step.type === 'retry') {
      for (const { sighting } of step.deposits) {
        addresses.add(sighting.toAddress)
        known(sighting)
      }
    }
    for (const block of this.blocks(step.network)) {
      const isOf =
        (step.type === 'undo' && block.height > step.above) ||
        (step.type === 'confirm' && step.blocks.some(({ height }) => height === block.height))
      if (isOf) for (const id of block.held) known(id)
    }
    return [...addresses]
  }

  /**
   * How a step is taken. The errors of rejected reports are left out. `told`: the deposits that wait, which depends on what is settled
   * already; the model only knows that those behind them at their addresses have to, too.
   */
  take(
    step: ChainStep,
    told: readonly Identity[],
    apply: ApplyDeposit,
  ): { readonly outcome: ChainOutcome; readonly owed: readonly ModelOwed[] } {
    const { network } = step
    const aside = [...this.aside.values()].filter(({ sighting }) => sighting.network === network)
    const before = step.type === 'retry' ? [] : aside
    const knownOf = (id: Identity): Sighting | undefined =>
      this.deposits.find(network, id.txHash, id.index)?.record ??
      aside.find(({ sighting }) => isSame(sighting, id))?.sighting
    const waitsAt = new Set(before.map(({ sighting }) => placeOf(network, sighting.toAddress)))
    const owed: ModelOwed[] = []
    const outcome = {
      status: 'applied' as const,
      reports: [] as Extract<ChainOutcome, { status: 'applied' }>['reports'][number][],
      repaired: 0,
      confirmedBlocksUndone: 0,
      confirmedDepositsDropped: 0,
      waiting: [] as Identity[],
    }
    const waits = (report: DepositReport, sighting: Sighting, height: number | null): boolean => {
      const address = placeOf(network, sighting.toAddress)
      if (!waitsAt.has(address) && !told.some((id) => isSame(id, sighting))) return false
      waitsAt.add(address)
      outcome.waiting.push(identityOf(sighting))
      const name = asideName(network, sighting)
      const known = this.aside.get(name)
      const isOfLower = known?.report === report && known.height !== null && known.height < (height ?? known.height)
      const isPointless = isOfLower || (report === 'pending' && known?.report === 'confirmed')
      if (!isPointless) this.aside.set(name, { sighting, report, height })
      return true
    }
    const report = (what: DepositReport, sighting: Sighting): EventStatus => {
      const { status, owed: more } = apply(what, sighting)
      owed.push(...more)
      const { txHash, index } = sighting
      outcome.reports.push({
        report: what,
        txHash,
        index,
        outcome: status === 'rejected' ? { status, error: '' } : { status },
      })
      return status
    }
    const drop = (id: Identity, isGone: boolean): void => {
      const record = this.deposits.find(network, id.txHash, id.index)?.record
      if (record === undefined) throw new Error('the model holds a deposit that is not there')
      if (isGone && record.kind === 'confirmed') outcome.confirmedDepositsDropped += 1
      report('dropped', record)
    }
    const chain = this.chains.get(network)
    const tip = chain?.blocks.at(-1)
    const refused = (reason: Extract<ChainOutcome, { status: 'refused' }>['reason']) =>
      ({ outcome: { status: 'refused', reason }, owed: [] }) as const

    switch (step.type) {
      case 'append': {
        const first = step.blocks[0]
        if (first === undefined || !isLinked(step.blocks)) return refused('not_next')
        if (chain !== undefined && tip !== undefined) {
          if (first.height !== tip.height + 1 || first.parentHash !== tip.hash) return refused('not_next')
          if (step.isConfirmed && chain.confirmed < tip.height) return refused('not_next')
        }
        const mine = chain ?? { blocks: [], confirmed: first.height - 1 }
        this.chains.set(network, mine)
        for (const block of step.blocks) {
          const row: ModelBlock = { ...headOf(block), timeEndMs: block.timeEndMs, told: block.transfers, held: [] }
          for (const transfer of block.transfers) {
            const before = this.deposits.find(network, transfer.txHash, transfer.index)?.record
            const seen = { network, ...transfer, receivedAt: receivedAt(block, knownOf(transfer), step.seenAtMs) }
            const what = step.isConfirmed ? 'confirmed' : 'pending'
            if (!isUnsound(network, transfer) && waits(what, seen, block.height)) continue
            const isAnywhere = [...mine.blocks, row].some(({ held }) => held.some((id) => isSame(id, transfer)))
            if (step.isConfirmed && !isAnywhere && !isUnsound(network, transfer) && this.deposits.isOtherwise(seen)) {
              drop(transfer, false)
              outcome.repaired += 1
            }
            if (report(step.isConfirmed ? 'confirmed' : 'pending', seen) === 'rejected') continue
            if (!isAnywhere && (step.isConfirmed || before?.kind !== 'confirmed')) row.held.push(identityOf(transfer))
          }
          mine.blocks.push(row)
        }
        if (step.isConfirmed) mine.confirmed = step.blocks.at(-1)?.height ?? 0
        prune(mine)
        return { outcome, owed }
      }
      case 'confirm': {
        const first = step.blocks[0]
        const last = step.blocks.at(-1)
        if (chain === undefined || tip === undefined || first === undefined || last === undefined) {
          return refused('not_next')
        }
        if (!isLinked(step.blocks) || first.height !== chain.confirmed + 1 || last.height > tip.height) {
          return refused('not_next')
        }
        const rowAt = (height: number) => chain.blocks.find((row) => row.height === height)
        if (step.blocks.some(({ height, hash }) => rowAt(height)?.hash !== hash)) return refused('not_same')
        for (const block of step.blocks) {
          const row = rowAt(block.height)
          if (row === undefined) throw new Error('the model lacks a block')
          const sound = block.transfers.filter((transfer) => !isUnsound(network, transfer))
          for (const id of row.held.filter((one) => !sound.some((transfer) => isSame(one, transfer)))) {
            drop(id, true)
            outcome.repaired += 1
          }
          for (const { sighting, height } of before) {
            if (height !== block.height || sound.some((transfer) => isSame(transfer, sighting))) continue
            const name = asideName(network, sighting)
            if (this.aside.get(name)?.height === block.height) this.aside.delete(name)
          }
          const held: Identity[] = []
          for (const transfer of block.transfers) {
            const seen = { network, ...transfer, receivedAt: receivedAt(block, knownOf(transfer), null) }
            if (!sound.includes(transfer)) {
              report('confirmed', seen)
              continue
            }
            const higher = chain.blocks.find(
              (other) => other.height > block.height && other.held.some((id) => isSame(id, transfer)),
            )
            const isHere = [...row.held, ...held].some((id) => isSame(id, transfer))
            if (waits('confirmed', seen, block.height)) {
              if (higher !== undefined) higher.held = higher.held.filter((id) => !isSame(id, transfer))
              const isHeld = isHere || higher !== undefined
              if (isHeld && !held.some((id) => isSame(id, transfer))) held.push(identityOf(transfer))
              continue
            }
            const isInLower = chain.blocks.some(
              (other) => other.height < block.height && other.held.some((id) => isSame(id, transfer)),
            )
            if (isInLower) continue
            if (higher !== undefined) higher.held = higher.held.filter((id) => !isSame(id, transfer))
            const isWrong = higher !== undefined || this.deposits.isOtherwise(seen)
            if (isWrong) drop(transfer, false)
            const status = report('confirmed', seen)
            if (isWrong || (!isHere && status === 'applied')) outcome.repaired += 1
            if (!held.some((id) => isSame(id, transfer))) held.push(identityOf(transfer))
          }
          row.held = held
        }
        chain.confirmed = last.height
        prune(chain)
        return { outcome, owed }
      }
      case 'undo': {
        if (chain === undefined || !chain.blocks.some(({ height }) => height === step.above)) {
          return refused('no_ancestor')
        }
        for (const [name, { sighting, height }] of this.aside) {
          if (sighting.network === network && height !== null && height > step.above) this.aside.delete(name)
        }
        for (const row of chain.blocks.filter(({ height }) => height > step.above).reverse()) {
          for (const id of row.held) drop(id, true)
          if (row.height <= chain.confirmed) outcome.confirmedBlocksUndone += 1
        }
        chain.blocks = chain.blocks.filter(({ height }) => height <= step.above)
        chain.confirmed = Math.min(chain.confirmed, step.above)
        return { outcome, owed }
      }
      case 'forget':
        this.chains.delete(network)
        for (const [name, one] of this.aside) {
          if (one.sighting.network === network) this.aside.set(name, { ...one, height: null })
        }
        return { outcome, owed }
      case 'retry':
        for (const { sighting: named } of step.deposits) {
          const known = this.aside.get(asideName(network, named))
          if (known === undefined) continue
          const { sighting, report: what, height } = known
          if (waits(what, sighting, height)) continue
          if (height !== null && what === 'confirmed' && this.deposits.isOtherwise(sighting)) drop(sighting, false)
          const status = report(what, sighting)
          const isHeld = (chain?.blocks ?? []).some(({ held }) => held.some((id) => isSame(id, sighting)))
          if (status === 'rejected' || height === null || isHeld) continue
          chain?.blocks.find((row) => row.height === height)?.held.push(identityOf(sighting))
        }
        return { outcome, owed }
      case 'unreadable':
      case 'set_aside':
      case 'recover':
        throw new Error('scripts set nothing aside')
    }
  }
}

/** Decisions 5: the earliest time of sight that is one of the block's, else the last that it may mean. */
function receivedAt(
  { timeMs, timeEndMs }: ObservedBlock,
  before: Sighting | undefined,
  seenAtMs: number | null,
): number {
  for (const sightMs of [before?.receivedAt ?? null, seenAtMs]) {
    if (sightMs !== null && sightMs >= timeMs && sightMs <= timeEndMs) return sightMs
  }
  return timeEndMs
}

function isUnsound(
  network: Network,
  { currency, amount }: { readonly currency: string | null; readonly amount: string },
): boolean {
  return depositAtoms(network, currency, amount) === null
}

function prune(chain: ModelChain): void {
  chain.blocks = chain.blocks.filter(({ height }) => height >= chain.confirmed - KEPT)
}

function isLinked(blocks: readonly ObservedBlock[]): boolean {
  return blocks.every((block, i) => {
    const parent = blocks[i - 1]
    return parent === undefined || (block.height === parent.height + 1 && block.parentHash === parent.hash)
  })
}

function isSame(one: Identity, other: Identity): boolean {
  return one.txHash === other.txHash && one.index === other.index
}

function identityOf({ txHash, index }: Identity): Identity {
  return { txHash, index }
}

function headOf<T extends Omit<ModelBlock, 'timeEndMs' | 'told' | 'held'>>({ height, hash, parentHash, timeMs }: T) {
  return { height, hash, parentHash, timeMs }
}

function asideName(network: Network, { txHash, index }: Identity): string {
  return `${network} ${index} ${txHash}`
}
