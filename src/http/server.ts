import type { Failure } from '../domain/failure.js'
import type { CertificateFacts, CertificateFiles } from './certificate.js'

/** The largest head of a request, request line included; beyond it the answer is 431. */
export const HEAD_LIMIT_BYTES = 16_384

/**
 * The port of the HTTP front. Two adapters implement it, `uws/` and `node/`; both must pass
 * `test/contract/http-server.ts`. Nothing above the port knows which one runs.
 */

/** What is known of a request before its body has been read. Every value stays the same until the answer is given. */
export interface RequestHead {
  /** As sent; upper case for every registered method. An unregistered method may arrive in the engine's own case. */
  readonly method: string
  /**
   * The path as sent, still percent-encoded, without the query. If the engine lets bytes outside ASCII pass, which RFC
   * 3986 forbids, they are decoded as UTF-8, and invalid UTF-8 as U+FFFD.
   */
  readonly path: string
  /** The query as sent, without the question mark; empty if there is none. */
  readonly query: string
  /**
   * A header's value by its lower-case name; `undefined` if absent. The values of a repeated header are joined by ", "
   * (RFC 9110, 5.2), so that a duplicate never silently wins over the original.
   */
  header(name: string): string | undefined
  /** The id of the request (decisions 1). Every answer carries it as `X-Request-Id`. */
  readonly requestId: string
  /** The peer's address as text, IPv4 in dotted form even on an IPv6 socket; empty once the connection is closed. */
  remoteAddress(): string
}

/** Judges a request by its head. Null lets it pass. Must not throw. */
export type HeadGuard = (head: RequestHead) => Failure | null

/** A complete request. The body belongs to the receiver: no adapter reuses its memory. */
export interface Request extends RequestHead {
  readonly body: Buffer
  /** True once the client has disconnected. */
  readonly aborted: boolean
}

/** Chunks of a long answer. The adapter pulls the next one only when the client has taken the previous one. */
export type BodyStream = AsyncIterable<string | Uint8Array>

export interface Answer {
  readonly status: number
  /**
   * Names in the case to be sent. The adapter adds Content-Length, Date, Connection, Transfer-Encoding and
   * X-Request-Id. A value is visible ASCII, space and tab; the adapter answers 500 instead of writing anything else
   * (response splitting).
   */
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as UTF-8. The head of a streamed answer goes out with its first chunk. */
  readonly body: string | Uint8Array | BodyStream
  /** What the request asked for was so already. The client is not told; the record of an operator's action is. */
  readonly isUnchanged?: true
}

/** Why an adapter itself refuses a request: codes of the failure catalogue. */
export type Refusal =
  | 'malformed_request'
  | 'length_required'
  | 'request_timeout'
  | 'body_too_large'
  | 'overloaded'
  | 'internal'

/** Where a request goes once its head is known. */
export interface Target {
  /** The adapter refuses a larger body with `body_too_large`. */
  readonly bodyLimitBytes: number
  /** Must not throw or reject: the layer above the port answers failures. */
  handle(request: Request): Answer | Promise<Answer>
  /** The answer to a request that never reaches `handle`, or whose answer could not be written. Must not throw. */
  refuse(code: Refusal): Answer
}

/** Chooses the target of a request by its head. Must not throw. */
export type Resolve = (head: RequestHead) => Target

/** How many connections one client may have. */
export interface ConnectionShare {
  readonly perClient: number
  /** The client that a connection from this address counts for; null if the address is a trusted proxy's. */
  clientOf(address: string): string | null
}

export interface ServerSettings {
  /** Serve HTTPS with the certificate in these files; HTTP if absent. */
  readonly certificate?: CertificateFiles
  readonly host: string
  /** The path of a Unix socket to listen on instead; `node:http` only. */
  readonly socketPath?: string
  /** 0 picks a free one. */
  readonly port: number
  /** Connections beyond are refused. */
  readonly connectionLimit: number
  /**
   * Whether a connection beyond takes the place of one that nothing is done for, of which the one goes that has waited for longest;
   * `node:http` only. For a listener of the operator, where the newest one counts.
   */
  readonly yieldsWaiting?: boolean
  /** How many of them one client may have; all if absent. */
  readonly share?: ConnectionShare
  readonly onRefusedConnection?: (why: 'limit' | 'share') => void
  /** Bytes of incomplete bodies, of all clients together; beyond, 503. */
  readonly unfinishedBodiesLimitBytes: number
  /** Bytes of long answers that clients have not taken, of all clients together, and a quarter of it for each; beyond, 503. */
  readonly unreadAnswersLimitBytes: number
  /** Streamed answers at once, of all clients together; beyond, 503. Any number if absent. */
  readonly streamLimit?: number
  /** Maximum time from a request's first byte to its last; then 408. */
  readonly requestTimeoutMs: number
  /** How long a connection may stay silent between requests, and how long a client may leave an answer unread. */
  readonly idleTimeoutMs: number
}

export interface HttpServer {
  /** Resolves with the address in use when connections are accepted; rejects if the address is unavailable. */
  listen(): Promise<{ readonly host: string; readonly port: number }>
  /** The certificate of new connections; null without HTTPS. */
  readonly certificate: CertificateFacts | null
  /**
   * Serves new connections with the certificate that the files hold now; others go on with theirs. Throws
   * `UnusableCertificate`, and changes nothing, if it cannot be served. Nothing happens without HTTPS.
   */
  renewCertificate(): void
  /**
   * Stops accepting connections and answers what has arrived with `Connection: close`. Resolves when every handler has
   * settled, including those whose client has disconnected, every answer is sent, and every connection is closed.
   */
  drain(): Promise<void>
  /** Ends every connection at once. */
  close(): void
}

/**
 * The class of an adapter. The constructor throws `UnusableCertificate` like `renewCertificate`. `onError` is called for
 * defects: throwing handlers, failing streams, unwritable headers.
 */
export type HttpServerClass = new (
  resolve: Resolve,
  settings: ServerSettings,
  onError: (error: unknown) => void,
) => HttpServer
