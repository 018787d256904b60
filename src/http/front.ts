import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { type Certificate, type CertificateFacts, readCertificate } from './certificate.js'
import type { HttpServer, Resolve, ServerSettings } from './server.js'
import { UnreadAnswers } from './unread-answers.js'

/** Initial capacity of an unfinished body: enough for most bodies, and little for one that never arrives. */
const FIRST_CAPACITY_BYTES = 4096

export const NO_BODY = Buffer.alloc(0)

/** What the servers of both engines share: the memory for unfinished bodies, and the exchanges that `drain` awaits. */
export abstract class Front implements HttpServer {
  /** True once every answer must end its connection. */
  draining = false
  certificate: CertificateFacts | null = null
  readonly bodies: UnfinishedBodies
  readonly unread: UnreadAnswers
  /** Streamed answers that have begun and whose exchanges have not ended. */
  streams = 0
  private inFlight = 0
  private onIdle: (() => void) | undefined
  private drained: Promise<void> | undefined

  constructor(
    readonly resolve: Resolve,
    readonly settings: ServerSettings,
    readonly onError: (error: unknown) => void,
  ) {
    this.unread = new UnreadAnswers(settings.unreadAnswersLimitBytes)
    this.bodies = { heldBytes: 0, limitBytes: settings.unfinishedBodiesLimitBytes }
  }

  abstract listen(): Promise<{ readonly host: string; readonly port: number }>
  abstract close(): void
  /** Serves new connections with it. Throws `UnusableCertificate` if the engine refuses it. */
  protected abstract use(certificate: Certificate): void
  /** Stops accepting connections. What it returns is awaited after `close`. */
  protected abstract stopListening(): Promise<void> | undefined

  renewCertificate(): void {
    const files = this.settings.certificate
    if (files === undefined) return
    const certificate = readCertificate(files)
    this.use(certificate)
    const { names, expires } = certificate
    this.certificate = { names, expires }
  }

  drain(): Promise<void> {
    this.drained ??= this.finishAll()
    return this.drained
  }

  began(): void {
    this.inFlight += 1
  }

  ended(): void {
    this.inFlight -= 1
    if (this.inFlight === 0) this.onIdle?.()
  }

  private async finishAll(): Promise<void> {
    this.draining = true
    const stopped = this.stopListening()
    // Requests may wait in the sockets' buffers: a full turn of the event loop reads them.
    await twoTurns()
    while (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve
      })
      await twoTurns()
    }
    this.close()
    await stopped
  }
}

/** One turn may already be past its polling phase; after two, everything that had arrived has been read. */
async function twoTurns(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/** An address in its usual form: IPv4 dotted even if mapped into IPv6, IPv6 as in RFC 5952. Empty if invalid. */
export function peerAddress(text: string): string {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : ''
}

/** The memory for incomplete bodies: one bound for all clients together. */
export interface UnfinishedBodies {
  heldBytes: number
  readonly limitBytes: number
}

/**
 * Collects the body of one request in one buffer that doubles when it is full, so a chunk costs only its bytes, however
 * small it is. A body that arrives in one chunk is copied once, into a buffer of its size.
 */
export class BodyBuffer {
  receivedBytes = 0
  private bytes: Buffer = NO_BODY
  private held = 0

  /** `mostBytes` is the declared length, or the limit if none was declared. The caller adds no more. */
  constructor(
    private readonly room: UnfinishedBodies,
    private readonly mostBytes: number,
    private readonly isDeclared: boolean,
  ) {}

  /** Copies `chunk`, whose memory the engine may reuse. Returns false if unfinished bodies have no room for it. */
  add(chunk: Uint8Array): boolean {
    const received = this.receivedBytes + chunk.length
    if (received > this.bytes.length && !this.grow(received)) return false
    this.bytes.set(chunk, this.receivedBytes)
    this.receivedBytes = received
    return true
  }

  take(): Buffer {
    const { bytes, receivedBytes } = this
    this.drop()
    return receivedBytes === bytes.length ? bytes : bytes.subarray(0, receivedBytes)
  }

  drop(): void {
    this.room.heldBytes -= this.held
    this.held = 0
    this.bytes = NO_BODY
    this.receivedBytes = 0
  }

  private grow(wanted: number): boolean {
    const isComplete = this.isDeclared && wanted === this.mostBytes
    const capacity = isComplete
      ? wanted
      : Math.min(this.mostBytes, Math.max(wanted, 2 * this.bytes.length, FIRST_CAPACITY_BYTES))
    if (!isComplete) {
      const more = capacity - this.held
      if (this.room.heldBytes + more > this.room.limitBytes) return false
      this.room.heldBytes += more
      this.held = capacity
    }
    // Own memory for a body that may have to wait: a slice of Node's pool would keep the whole pool alive.
    const grown = isComplete ? Buffer.allocUnsafe(capacity) : Buffer.allocUnsafeSlow(capacity)
    grown.set(this.bytes.subarray(0, this.receivedBytes))
    this.bytes = grown
    return true
  }
}

/** The ids that a client may choose for a request (decisions 1): safe in headers, logs and URLs. */
const CLIENT_ID = /^[A-Za-z0-9._~-]{1,128}$/

const ID_LENGTH = 16
/** Ids drawn at once: drawing a single one costs nearly as much. */
const DRAWN_AT_ONCE = 512

/** Hex digits of ids; the first `used` of them have been given out. */
let drawn = ''
let used = 0

/** The header that carries the id, in requests and in every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id'

/** The id of a request with the header `given`: the client's own if it is acceptable, else a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && CLIENT_ID.test(given) ? given : newRequestId()
}

/** 16 random hex digits. They are random so that answers do not reveal how busy the service is. */
export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes((DRAWN_AT_ONCE * ID_LENGTH) / 2).toString('hex')
    used = 0
  }
  used += ID_LENGTH
  return drawn.slice(used - ID_LENGTH, used)
}
