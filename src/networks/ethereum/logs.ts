/** What is read of logs: the transfers to us, and the filter over all of them. */

import { items, type ValueOf } from '../node/json-shape.js'
import { LogsBloom } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import { type LoggedTransfer, logShape } from './told-log.js'
import type { Value } from './values.js'

/** Addresses and topics of a receipt that wait for its own filter to tell whether they matter. */
const WAITING_MAX = 1024

/** `given`: the filters of receipts are believed where they deny the tokens. `own`: filters are computed over all logs. */
export type FilterMode = 'given' | 'own'

/** The logs of a list: what matters of them. */
class ToldLogs {
  readonly transfers: LoggedTransfer[] = []
  /** Whether one is a transfer of a token, or of coins to us. */
  hasTransfer = false
  private waiting: string[] = []
  private own: LogsBloom | null

  constructor(
    private readonly filter: EthereumFilter,
    mode: FilterMode,
  ) {
    this.own = mode === 'own' ? new LogsBloom() : null
  }

  take(log: ValueOf<typeof logShape>, place: number): void {
    if (log === undefined || log === null) return
    const { address, topics } = log
    if (typeof address !== 'string') return
    this.note(address)
    if (topics === undefined || topics === null) return
    for (const topic of topics) this.note(topic)
    const transfer = this.filter.transferIn(log, place)
    if (transfer === null) return
    this.hasTransfer = true
    if (transfer !== 'foreign') this.transfers.push(transfer)
  }

  end(): this {
    return this
  }

  /** The filter over all logs. */
  bloom(): LogsBloom {
    const own = this.own ?? new LogsBloom()
    for (const data of this.waiting) own.add(this.filter.entryOf(data))
    this.own = own
    this.waiting = []
    return own
  }

  /** Most filters are never needed, so the entries of a few logs wait until it is known; more would take memory. */
  private note(data: Value): void {
    if (typeof data !== 'string') return
    if (this.own !== null) this.own.add(this.filter.entryOf(data))
    else if (this.waiting.push(data) >= WAITING_MAX) this.bloom()
  }
}

/** What is read of a list of logs. */
export function logsShape(filter: EthereumFilter, mode: FilterMode) {
  return items(logShape, () => new ToldLogs(filter, mode))
}
