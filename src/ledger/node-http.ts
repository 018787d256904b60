import { Agent, type Dispatcher, request } from 'undici'
import { isObject } from './ledger-transaction.js'

/** Connections to one node; further questions wait for one, within their time. */
const CONNECTIONS_MAX = 32

/** A node answers for what it does not have as for a failure of its own, told apart by this ending of the text. */
const NOT_FOUND_ENDING = /- 404$/

/** What a node said. `unclear`: nothing that can be relied on, and why, in words for the log. */
export type NodeAnswer =
  | { readonly kind: 'found'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'unclear'; readonly why: string }

/**
 * Asks nodes of the ledger. Only ever by GET without a body: a malformed body would end a node's read API. Never rejects.
 */
export class NodeHttp {
  private readonly agent = new Agent({ connections: CONNECTIONS_MAX })

  /** `timeoutMs` is for one question, from connecting to the last byte of its answer. */
  constructor(private readonly timeoutMs: number) {}

  /** The JSON object at `path`, which begins with a slash and is encoded, below the base address of a node. */
  async get(base: string, path: string, limitBytes: number): Promise<NodeAnswer> {
    try {
      const { statusCode, body } = await request(`${base.replace(/\/+$/, '')}${path}`, {
        dispatcher: this.agent,
        signal: AbortSignal.timeout(this.timeoutMs),
        headers: { accept: 'application/json' },
      })
      const text = await textOf(body, limitBytes)
      if (text === null) return statusCode === 200 ? { kind: 'too-long' } : unclear(`status ${statusCode}`)
      return judge(statusCode, parseJson(text))
    } catch (error) {
      // Refused, cut off or too late: whatever it was, another node may know. Nothing else can throw here.
      return unclear(error instanceof Error ? error.message || error.name : String(error))
    }
  }

  /** Ends the connections, and with them the questions under way. */
  close(): Promise<void> {
    return this.agent.destroy()
  }
}

/** Null when it is longer than `limitBytes`; the rest is not read then. */
async function textOf(body: Dispatcher.ResponseData['body'], limitBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let lengthBytes = 0
  for await (const chunk of body) {
    const bytes: Buffer = chunk
    lengthBytes += bytes.length
    // Leaving the loop destroys the body and its connection.
    if (lengthBytes > limitBytes) return null
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function judge(status: number, body: unknown): NodeAnswer {
  if (!isObject(body)) return unclear(`status ${status} without a JSON object`)
  if (status === 200) return { kind: 'found', value: body }
  const { name, message } = body
  const isMissing =
    status === 500 && name === 'ActiveError' && typeof message === 'string' && NOT_FOUND_ENDING.test(message)
  return isMissing ? { kind: 'missing' } : unclear(`status ${status}`)
}

function unclear(why: string): NodeAnswer {
  return { kind: 'unclear', why }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
