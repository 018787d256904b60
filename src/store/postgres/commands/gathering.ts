import type { Settled } from '../../commands.js'

/** Transactions at once: one is decided here while the database works on another. */
const RUNNING_MAX = 2

interface Part<C, R> {
  readonly commands: readonly C[]
  readonly resolve: (fates: readonly Settled<R>[]) => void
}

/**
 * Gathers commands of many wallets into one transaction: what comes while others are under way is performed together next. The
 * commands of one call stay together, in order.
 */
export class Gathering<C, R> {
  private waiting: Part<C, R>[] = []
  private running = 0

  /**
   * `performAll` answers each command, in order, or rejects and has done nothing. `gatheredMax`: commands in one transaction.
   */
  constructor(
    private readonly gatheredMax: number,
    private readonly performAll: (commands: readonly C[]) => Promise<readonly R[]>,
  ) {}

  /** Performs commands in order. One that throws is rejected alone. */
  async perform(commands: readonly C[]): Promise<readonly Settled<R>[]> {
    const fates: Settled<R>[] = []
    while (fates.length < commands.length) {
      fates.push(...(await this.gather(commands.slice(fates.length, fates.length + this.gatheredMax))))
    }
    return fates
  }

  private gather(commands: readonly C[]): Promise<readonly Settled<R>[]> {
    return new Promise((resolve) => {
      this.waiting.push({ commands, resolve })
      if (this.running < RUNNING_MAX) void this.run()
    })
  }

  private async run(): Promise<void> {
    this.running += 1
    // What comes in the same turn of the event loop joins.
    await Promise.resolve()
    for (let parts = this.take(); parts.length > 0; parts = this.take()) {
      const fates = await this.settle(parts.flatMap(({ commands }) => commands))
      let from = 0
      for (const { commands, resolve } of parts) {
        resolve(fates.slice(from, from + commands.length))
        from += commands.length
      }
    }
    this.running -= 1
  }

  /** Takes as many of those that wait as fit into a transaction, at least one. */
  private take(): readonly Part<C, R>[] {
    let size = 0
    const end = this.waiting.findIndex(({ commands }) => {
      size += commands.length
      return size > this.gatheredMax
    })
    return this.waiting.splice(0, end === -1 ? this.waiting.length : Math.max(end, 1))
  }

  /** When the transaction of several fails, each half has its own, until the one that throws is alone. */
  private async settle(commands: readonly C[]): Promise<readonly Settled<R>[]> {
    const [all] = await Promise.allSettled([this.performAll(commands)])
    if (all.status === 'fulfilled') return all.value.map((value) => ({ status: 'fulfilled', value }))
    if (commands.length === 1 || isOfStore(all.reason)) {
      return commands.map(() => ({ status: 'rejected', reason: all.reason }))
    }
    const middle = Math.ceil(commands.length / 2)
    const first = await this.settle(commands.slice(0, middle))
    return [...first, ...(await this.settle(commands.slice(middle)))]
  }
}

/** Whether the store failed, and not a command. */
function isOfStore(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'StorageUnavailable'
}
