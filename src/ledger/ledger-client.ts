import { isObject } from './ledger-transaction.js'
import { type NodeAnswer, NodeHttp } from './node-http.js'

export interface LedgerClientOptions {
  /** Base addresses of the read API, asked in turn. */
  readonly urls: readonly string[]
  /** For one question to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
  /** A longer answer is none. */
  readonly answerLimitBytes: number
}

export interface LedgerClient {
  /**
   * Whether the ledger has a stream of this id. `unreachable` when no node gave a certain answer, or none is
   * configured: never to be read as "no" (decisions 8).
   */
  hasIdentity(id: string): Promise<boolean | 'unreachable'>
  /** Ends the connections. */
  close(): Promise<void>
}

/** A client of the ledger's read API, `GET /api/stream/{id}`. */
export function createLedgerClient({ urls, timeoutMs, answerLimitBytes }: LedgerClientOptions): LedgerClient {
  const http = new NodeHttp(timeoutMs)
  return {
    async hasIdentity(id) {
      // As segments of a path these would mean another path, however they are written (WHATWG URL, 4.4); no stream is called so.
      if (id === '' || id === '.' || id === '..') return false
      const path = `/api/stream/${encodeURIComponent(id.toWellFormed())}`
      for (const url of urls) {
        const answer = judge(await http.get(url, path, answerLimitBytes))
        if (answer !== 'unclear') return answer
      }
      return 'unreachable'
    },
    close: () => http.close(),
  }
}

/** A node that says nothing certain is passed over. */
function judge(answer: NodeAnswer): boolean | 'unclear' {
  switch (answer.kind) {
    case 'found':
      return isObject(answer.value['stream']) ? true : 'unclear'
    case 'missing':
      return false
    case 'too-long':
    case 'unclear':
      return 'unclear'
  }
}
