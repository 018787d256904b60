import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { HOST } from './certificate.js'

/** Where to connect: to a port of this machine, by TLS where there is a certificate to expect. */
export interface Peer {
  readonly port: number
  /** In PEM. */
  readonly certificate?: string
  /** The client's own address. */
  readonly localAddress?: string
}

const EXCHANGE_MS = 30_000

/** A connection that takes down what it is answered. */
export class StreamClient {
  private text = ''
  private notify: (() => void) | undefined
  isClosed = false

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.text += text
      this.notify?.()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
      this.notify?.()
    })
  }

  static async open({ port, certificate, localAddress = '127.0.0.1' }: Peer): Promise<StreamClient> {
    const address = { port, host: '127.0.0.1', localAddress }
    if (certificate === undefined) {
      const socket = connect(address)
      await once(socket, 'connect')
      return new StreamClient(socket)
    }
    const socket = connectTls({ ...address, servername: HOST, ca: certificate })
    await once(socket, 'secureConnect')
    return new StreamClient(socket)
  }

  send(bytes: Uint8Array | string): void {
    if (!this.isClosed) this.socket.write(bytes)
  }

  /** Everything that came. */
  get received(): string {
    return this.text
  }

  leave(): void {
    this.socket.destroy()
  }

  /** Paths that were echoed, in order. */
  get echoes(): readonly string[] {
    return [...this.text.matchAll(/echo (\/\S*?)(?=HTTP\/1|\s|$)/g)].map((match) => match[1] ?? '')
  }

  /** Status of the last answer that was no `100 Continue`; null without one. */
  get status(): number | null {
    const codes = [...this.text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((match) => Number(match[1]))
    return codes.findLast((code) => code !== 100) ?? null
  }

  /** Resolves when `isEnough`, when the connection has ended, and after `atMostMs` at the latest. */
  async until(isEnough: (client: StreamClient) => boolean, atMostMs: number): Promise<void> {
    const isOver = () => this.isClosed || isEnough(this)
    const timer = setTimeout(() => {
      timedOut = true
      this.notify?.()
    }, atMostMs)
    let timedOut = false
    while (!isOver() && !timedOut) {
      await new Promise<void>((resolve) => {
        this.notify = resolve
      })
    }
    clearTimeout(timer)
  }
}

/** An answer in full, or what came of it before the connection ended. */
export interface RawAnswer {
  readonly status: number | null
  /** Status line and headers, in lower case. */
  readonly head: string
  readonly body: string
}

/** Sends one request on a connection of its own. `headers` are lines. */
export async function exchange(
  peer: Peer,
  [method, target]: readonly [method: string, target: string],
  headers: readonly string[] = [],
  body = '',
): Promise<RawAnswer> {
  const client = await StreamClient.open(peer)
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${HOST}`, 'Connection: close', ...length, ...headers]
  client.send(`${lines.join('\r\n')}\r\n\r\n${body}`)
  await client.until(() => false, EXCHANGE_MS)
  client.leave()
  const { status, received } = client
  const end = received.indexOf('\r\n\r\n')
  return { status, head: received.slice(0, end).toLowerCase(), body: received.slice(end + 4) }
}

/** Asks for `path` on a connection of its own; the client when it is answered, or after `atMostMs`. */
export async function askFor(peer: Peer, path: string, atMostMs: number): Promise<StreamClient> {
  const client = await StreamClient.open(peer)
  client.send(`GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  await client.until(({ status, echoes }) => status !== null && (status !== 200 || echoes.length > 0), atMostMs)
  client.leave()
  return client
}
