import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export interface RawAnswer {
  readonly status: number
  /** As sent. */
  readonly head: string
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Of an answer that breaks off. */
const SHOWN_BYTES = 1000

/** A client that says exactly what a test wants said, and understands the answers byte by byte. */
export class RawConnection {
  /** Resolves when the connection has ended, by whatever side. */
  readonly closed: Promise<void>
  isClosed = false
  private parts: Buffer[] = []
  private bytes = 0
  private notify: (() => void) | undefined

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      // Long answers come in thousands of parts: they are joined when they are looked at, not each time.
      this.parts.push(chunk)
      this.bytes += chunk.length
      this.notify?.()
    })
    socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.isClosed = true
        this.notify?.()
        resolve()
      })
    })
  }

  /** With `holdsOn` it does not end its side when the server does. With `isSecure` it speaks TLS. */
  static async open(
    port: number,
    { holdsOn = false, from = '127.0.0.1', isSecure = false } = {},
  ): Promise<RawConnection> {
    const where = { port, host: '127.0.0.1', localAddress: from, allowHalfOpen: holdsOn }
    const socket = isSecure ? connectSecurely({ ...where, rejectUnauthorized: false }) : connect(where)
    const connection = new RawConnection(socket)
    await once(socket, isSecure ? 'secureConnect' : 'connect')
    socket.setNoDelay(true)
    return connection
  }

  send(text: string | Uint8Array): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text)
  }

  /** The next answer; `bodyless` for those that have none whatever their headers say (HEAD). */
  async answer(bodyless = false): Promise<RawAnswer> {
    const head = (await this.take(() => this.lengthThrough('\r\n\r\n'))).toString('latin1')
    const [statusLine = '', ...lines] = head.trimEnd().split('\r\n')
    const headers = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    const status = Number(statusLine.split(' ')[1])
    const body = bodyless || status === 204 || status < 200 ? '' : await this.body(headers)
    return { status, head, headers, body }
  }

  /** Everything that arrives until the connection ends. */
  async rest(): Promise<string> {
    await this.closed
    return this.cut(this.bytes).toString('latin1')
  }

  end(): void {
    this.socket.destroy()
  }

  private async body(headers: ReadonlyMap<string, string>): Promise<string> {
    const length = headers.get('content-length')
    if (length !== undefined) return (await this.take(() => Number(length))).toString()
    if (headers.get('transfer-encoding') !== 'chunked') {
      await this.closed
      return this.cut(this.bytes).toString()
    }
    const parts: Buffer[] = []
    while (true) {
      const size = Number.parseInt((await this.take(() => this.lengthThrough('\r\n'))).toString('latin1'), 16)
      const chunk = await this.take(() => size + 2)
      if (size === 0) return Buffer.concat(parts).toString()
      parts.push(chunk.subarray(0, size))
    }
  }

  private lengthThrough(mark: string): number | undefined {
    const index = this.received().indexOf(mark)
    return index === -1 ? undefined : index + mark.length
  }

  private received(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.parts
    if (others.length === 0) return first
    const all = Buffer.concat(this.parts)
    this.parts = [all]
    return all
  }

  /** Removes what was received first. */
  private cut(bytes: number): Buffer {
    const all = this.received()
    this.parts = bytes === all.length ? [] : [all.subarray(bytes)]
    this.bytes -= bytes
    return all.subarray(0, bytes)
  }

  private async take(length: () => number | undefined): Promise<Buffer> {
    while (true) {
      const wanted = length()
      if (wanted !== undefined && this.bytes >= wanted) return this.cut(wanted)
      if (this.isClosed)
        throw new Error(
          `The connection ended after ${JSON.stringify(this.received().toString('latin1', 0, SHOWN_BYTES))}`,
        )
      await new Promise<void>((resolve) => {
        this.notify = resolve
      })
    }
  }
}

/** A request without a body. */
export function requestText(method: string, target: string, ...headers: string[]): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n')
}
