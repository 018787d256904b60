import { isObject } from '../base/json-object.js'
import { isStreamId } from '../domain/text.js'
import { type NodeAnswer, NodeHttp } from './node-http.js'

export interface LedgerClientOptions {
  /** Base addresses of the read API, all queried at once. */
  readonly urls: readonly string[]
  /** For one query to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
  /** A longer answer counts as unclear. */
  readonly answerLimitBytes: number
}

/** A client of the ledger's read API, `GET /api/stream/{id}`. */
export class LedgerClient {
  private readonly http: NodeHttp

  constructor(private readonly options: LedgerClientOptions) {
    this.http = new NodeHttp(options.timeoutMs)
  }

  /**
   * Whether the ledger has a stream with this id, which must be 64 lower-case hex digits: a node reads the last ones of a
   * longer text, and passes other texts on to its store, where they are commands. Nodes that lag behind miss streams, so
   * the answer is `true` when any node has it, and `false` only when every node that answers says no. `unreachable` when no
   * node gave a certain answer, or none is configured: never treat it as "no" (decisions 8).
   */
  hasIdentity(id: string): Promise<boolean | 'unreachable'> {
    if (!isStreamId(id)) throw new Error('only identities can be queried')
    const { urls, answerLimitBytes } = this.options
    const path = `/api/stream/${id}`
    return anyYes(urls.map(async (url) => judge(await this.http.get(url, path, answerLimitBytes))))
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.http.close()
  }
}

/** The first yes; without one a no, if there is any. */
function anyYes(queries: readonly Promise<boolean | 'unclear'>[]): Promise<boolean | 'unreachable'> {
  return new Promise((resolve, reject) => {
    const said = (answer: boolean | 'unclear') => {
      if (answer === true) resolve(true)
      return answer
    }
    Promise.all(queries.map((query) => query.then(said))).then(
      (answers) => resolve(answers.includes(true) ? true : answers.includes(false) ? false : 'unreachable'),
      reject,
    )
  })
}

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
