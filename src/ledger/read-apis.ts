import { isObject } from '../base/json-object.js'
import { type NodeAnswer, type NodeHttp, unclear } from './node-http.js'

/**
 * Maximum size of a transaction. Those of the followed contracts take a few hundred bytes; others may carry a whole contract,
 * and a longer one is taken for one of those.
 */
export const TRANSACTION_LIMIT_BYTES = 8 * 1024 * 1024
/** Maximum size of a node's answer about a stream. */
export const STREAM_LIMIT_BYTES = 1024 * 1024
/** A stream that no ledger has: every read API can answer that, and the answer is short. */
export const NOBODY = '0'.repeat(64)
/**
 * Transactions that an idle read API is asked for. A node may lack one for good; one that lacks all of them has lost its
 * database, or is far behind.
 */
const RECENT_MAX = 3

/** A node that does not answer as it should, and why. */
export interface SilentNode {
  /** Its base address, as it was configured. */
  readonly node: string
  readonly why: string
}

/** Looks transactions up at the read APIs of nodes, and knows which of them answer. */
export class ReadApis {
  /** The last transactions that some read API had, newest first. */
  private readonly recent: string[] = []
  /** Read APIs that had a transaction since the last check. */
  private readonly heard = new Set<string>()
  private readonly silent = new Map<string, string>()

  constructor(
    private readonly urls: readonly string[],
    private readonly http: Pick<NodeHttp, 'get'>,
  ) {}

  /** Asks in turn, `first` before all others, those that were silent last. `missing`: no read API that answered has it. */
  async transaction(umid: string, first?: string): Promise<NodeAnswer> {
    let failure: NodeAnswer | null = this.urls.length === 0 ? unclear('no node is configured') : null
    const turn = (url: string) => (url === first ? -1 : Number(this.silent.has(url)))
    for (const url of this.urls.toSorted((a, b) => turn(a) - turn(b))) {
      const answer = await this.ask(url, umid)
      if (answer.kind === 'found' || answer.kind === 'too-long') {
        this.has(url, umid)
        return answer
      }
      if (answer.kind === 'unclear') failure ??= answer
    }
    return failure ?? { kind: 'missing' }
  }

  /** The read APIs that do not answer. Those that had no transaction since the last check are asked something short. */
  async check(): Promise<readonly SilentNode[]> {
    const idle = this.urls.filter((url) => !this.heard.has(url))
    this.heard.clear()
    const flaws = await Promise.all(idle.map(async (url) => [url, await this.flawOf(url)] as const))
    this.silent.clear()
    for (const [url, why] of flaws) if (why !== null) this.silent.set(url, why)
    return [...this.silent].map(([node, why]) => ({ node, why }))
  }

  /** Why a read API cannot be relied on; null when it can. */
  private async flawOf(url: string): Promise<string | null> {
    let flaw = 'it does not have the transactions that were read last'
    const recent = [...this.recent]
    for (const umid of recent) {
      const answer = await this.ask(url, umid)
      if (answer.kind === 'found' || answer.kind === 'too-long') return null
      if (answer.kind === 'unclear') flaw = answer.why
    }
    if (recent.length === RECENT_MAX) return flaw
    const answer = await this.http.get(url, `/api/stream/${NOBODY}`, STREAM_LIMIT_BYTES)
    if (answer.kind === 'unclear') return answer.why
    return answer.kind === 'found' && !isObject(answer.value['stream']) ? 'it answers as no read API does' : null
  }

  private async ask(url: string, umid: string): Promise<NodeAnswer> {
    const answer = await this.http.get(url, `/api/tx/${encodeURIComponent(umid)}`, TRANSACTION_LIMIT_BYTES)
    if (answer.kind !== 'found') return answer
    const transaction = answer.value['umid']
    return isObject(transaction) && transaction['$umid'] === umid
      ? { kind: 'found', value: transaction }
      : unclear('another transaction than the one that was asked for')
  }

  private has(url: string, umid: string): void {
    this.heard.add(url)
    if (this.recent.includes(umid)) return
    this.recent.unshift(umid)
    this.recent.length = Math.min(this.recent.length, RECENT_MAX)
  }
}
