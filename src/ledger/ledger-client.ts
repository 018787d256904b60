import { isObject } from '../base/json-object.js'
import { isStreamId } from '../domain/identity.js'
import { type NodeAnswer, NodeHttp } from './node-http.js'

export interface LedgerClientOptions {
  /** Base addresses of the read API, all asked at once. */
  readonly urls: readonly string[]
  /** For one question to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
  /** A longer answer is none. */
  readonly answerLimitBytes: number
}

export interface LedgerClient {
  /**
   * Whether the ledger has a stream of this id, which must be 64 lower-case hex digits: a node would read the last ones of
   * a longer text, and it passes other texts on to its store, where they are commands. A node that lags behind does not have
   * what others have, so `true` when any node has it, `false` only when every node that answers says no. `unreachable` when
   * no node gave a certain answer, or none is configured: never to be read as "no" (decisions 8).
   */
  hasIdentity(id: string): Promise<boolean | 'unreachable'>
  /** Ends the connections. */
  close(): Promise<void>
}

/** A client of the ledger's read API, `GET /api/stream/{id}`. */
export function createLedgerClient({ urls, timeoutMs, answerLimitBytes }: LedgerClientOptions): LedgerClient {
  const http = new NodeHttp(timeoutMs)

  async function ask(url: string, id: string): Promise<boolean | 'unclear'> {
    return judge(await http.get(url, `/api/stream/${id}`, answerLimitBytes))
  }

  return {
    hasIdentity(id) {
      if (!isStreamId(id)) throw new Error('the ledger is asked for identities only')
      return anyYes(urls.map((url) => ask(url, id)))
    },
    close: () => http.close(),
  }
}

/** The first yes; without one a no, if there is any. */
function anyYes(questions: readonly Promise<boolean | 'unclear'>[]): Promise<boolean | 'unreachable'> {
  return new Promise((resolve, reject) => {
    const said = (answer: boolean | 'unclear') => {
      if (answer === true) resolve(true)
      return answer
    }
    Promise.all(questions.map((question) => question.then(said))).then(
      (answers) => resolve(answers.includes(true) ? true : answers.includes(false) ? false : 'unreachable'),
      reject,
    )
  })
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
