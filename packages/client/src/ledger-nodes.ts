import { textOf } from './answer.js'
import type { NodeAnswer } from './ledger-verdict.js'
import type { Fetch } from './transport.js'
import { anyOf } from './wait.js'

/** What came of a post to one node. */
export type NodeReply =
  | { readonly kind: 'answer'; readonly answer: NodeAnswer }
  /** The node may have got the transaction, and its answer is not known. */
  | { readonly kind: 'lost'; readonly cause: Error }
  /** It did not get it. */
  | { readonly kind: 'unsent'; readonly cause: Error }

export interface PostOptions {
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Failures of Node's `fetch` before anything was sent. Browsers do not tell them apart from others. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Posts a transaction. Throws only the reason of the signal. */
export async function postTo(node: string, body: string, options: PostOptions): Promise<NodeReply> {
  const { fetch, timeoutMs, signal } = options
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    // Without a content type of JSON: browsers would ask for permission first, which costs a request, and which what stands before a
    // node may not give. Nodes read the body whatever its type.
    const response = await fetch(`${node.replace(/\/+$/, '')}/`, {
      method: 'POST',
      body,
      signal: anyOf(signal, limit) ?? null,
      credentials: 'omit',
    })
    const answer: unknown = JSON.parse(await textOf(response))
    if (response.ok && typeof answer === 'object' && answer !== null && '$summary' in answer) {
      return { kind: 'answer', answer }
    }
    return { kind: 'lost', cause: new Error(`${node} answered ${response.status}, and not as a ledger node`) }
  } catch (error) {
    signal?.throwIfAborted()
    if (limit.aborted) {
      return { kind: 'lost', cause: new Error(`${node} gave no answer within ${timeoutMs} ms`, { cause: error }) }
    }
    const cause = new Error(`${node} gave no answer`, { cause: error })
    return { kind: UNSENT.includes(codeOf(error)) ? 'unsent' : 'lost', cause }
  }
}

function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return String(cause?.code ?? '')
}

/** By list of nodes: the one that answered last. */
const answeredLast = new Map<string, string>()
/** Lists of nodes that are remembered; the oldest is forgotten. */
const LISTS_MAX = 100

/**
 * The nodes in the order in which to try them. The one that answered last comes first: others may still be busy with what it
 * committed, and then give no answer for a while.
 */
export function nodesInTurn(nodes: readonly string[]): readonly string[] {
  const last = Math.max(nodes.indexOf(answeredLast.get(nameOf(nodes)) ?? ''), 0)
  return [...nodes.slice(last), ...nodes.slice(0, last)]
}

export function stayAt(node: string, nodes: readonly string[]): void {
  const name = nameOf(nodes)
  const [oldest] = answeredLast.keys()
  if (oldest !== undefined && answeredLast.size >= LISTS_MAX && !answeredLast.has(name)) answeredLast.delete(oldest)
  answeredLast.set(name, node)
}

function nameOf(nodes: readonly string[]): string {
  return nodes.join(' ')
}
