import type { ConnectionShare } from '../server.js'

/** Counts connections by client. The engine reports whose connection has closed. */
export class ConnectionCounts {
  private readonly counts = new Map<string, number>()

  constructor(private readonly share: ConnectionShare) {}

  /** Returns false, and counts nothing, if the client already has its share. */
  opened(address: string): boolean {
    const client = this.share.clientOf(address)
    if (client === null) return true
    const count = (this.counts.get(client) ?? 0) + 1
    if (count > this.share.perClient) return false
    this.counts.set(client, count)
    return true
  }

  closed(address: string): void {
    const client = this.share.clientOf(address)
    if (client === null) return
    const count = (this.counts.get(client) ?? 0) - 1
    if (count > 0) this.counts.set(client, count)
    else this.counts.delete(client)
  }
}
