import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { peerAddress } from '../front.js'
import type { ConnectionShare } from '../server.js'

/** The connections in this network namespace: IPv4, and IPv6 including mapped IPv4. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']

/** States in which a process still holds the descriptor: ESTABLISHED and CLOSE_WAIT. */
const HELD_STATES: ReadonlySet<string> = new Set(['01', '08'])

/** Minimum time between two counts by the kernel. */
const COUNT_INTERVAL_MS = 1_000

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

  /** `countConnections` asks the kernel, by address; null if it has no table. `now`: ms of a monotonic clock. */
  constructor(
    private readonly share: ConnectionShare,
    private readonly countConnections: () => Promise<ReadonlyMap<string, number> | null>,
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

/** The number of connections that each peer has to a port of this machine; null if the kernel has no such table. */
export async function connectionsTo(
  port: number,
  tables: readonly string[] = TABLES,
): Promise<Map<string, number> | null> {
  const texts = await Promise.all(tables.map((table) => readFile(table, 'latin1').catch(() => null)))
  if (texts.every((text) => text === null)) return null
  const counts = new Map<string, number>()
  for (const text of texts) countPeers(text ?? '', port, counts)
  return new Map([...counts].map(([hex, count]) => [addressOf(hex), count]))
}

/** `sl local_address rem_address st …`, addresses as hex words and a port. */
function countPeers(table: string, port: number, counts: Map<string, number>): void {
  const localEnd = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of table.split('\n')) {
    const [, local = '', remote = '', state = ''] = line.trim().split(' ')
    if (!local.endsWith(localEnd) || !HELD_STATES.has(state)) continue
    const address = remote.slice(0, remote.indexOf(':'))
    counts.set(address, (counts.get(address) ?? 0) + 1)
  }
}

/** The kernel writes words of 32 bits in the byte order of the machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  if (endianness() === 'LE') bytes.swap32()
  if (bytes.length === 4) return peerAddress([...bytes].join('.'))
  const groups = Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readUInt16BE(2 * n).toString(16))
  return peerAddress(groups.join(':'))
}
