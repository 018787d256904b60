import type { ConnectionShare } from '../guards/connection-share.js'

/** Minimum time between two counts by the kernel. */
const COUNT_INTERVAL_MS = 1_000

/** Asks the kernel for the connections by address; null if it has no such table. */
export type CountConnections = () => Promise<ReadonlyMap<string, number> | null>

/**
 * Limits connections by client on an engine that reports that a connection has closed, but not whose. While all
 * connections together are at most half of a share, no client can exceed it. Above that, it counts what each client has
 * opened, and corrects the counts by the kernel's table when a client comes near its share. Without such a table there
 * is no limit.
 */
export class UwsConnectionShare {
  private opens = new Map<string, number>()
  /** How many connections any client may have had before `opens` began. */
  private before = 0
  private countedAt = Number.NEGATIVE_INFINITY
  private isCounting = false
  private canCount = true

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(
    private readonly share: ConnectionShare,
    private readonly countConnections: CountConnections,
    private readonly onError: (error: unknown) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a connection may stay; `total` counts all connections, including this one. */
  opened(address: string, total: number): boolean {
    const { share } = this
    if (total <= share.perClient / 2) {
      if (this.opens.size > 0) this.opens.clear()
      this.before = total
      return true
    }
    const client = share.clientOf(address)
    if (client === null || !this.canCount) return true
    const opened = (this.opens.get(client) ?? this.before) + 1
    this.opens.set(client, opened)
    if (opened > (3 / 4) * share.perClient) this.correct()
    if (opened <= share.perClient) return true
    this.opens.set(client, opened - 1)
    return false
  }

  private correct(): void {
    if (this.isCounting || this.now() - this.countedAt < COUNT_INTERVAL_MS) return
    this.isCounting = true
    this.countedAt = this.now()
    const earlier = new Map(this.opens)
    this.countConnections()
      .then((counted) => this.take(counted, earlier))
      .catch(this.onError)
      .finally(() => {
        this.isCounting = false
      })
  }

  /** Connections opened while the kernel counted may be in its figures or not; they are added. */
  private take(counted: ReadonlyMap<string, number> | null, earlier: ReadonlyMap<string, number>): void {
    if (counted === null) {
      this.canCount = false
      return
    }
    const opens = new Map<string, number>()
    for (const [address, count] of counted) {
      const client = this.share.clientOf(address)
      if (client !== null) opens.set(client, (opens.get(client) ?? 0) + count)
    }
    for (const [client, count] of this.opens) {
      const since = count - (earlier.get(client) ?? this.before)
      if (since > 0) opens.set(client, (opens.get(client) ?? 0) + since)
    }
    this.opens = opens
    this.before = 0
  }
}
