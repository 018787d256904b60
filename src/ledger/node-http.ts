import { BoundedHttp } from '../base/bounded-http.js'
import { isObject, parseJson } from '../base/json-object.js'
import { wakefulScheduler } from '../scheduler.js'

/** Connections to one node; further queries wait for one, within their time. */
const CONNECTIONS_MAX = 32

/** Nodes answer "not found" like a failure of their own; only this ending of the text differs. */
const NOT_FOUND_ENDING = /- 404$/

/** What nodes answer. `unclear`: nothing reliable, and why, for the log. */
export type NodeAnswer<Value = Readonly<Record<string, unknown>>> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'unclear'; readonly why: string }

/**
 * Queries nodes of the ledger, only by GET without a body: a malformed body would end a node's read API. Never rejects.
 */
export class NodeHttp {
  private readonly http: BoundedHttp

  /** `timeoutMs` is for one query, from connecting to the last byte of its answer. */
  constructor(timeoutMs: number) {
    this.http = new BoundedHttp({ connectionsMax: CONNECTIONS_MAX, timeoutMs, scheduler: wakefulScheduler })
  }

  /** The JSON object at `path` below the base address of a node. `path` begins with a slash and is encoded. */
  async get(base: string, path: string, limitBytes: number): Promise<NodeAnswer> {
    try {
      const { origin, pathname } = new URL(base)
      const { status, body } = await this.http.request({
        method: 'GET',
        origin,
        path: `${pathname.replace(/\/+$/, '')}${path}`,
        headers: { accept: 'application/json' },
        limitBytes: () => limitBytes,
      })
      if (body === null) return status === 200 ? { kind: 'too-long' } : unclear(`status ${status}`)
      return judge(status, parseJson(body.toString('utf8')))
    } catch (error) {
      // Refused, cut off or too late: another node may know the answer. Nothing else can throw here.
      return unclear(error instanceof Error ? error.message || error.name : String(error))
    }
  }

  /** Closes the connections and with them the queries in flight. */
  close(): Promise<void> {
    return this.http.close()
  }
}

function judge(status: number, body: unknown): NodeAnswer {
  if (!isObject(body)) return unclear(`status ${status} without a JSON object`)
  if (status === 200) return { kind: 'found', value: body }
  const { name, message } = body
  const isMissing =
    status === 500 && name === 'ActiveError' && typeof message === 'string' && NOT_FOUND_ENDING.test(message)
  return isMissing ? { kind: 'missing' } : unclear(`status ${status}`)
}

export function unclear(why: string) {
  return { kind: 'unclear', why } as const
}
