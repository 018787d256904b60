import { Agent, request } from 'undici'

/** Connections to one node; further questions wait for one, within their time. */
const CONNECTIONS_MAX = 32

/** A node answers for a stream that it does not have as for a failure of its own, told apart by this ending of the text. */
const NOT_FOUND_ENDING = /- 404$/

export interface LedgerClientOptions {
  /** Base addresses of the read API, asked in turn. */
  readonly urls: readonly string[]
  /** For one question to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
  /** A longer answer is none. */
  readonly answerLimitBytes: number
}

/** What a node said. A node that says nothing certain is passed over. */
type Answer = 'present' | 'missing' | 'unclear'

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
export function createLedgerClient(options: LedgerClientOptions): LedgerClient {
  const { urls, timeoutMs, answerLimitBytes } = options
  const agent = new Agent({ connections: CONNECTIONS_MAX, maxResponseSize: answerLimitBytes })

  async function ask(url: string, id: string): Promise<Answer> {
    try {
      const { statusCode, body } = await request(streamUrl(url, id), {
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { accept: 'application/json' },
      })
      return judge(statusCode, parseJson(await body.text()))
    } catch {
      // Refused, cut off, too late or too long: whatever it was, another node may know. Nothing else can throw here.
      return 'unclear'
    }
  }

  return {
    async hasIdentity(id) {
      // As segments of a path these would mean another path, however they are written (WHATWG URL, 4.4); no stream is called so.
      if (id === '' || id === '.' || id === '..') return false
      for (const url of urls) {
        const answer = await ask(url, id)
        if (answer !== 'unclear') return answer === 'present'
      }
      return 'unreachable'
    },
    close: () => agent.destroy(),
  }
}

function streamUrl(base: string, id: string): string {
  return `${base.replace(/\/+$/, '')}/api/stream/${encodeURIComponent(id.toWellFormed())}`
}

function judge(status: number, body: unknown): Answer {
  if (!isObject(body)) return 'unclear'
  if (status === 200) return isObject(body['stream']) ? 'present' : 'unclear'
  const { name, message } = body
  const isMissing =
    status === 500 && name === 'ActiveError' && typeof message === 'string' && NOT_FOUND_ENDING.test(message)
  return isMissing ? 'missing' : 'unclear'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
