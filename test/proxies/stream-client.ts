import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

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

  static async open(port: number): Promise<StreamClient> {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return new StreamClient(socket)
  }

  send(bytes: Uint8Array | string): void {
    if (!this.isClosed) this.socket.write(bytes)
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

/** Asks for `path` on a connection of its own; the client when it is answered, or after `atMostMs`. */
export async function askFor(port: number, path: string, atMostMs: number): Promise<StreamClient> {
  const client = await StreamClient.open(port)
  client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await client.until(({ status, echoes }) => status !== null && (status !== 200 || echoes.length > 0), atMostMs)
  client.leave()
  return client
}
