import type { Settled } from '../../commands.js'
import { GatheringLane, type RestClock } from './gathering-lane.js'

/** Commands that cost so much that others would notice how many of them are under way. */
export interface Aside {
  /** What such a command costs at least. */
  readonly from: number
  readonly rests: RestClock
}

export interface GatheringOptions<C, R> {
  /** What the commands of one transaction may cost together. One that costs more has a transaction of its own. */
  readonly most: number
  /** Transactions at once: one is decided here while the database works on others. */
  readonly running: number
  /** Whose a command is: owners have their turns one after the other. All are one owner's when absent. */
  readonly ownerOf?: (command: C) => string
  /** What is done beside the others: one transaction at a time, and a rest behind it. Nothing when absent. */
  readonly aside?: Aside
  /** What a command costs. 1 when absent. */
  readonly weightOf?: (command: C) => number
  /** Answers the commands of some calls, in order, or rejects and has done nothing. */
  readonly performAll: (calls: readonly (readonly C[])[]) => Promise<readonly R[]>
  /** Whether what is behind a command in its call must not be performed. It has the same fate then. Never when absent. */
  readonly isStop?: (fate: Settled<R>) => boolean
}

/**
 * Gathers commands of many wallets into one transaction: what comes while others are under way is performed together next. The
 * commands of one call are performed in order, those of a later transaction behind those of an earlier one.
 */
export class Gathering<C, R> {
  private readonly ordinary: GatheringLane<C, R>
  private readonly aside: GatheringLane<C, R>

  constructor(private readonly options: GatheringOptions<C, R>) {
    const { most, running, aside } = options
    const settle = (calls: readonly (readonly C[])[]) => this.settle(calls)
    this.ordinary = new GatheringLane({ most, running, rests: null, settle })
    this.aside = new GatheringLane({ most, running: 1, rests: aside?.rests ?? null, settle })
  }

  /** Performs commands in order. One that throws is rejected alone. */
  perform(commands: readonly C[]): Promise<readonly Settled<R>[]> {
    return this.inOrder(this.piecesOf(commands), (some) => this.gather(some))
  }

  /** The commands of a call are on the same wallets, so the owner of the first one stands for all. */
  private gather(commands: readonly C[]): Promise<readonly Settled<R>[]> {
    const [first] = commands
    if (first === undefined) return Promise.resolve([])
    const weights = commands.map((command) => this.weightOf(command))
    const lane = this.isAside(weights[0] ?? 0) ? this.aside : this.ordinary
    return lane.perform(
      this.options.ownerOf?.(first) ?? '',
      commands,
      weights.reduce((sum, weight) => sum + weight, 0),
    )
  }

  /** The commands of a call, a piece for each of its transactions. */
  private piecesOf(commands: readonly C[]): readonly (readonly C[])[] {
    const weights = commands.map((command) => this.weightOf(command))
    const pieces: (readonly C[])[] = []
    for (let from = 0; from < commands.length; from += pieces.at(-1)?.length ?? 1) {
      pieces.push(commands.slice(from, from + this.fitting(weights.slice(from))))
    }
    return pieces
  }

  private weightOf(command: C): number {
    return this.options.weightOf?.(command) ?? 1
  }

  private isAside(weight: number): boolean {
    const { aside } = this.options
    return aside !== undefined && weight >= aside.from
  }

  /** How many of the first ones fit into a transaction: one at least, and all are done aside, or none. */
  private fitting(weights: readonly number[]): number {
    const isAside = this.isAside(weights[0] ?? 0)
    let sum = 0
    const end = weights.findIndex((weight) => {
      sum += weight
      return sum > this.options.most || this.isAside(weight) !== isAside
    })
    return end === -1 ? weights.length : Math.max(end, 1)
  }

  /** When the transaction of several fails, each half has its own, until the one that throws is alone. */
  private async settle(calls: readonly (readonly C[])[]): Promise<readonly Settled<R>[]> {
    const [all] = await Promise.allSettled([this.options.performAll(calls)])
    if (all.status === 'fulfilled') return all.value.map((value) => ({ status: 'fulfilled', value }))
    const commands = calls.flat()
    if (commands.length === 1 || isOfStore(all.reason)) {
      return commands.map(() => ({ status: 'rejected', reason: all.reason }))
    }
    if (calls.length === 1) return this.inOrder(halvesOf(commands), (some) => this.settle([some]))
    const fates: Settled<R>[] = []
    for (const some of halvesOf(calls)) fates.push(...(await this.settle(some)))
    return fates
  }

  /** Performs the pieces of a call one after the other, until one of their fates is a stop. */
  private async inOrder(
    pieces: readonly (readonly C[])[],
    perform: (piece: readonly C[]) => Promise<readonly Settled<R>[]>,
  ): Promise<readonly Settled<R>[]> {
    const { isStop = () => false } = this.options
    const fates: Settled<R>[] = []
    let stop: Settled<R> | undefined
    for (const piece of pieces) {
      const some = stop === undefined ? await perform(piece) : Array<Settled<R>>(piece.length).fill(stop)
      fates.push(...some)
      stop ??= some.find(isStop)
    }
    return fates
  }
}

function halvesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}

/** Whether the store failed, and not a command. */
function isOfStore(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'StorageUnavailable'
}
