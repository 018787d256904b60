import type { ConnectionShare } from './guards/connection-share.js'

/** The largest head of a request, request line included; beyond it the answer is 431. */
export const HEAD_LIMIT_BYTES = 16_384

/**
 * The port of the HTTP front. Two adapters implement it, `uws.ts` and `node.ts`; `test/contract/http-server.ts` is what
 * both must pass. Above the port nothing knows which one runs.
 */

/** What is known of a request before its body has been read. Everything reads the same until the answer is given. */
export interface RequestHead {
  /** As sent, upper case for every registered method. A method no standard knows may arrive in the engine's own case. */
  readonly method: string
  /**
   * The path as sent, still percent-encoded, without the query. Where the engine lets bytes outside ASCII pass, which
   * RFC 3986 forbids, they read as UTF-8, and those that are not UTF-8 as U+FFFD.
   */
  readonly path: string
  /** The query as sent, without the question mark; empty when there is none. */
  readonly query: string
  /**
   * A header's value by its lower-case name, `undefined` when absent. A repeated header reads as its values joined
   * by ", " (RFC 9110, 5.2), so that a duplicate never silently wins over the original.
   */
  header(name: string): string | undefined
  /** The id of the request (decisions 1), the same whenever it is asked for. Every answer carries it as `X-Request-Id`. */
  readonly requestId: string
  /** The peer's address as text, IPv4 in dotted form also on an IPv6 socket; empty once the connection has gone. */
  remoteAddress(): string
}

/** A request whose body has arrived completely. The body belongs to the receiver: no adapter reuses its memory. */
export interface Request extends RequestHead {
  readonly body: Buffer
  /** True once the client has gone. */
  readonly aborted: boolean
}

/** Chunks of a long answer. The adapter pulls the next one only when the client has taken the last. */
export type BodyStream = AsyncIterable<string | Uint8Array>

export interface Answer {
  readonly status: number
  /**
   * Names in the case to be sent. Content-Length, Date, Connection, Transfer-Encoding and X-Request-Id are the adapter's. A value
   * is visible ASCII, space and tab; the adapter answers 500 instead of writing anything else (no response splitting).
   */
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as UTF-8. The head of a streamed answer goes out with its first chunk. */
  readonly body: string | Uint8Array | BodyStream
}

/** What an adapter itself finds wrong with a request. The names are codes of the failure catalogue. */
export type Refusal =
  | 'malformed_request'
  | 'length_required'
  | 'request_timeout'
  | 'body_too_large'
  | 'overloaded'
  | 'internal'

/** Where a request goes once its head is known. */
export interface Target {
  /** A larger body is answered with `body_too_large` and not kept. */
  readonly bodyLimitBytes: number
  /** Must not throw or reject: what failed is answered by the layer above the port. */
  handle(request: Request): Answer | Promise<Answer>
  /** The answer to a request that never reaches `handle`, or whose answer could not be written. Must not throw. */
  refuse(code: Refusal): Answer
}

/** Chooses the target of a request by its head. Must not throw. */
export type Resolve = (head: RequestHead) => Target

export interface ServerSettings {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Connections beyond are refused. */
  readonly connectionLimit: number
  /** What one client may have of them; absent: all. */
  readonly share?: ConnectionShare
  /** Hears of a connection that was refused. */
  readonly onRefusedConnection?: (why: 'limit' | 'share') => void
  /** Bytes of bodies that have begun and are not complete, of all clients together; beyond, 503. */
  readonly unfinishedBodiesLimitBytes: number
  /** Time from a request's first byte to its last; then 408. */
  readonly requestTimeoutMs: number
  /** Time a connection may stay silent between requests, and a client may leave an answer untaken. */
  readonly idleTimeoutMs: number
}

export interface HttpServer {
  /** Resolves when connections are accepted, with the address in use; rejects when it cannot be had. */
  listen(): Promise<{ readonly host: string; readonly port: number }>
  /**
   * Accepts no new connections, answers what has arrived with `Connection: close`, and resolves when every handler has
   * settled, every answer is sent and every connection closed. Handlers whose client has gone are waited for too.
   */
  drain(): Promise<void>
  /** Ends every connection at once. */
  close(): void
}

/** The shape of both adapters. `onError` hears of defects: throwing handlers, failing streams, unwritable headers. */
export type CreateServer = (resolve: Resolve, settings: ServerSettings, onError: (error: unknown) => void) => HttpServer
