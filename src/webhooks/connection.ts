import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type buildConnector, Client } from 'undici'
import type { AddressGuard } from './address-guard.js'
import type { ResolveHost } from './host-resolver.js'

/**
 * How long an idle connection is kept. Servers keep theirs for 2 s and more, and this is less: a receiver that closes a
 * connection just as a delivery is written on it would cost that delivery its one attempt.
 */
const KEPT_IDLE_MS = 1000

/** Maximum size of an answer's head. */
const HEAD_LIMIT_BYTES = 16 * 1024

/** Time after which the next of several addresses is tried in parallel (RFC 8305, 5, suggests about 250 ms). */
const NEXT_ADDRESS_AFTER_MS = 1000

/** The guard allows none of the receiver's addresses. They stay secret, because owners read outcomes. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  constructor() {
    super('the address is not public')
  }
}

/** The common settings of all connections. */
export interface ConnectionSettings {
  readonly guard: Pick<AddressGuard, 'isAllowed'>
  readonly resolve: ResolveHost
  /** Maximum bytes of an answer, its head included; a longer one ends the connection. */
  readonly answerLimitBytes: number
  /** PEM certificates to trust instead of the bundled authorities. */
  readonly trust?: string
}

/**
 * A connection to an origin, for one request at a time. It has at most one socket. Every socket goes to an address that
 * the guard has allowed: the addresses are resolved once, judged, and connected to as they are.
 */
export class Connection {
  readonly client: Client
  /** Whether the receiver is known to keep the connection open: it has announced so, or has done so. */
  isPersistent = false
  /** Whether the connection was destroyed because the answer had more bytes than allowed. */
  isAnswerTooLong = false
  private socket: Socket | null = null
  private bytesBefore = 0
  private readonly ended = new AbortController()

  /** `onClosed` is called when the socket is gone. */
  constructor(
    readonly origin: string,
    private readonly settings: ConnectionSettings,
    onClosed: (connection: Connection) => void,
  ) {
    this.client = new Client(origin, {
      connect: (options, callback) => this.connect(options, callback),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: HEAD_LIMIT_BYTES,
      keepAliveTimeout: KEPT_IDLE_MS,
      keepAliveMaxTimeout: KEPT_IDLE_MS,
      // The sender has one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.client.on('disconnect', () => onClosed(this))
  }

  /** Call it before each request: the answer's bytes are counted from here. */
  beginAnswer(): void {
    this.bytesBefore = this.socket?.bytesRead ?? 0
  }

  get isOpen(): boolean {
    return this.socket !== null && !this.socket.destroyed && !this.client.destroyed
  }

  /** Ends the connection in any state: resolving, connecting, or in the middle of an answer. */
  destroy(): void {
    this.ended.abort()
    // The client does not know a socket that is still connecting.
    this.socket?.destroy()
    this.client.destroy(null, () => {})
  }

  private connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const { guard, trust } = this.settings
    let isSettled = false
    const fail = (error: Error) => {
      if (!isSettled) callback(error, null)
      isSettled = true
    }
    // Sockets do not look up addresses, so they are judged here. The URL parser has normalised 0x7f.1 and 2130706433.
    if (isIP(options.hostname) !== 0 && !guard.isAllowed(options.hostname)) {
      fail(new AddressRefused())
      return
    }
    const isTls = options.protocol === 'https:'
    const target = {
      host: options.hostname,
      port: options.port === '' ? (isTls ? 443 : 80) : Number(options.port),
      lookup: this.lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    }
    const socket = isTls
      ? connectTls({
          ...target,
          ALPNProtocols: ['http/1.1'],
          // Explicit, so that no environment variable switches it off.
          rejectUnauthorized: true,
          ...(trust === undefined ? {} : { ca: trust }),
        })
      : connectTcp(target)
    this.socket = socket
    this.bytesBefore = 0
    socket.setNoDelay(true)
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the connection closed before it was usable')))
    socket.once('connect', () => {
      // The second check: whatever was looked up, this is where the bytes would go.
      if (!guard.isAllowed(socket.remoteAddress ?? '')) socket.destroy(new AddressRefused())
    })
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      if (socket.destroyed || isSettled) return
      isSettled = true
      socket.on('readable', () => this.limitAnswer(socket))
      callback(null, socket)
    })
  }

  private readonly lookup: LookupFunction = (hostname, _options, callback) => {
    this.settings.resolve(hostname, this.ended.signal).then(
      (addresses) => {
        const allowed = addresses.filter((address) => this.settings.guard.isAllowed(address))
        if (allowed.length === 0) callback(new AddressRefused(), [])
        else
          callback(
            null,
            allowed.map((address) => ({ address, family: isIP(address) })),
          )
      },
      (error: Error) => callback(error, []),
    )
  }

  /**
   * Counts bytes on the wire, because an answer can also be endless outside of its body: interim answers, chunk
   * extensions. It checks before the client parses the bytes, and acts after, so that a status among them still counts.
   */
  private limitAnswer(socket: Socket): void {
    if (socket.bytesRead - this.bytesBefore <= this.settings.answerLimitBytes) return
    queueMicrotask(() => {
      if (socket.destroyed) return
      this.isAnswerTooLong = true
      this.destroy()
    })
  }
}
