import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A proxy in front of PostgreSQL that delays or holds what it carries, or cuts connections, at a chosen message of the protocol or
 * whenever it is told to.
 */
export class CuttingProxy {
  /** Messages in both directions that still pass; null for all. Both ends of a connection are reset at the next one. */
  private left: number | null = null
  /** Called in place of the cut. */
  private onCut: (() => void) | null = null
  /** Messages of clients that still pass; null for all. */
  private passes: ((message: Buffer) => boolean) | null = null
  /** What waits to be passed while nothing is; null otherwise. */
  private held: (() => void)[] | null = null
  private readonly open = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** How long each message takes in either direction. */
    public delayMs: number,
  ) {}

  static async start(targetPort: number, { delayMs = 0 } = {}): Promise<CuttingProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a server has no port')
    const proxy = new CuttingProxy(server, address.port, delayMs)
    server.on('connection', (client) => proxy.pass(client, connect(targetPort, '127.0.0.1')))
    return proxy
  }

  /** Cuts the connection that carries the next message but `messages`, once; or does something else then, and cuts that one too. */
  cutAfter(messages: number, onCut: (() => void) | null = null): void {
    this.left = messages
    this.onCut = onCut
  }

  /** Resets every connection now, and from now on each that carries a message of a client that is not one of these. */
  passOnly(passes: (message: Buffer) => boolean): void {
    this.passes = passes
    this.left = null
    this.cutAll()
  }

  /** Whether a cut is still to come. */
  get isArmed(): boolean {
    return this.left !== null
  }

  /** Ends of connections that are open. */
  get connections(): number {
    return this.open.size
  }

  /** Lets everything pass from now on. */
  disarm(): void {
    this.left = null
  }

  /** Lets nothing pass from now on, and resets nothing: the server seems to hang. */
  hold(): void {
    this.held ??= []
  }

  /** Lets everything pass that was held. */
  release(): void {
    const { held } = this
    this.held = null
    for (const pass of held ?? []) pass()
  }

  /** Resets every connection. */
  cutAll(): void {
    for (const socket of this.open) socket.resetAndDestroy()
  }

  async stop(): Promise<void> {
    this.cutAll()
    this.server.close()
    await once(this.server, 'close')
  }

  private pass(client: Socket, server: Socket): void {
    const pair = [client, server] as const
    for (const [from, to] of [pair, [server, client] as const]) {
      this.open.add(from)
      from.setNoDelay()
      const messages = new Messages(from === client)
      const delayed: (() => void)[] = []
      from.on('data', (chunk: Buffer) => {
        for (const message of messages.take(chunk)) {
          const passOn = () => {
            if (to.destroyed) return
            if (this.takesTurn() && (from !== client || this.passes?.(message) !== false)) to.write(message)
            else for (const socket of pair) socket.resetAndDestroy()
          }
          if (this.held !== null) {
            this.held.push(passOn)
            continue
          }
          if (this.delayMs === 0 && delayed.length === 0) {
            passOn()
            continue
          }
          // The oldest one, so that they stay in order when the delay has become shorter.
          delayed.push(passOn)
          setTimeout(() => delayed.shift()?.(), this.delayMs)
        }
      })
      from.on('error', () => {})
      from.on('close', () => {
        this.open.delete(from)
        to.destroy()
      })
    }
  }

  /** False for the message at which to cut. */
  private takesTurn(): boolean {
    if (this.left === null) return true
    this.left -= 1
    if (this.left >= 0) return true
    this.left = null
    this.onCut?.()
    return false
  }
}

const TYPE_BYTES = 1
const LENGTH_BYTES = 4

/** The messages of one direction: a type and a length, which counts itself. The first one of a client has no type. */
class Messages {
  private rest: Buffer = Buffer.alloc(0)

  constructor(private isFirstUntyped: boolean) {}

  /** The messages that are whole by now. */
  *take(chunk: Buffer): Generator<Buffer> {
    this.rest = Buffer.concat([this.rest, chunk])
    for (;;) {
      const typeBytes = this.isFirstUntyped ? 0 : TYPE_BYTES
      if (this.rest.length < typeBytes + LENGTH_BYTES) return
      const end = typeBytes + this.rest.readUInt32BE(typeBytes)
      if (this.rest.length < end) return
      const message = this.rest.subarray(0, end)
      this.rest = this.rest.subarray(end)
      this.isFirstUntyped = false
      yield message
    }
  }
}
