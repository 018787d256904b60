import { constants } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type FailureCode, failure } from '../../domain/failure.js'
import { type Certificate, HANDSHAKE_TIMEOUT_MS, TLS_1_2_CIPHERS, UnusableCertificate } from '../certificate.js'
import { Front, newRequestId, peerAddress, REQUEST_ID_HEADER } from '../front.js'
import { failureAnswer } from '../json.js'
import { HEAD_LIMIT_BYTES, type Resolve, type ServerSettings } from '../server.js'
import { Closings } from './closing.js'
import { ConnectionCounts } from './connection-counts.js'
import { type NodeConnection, NodeExchange } from './exchange.js'
import { parseInSlices } from './parser-slices.js'

/** How often slow requests are looked for, as a fraction of the time that they may take. */
const CHECKS_PER_TIMEOUT = 8
const CHECK_LIMIT_MS = 1_000

/** By the codes of the engine's errors. */
const REFUSALS: Readonly<Record<string, 'request_timeout' | 'headers_too_large'>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** The cipher suites of TLS 1.3. Node takes those of both versions as one list. */
const TLS_1_3_CIPHERS = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256'

/** Every TLS connection. Renegotiation would let a client cause handshakes for nothing. */
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: `${TLS_1_3_CIPHERS}:${TLS_1_2_CIPHERS}`,
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const

/**
 * The HTTP front on `node:http`. It runs everywhere and is several times slower than `uws/`. Requests that are not
 * HTTP, and those whose head is too large or too slow, are answered in the same JSON shape as all others.
 */
export class NodeServer extends Front {
  private readonly server: Server | SecureServer
  /** All connections. The engine forgets those without HTTP, and would wait for their clients to disconnect. */
  private readonly connections = new Map<Duplex, NodeConnection>()
  /** Connections whose TLS handshake has not ended, by the client's end: TLS has a socket of its own for each. */
  private readonly handshaking = new Map<string, Socket>()
  private readonly counts: ConnectionCounts | undefined
  private readonly closings = new Closings()

