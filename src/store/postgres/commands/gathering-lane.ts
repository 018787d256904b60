import { FairQueue } from '../../../base/fair-queue.js'
import { REST_MS_MAX, type TurnsOptions } from '../../../base/turns.js'
import type { Settled } from '../../commands.js'

interface Call<C, R> {
  readonly commands: readonly C[]
  readonly weight: number
  readonly resolve: (fates: readonly Settled<R>[]) => void
}

/** By what a rest is measured. */
export type RestClock = Pick<TurnsOptions, 'now' | 'after'>

export interface LaneOptions<C, R> {
  /** What the commands of one transaction may cost together, unless it is one call that costs more. */
  readonly most: number
  /** Transactions at once. */
  readonly running: number
  /** Has each transaction be followed by a rest, which leaves half of the database's time to others. Null for none. */
  readonly rests: RestClock | null
  /** The fates of the commands of some calls, in order. */
  readonly settle: (calls: readonly (readonly C[])[]) => Promise<readonly Settled<R>[]>
}

/** Calls that wait for a transaction, and share it. Owners have their turns one after the other, the calls of each in their order. */
export class GatheringLane<C, R> {
  private readonly waiting = new FairQueue<Call<C, R>>()
  /** The next one in turn, which did not fit into the last transaction. */
  private next: Call<C, R> | undefined
  private running = 0

  constructor(private readonly options: LaneOptions<C, R>) {}

  perform(owner: string, commands: readonly C[], weight: number): Promise<readonly Settled<R>[]> {
    return new Promise((resolve) => {
      this.waiting.add(owner, { commands, weight, resolve })
      if (this.running < this.options.running) void this.run()
    })
  }

  private async run(): Promise<void> {
    this.running += 1
    // What comes in the same turn of the event loop joins.
    await Promise.resolve()
    for (let calls = this.take(); calls.length > 0; calls = this.take()) {
      const { rests } = this.options
      const beganAt = rests?.now() ?? 0
      const fates = await this.options.settle(calls.map(({ commands }) => commands))
      let from = 0
      for (const { commands, resolve } of calls) {
        resolve(fates.slice(from, from + commands.length))
        from += commands.length
      }
      // Also where nobody waits: the next command of a call comes when this one is answered.
      if (rests !== null) await rest(rests, rests.now() - beganAt)
    }
    this.running -= 1
  }

  /** Takes as many of those that wait as fit into a transaction, at least one. */
  private take(): readonly Call<C, R>[] {
    const taken: Call<C, R>[] = []
    let left = this.options.most
    for (;;) {
      this.next ??= this.waiting.take()
      if (this.next === undefined || (taken.length > 0 && this.next.weight > left)) return taken
      left -= this.next.weight
      taken.push(this.next)
      this.next = undefined
    }
  }
}

function rest(clock: RestClock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(Math.min(ms, REST_MS_MAX), resolve))
}