  constructor(resolve: Resolve, settings: ServerSettings, onError: (error: unknown) => void) {
    super(resolve, settings, onError)
    const { requestTimeoutMs, idleTimeoutMs, connectionLimit } = settings
    const options = {
      maxHeaderSize: HEAD_LIMIT_BYTES,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_LIMIT_MS, Math.ceil(requestTimeoutMs / CHECKS_PER_TIMEOUT)),
      // Checked by the exchange, which answers in our shape.
      requireHostHeader: false,
    }
    if (settings.certificate === undefined) {
      this.server = createServer(options)
    } else {
      const handshakeTimeout = Math.min(HANDSHAKE_TIMEOUT_MS, requestTimeoutMs)
      this.server = createSecureServer({ ...options, ...TLS_OPTIONS, handshakeTimeout })
      this.renewCertificate()
    }
    // Beside it, the engine counts those that have been cut and are not closed yet.
    this.server.maxConnections = settings.yieldsWaiting === true ? 2 * connectionLimit : connectionLimit
    // `maxHeaderSize` bounds the number of headers; a limit on it would make `node:http` drop some silently.
    this.server.maxHeadersCount = 0
    this.server.timeout = idleTimeoutMs
    this.server.on('request', (req, res) => this.take(req, res, false))
    this.server.on('checkContinue', (req, res) => this.take(req, res, true))
    // Unknown expectations are ignored; the engine would answer 417 in a shape of its own.
    this.server.on('checkExpectation', (req, res) => this.take(req, res, false))
    this.server.on('connect', (_req, socket) => this.refuseTunnel(socket))
    this.counts = settings.share === undefined ? undefined : new ConnectionCounts(settings.share)
    if (settings.certificate === undefined) {
      this.server.on('connection', (socket) => this.admit(socket) && this.serve(socket))
    } else {
      this.server.on('connection', (socket) => this.admit(socket) && this.awaitHandshake(socket))
      this.server.on('secureConnection', (socket) => {
        this.handshaking.delete(clientEnd(socket))
        this.serve(socket)
      })
    }
    this.server.on('drop', () => settings.onRefusedConnection?.('limit'))
    this.server.on('timeout', (socket) => this.onSilence(socket))
    this.server.on('clientError', (error, socket) => this.onClientError(error, socket))
  }

  listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { host, port, socketPath } = this.settings
    const where = socketPath === undefined ? { host, port, exclusive: true } : { path: socketPath }
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(where, () => {
        this.server.off('error', reject)
        this.server.on('error', this.onError)
        resolve(
          socketPath === undefined ? { host, port: portOf(this.server.address()) } : { host: socketPath, port: 0 },
        )
      })
    })
  }

  close(): void {
    this.draining = true
    this.server.close()
    this.server.closeAllConnections()
    for (const { socket } of this.connections.values()) socket.destroySoon()
    for (const socket of this.handshaking.values()) socket.destroy()
  }

  protected use({ certificatePem, keyPem, files }: Certificate): void {
    if (!('setSecureContext' in this.server)) return
    try {
      this.server.setSecureContext({ ...TLS_OPTIONS, cert: certificatePem, key: keyPem })
    } catch (error) {
      const { message } = error as Error
      throw new UnusableCertificate(`Node cannot use the certificate ${files.certificate}: ${message}`)
    }
  }

  /** Not the server's own `close`: it destroys connections whose answer is written but not yet read by the client. */
  protected stopListening(): Promise<void> {
    return new Promise((resolve) => NetServer.prototype.close.call(this.server, () => resolve()))
  }

  /** Ignores what follows a refused request: the connection ends with the refusal. */
  private take(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.connections.get(req.socket)
    if (connection === undefined || connection.isEnding) return
    new NodeExchange(req, res, this, connection).begin(awaitsContinue)
  }

  /** The engine has released the socket, because it takes it for a tunnel. */
  private refuseTunnel(socket: Duplex): void {
    socket.removeAllListeners('data')
    answerRaw(socket, 'not_found')
  }

  /** Returns false, and ends the connection, if its client already has its share, or if no other one yields. */
  private admit(socket: Socket): boolean {
    if (this.settings.yieldsWaiting === true && !this.makeRoom()) {
      socket.destroy()
      this.settings.onRefusedConnection?.('limit')
      return false
    }
    const address = peerAddress(socket.remoteAddress ?? '')
    if (this.counts?.opened(address) === false) {
      socket.destroy()
      this.settings.onRefusedConnection?.('share')
      return false
    }
    socket.on('close', () => this.counts?.closed(address))
    return true
  }

  /** Whether there is room for one more connection: if need be, one that nothing is done for is cut. */
  private makeRoom(): boolean {
    if (this.connections.size < this.settings.connectionLimit) return true
    let longest: NodeConnection | undefined
    for (const connection of this.connections.values()) {
      if ([...connection.exchanges].some(({ isWorking }) => isWorking)) continue
      if (longest === undefined || connection.waitingSinceMs < longest.waitingSinceMs) longest = connection
    }
    if (longest === undefined) return false
    // It is counted no more, though it closes a moment later.
    this.connections.delete(longest.socket)
    longest.socket.destroy()
    return true
  }

  private awaitHandshake(socket: Socket): void {
    const end = clientEnd(socket)
    this.handshaking.set(end, socket)
    socket.on('close', () => {
      if (this.handshaking.get(end) === socket) this.handshaking.delete(end)
    })
  }

  private serve(socket: Socket): void {
    const waitingSinceMs = performance.now()
    const connection: NodeConnection = { socket, exchanges: new Set(), isEnding: false, waitingSinceMs }
    this.connections.set(socket, connection)
    parseInSlices(socket)
    socket.on('close', () => {
      this.connections.delete(socket)
      // A copy, because each exchange that ends removes itself.
      for (const exchange of [...connection.exchanges]) exchange.connectionClosed()
    })
    this.closings.delay(socket)
  }

  /** Destroys a connection that was silent for the idle time, unless a handler is at work. */
  private onSilence(socket: Socket): void {
    for (const exchange of this.connections.get(socket)?.exchanges ?? []) {
      if (exchange.isHandling) return
    }
    socket.destroy()
  }

  private onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const isHandshake = this.settings.certificate !== undefined && !this.connections.has(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || isHandshake) {
      socket.destroy()
      return
    }
    const code = REFUSALS[error.code ?? ''] ?? 'malformed_request'
    const exchanges = this.connections.get(socket)?.exchanges
    if (exchanges === undefined || exchanges.size === 0) {
      answerRaw(socket, code)
      return
    }
    // Requests before the fault are still answered; the one that contains it is refused.
    for (const exchange of exchanges) {
      exchange.closing = true
      if (exchange.refuse(code === 'request_timeout' ? code : 'malformed_request')) return
    }
  }
}

function clientEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/** Answers on a connection on which the engine found no request. */
function answerRaw(socket: Duplex, code: FailureCode): void {
  const { status, headers, body } = failureAnswer(failure(code), {
    [REQUEST_ID_HEADER]: newRequestId(),
    Connection: 'close',
  })
  const text = String(body)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  lines.push(`Date: ${new Date().toUTCString()}`, `Content-Length: ${Buffer.byteLength(text)}`)
  socket.on('error', () => socket.destroy())
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no TCP port')
  return address.port
}
