import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'
/** How often an open load looks at what is due. */
const TICK_MS = 5

export interface LoadOptions {
  /** `http://host:port`. */
  readonly url: string
  readonly connections: number
  readonly durationMs: number
  /** Requests that are begun in a second, whatever becomes of them; null sends on each connection as it is answered. */
  readonly perSecond: number | null
  /** The loopback address that it comes from, and as many after it as its connections need; 127.0.0.1 when absent. */
  readonly from?: string
  /** The next request, as the bytes of HTTP/1.1. */
  next(): string
}

export interface LoadReport {
  /** Requests that were sent. */
  readonly sent: number
  /** Due requests for which no connection was free. */
  readonly unsent: number
  readonly byStatus: ReadonlyMap<number, number>
  /** Answers 2xx in a second. */
  readonly goodPerSecond: number
  /** Of the answers 2xx, in ms, sorted. */
  readonly latenciesMs: readonly number[]
  /** Answers 503 without Retry-After. */
  readonly withoutRetryAfter: number
  /** Connections that ended in the middle of a request. */
  readonly broken: number
}

/** Connections from one address, well below what the service lets one have. */
const CONNECTIONS_PER_ADDRESS = 768

/** The address of the `n`th connection of many that begin at `first`. */
export function addressFor(n: number, first = '127.0.0.1'): string {
  const at = first.lastIndexOf('.') + 1
  return `${first.slice(0, at)}${Number(first.slice(at)) + Math.floor(n / CONNECTIONS_PER_ADDRESS)}`
}

interface Connection {
  readonly socket: Socket
  text: string
  sentAt: number
  isBusy: boolean
}

/** Loads a service over keep-alive connections of its own, one request at a time on each. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  return new Load(options).run()
}

class Load {
  private readonly idle: Connection[] = []
  private readonly all = new Set<Connection>()
  private readonly byStatus = new Map<number, number>()
  private readonly latenciesMs: number[] = []
  private opened = 0
  private sent = 0
  private unsent = 0
  private withoutRetryAfter = 0
  private broken = 0
  private isOver = false

  constructor(private readonly options: LoadOptions) {}

  async run(): Promise<LoadReport> {
    const { connections, durationMs, perSecond } = this.options
    await Promise.all(Array.from({ length: connections }, () => this.open()))
    const startedAt = performance.now()
    if (perSecond === null) for (const connection of this.idle.splice(0)) this.send(connection)
    const ticker = setInterval(() => this.tick(performance.now() - startedAt), TICK_MS)
    await new Promise((resolve) => setTimeout(resolve, durationMs))
    this.isOver = true
    clearInterval(ticker)
    const seconds = (performance.now() - startedAt) / 1000
    for (const { socket } of this.all) socket.destroy()
    return {
      sent: this.sent,
      unsent: this.unsent,
      byStatus: this.byStatus,
      goodPerSecond: this.latenciesMs.length / seconds,
      latenciesMs: this.latenciesMs.sort((a, b) => a - b),
      withoutRetryAfter: this.withoutRetryAfter,
      broken: this.broken,
    }
  }

  private open(): Promise<void> {
    const { url, from, connections } = this.options
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        localAddress: addressFor(this.opened++ % connections, from),
      })
      const connection: Connection = { socket, text: '', sentAt: 0, isBusy: false }
      socket.setEncoding('latin1').setNoDelay(true)
      socket.once('connect', () => {
        this.all.add(connection)
        this.idle.push(connection)
        resolve()
      })
      socket.once('error', reject)
      socket.on('data', (text: string) => this.receive(connection, text))
      socket.on('close', () => this.closed(connection))
    })
  }

  private tick(elapsedMs: number): void {
    const { perSecond } = this.options
    if (perSecond === null || this.isOver) return
    for (let due = Math.floor((elapsedMs * perSecond) / 1000) - this.sent - this.unsent; due > 0; due -= 1) {
      const connection = this.idle.pop()
      if (connection === undefined) {
        this.unsent += due
        return
      }
      this.send(connection)
    }
  }

  private send(connection: Connection): void {
    this.sent += 1
    connection.isBusy = true
    connection.sentAt = performance.now()
    connection.socket.write(this.options.next(), 'latin1')
  }

  private receive(connection: Connection, text: string): void {
    connection.text += text
    const headEnd = connection.text.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = connection.text.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    if (connection.text.length < headEnd + HEAD_END.length + length) return
    connection.text = ''
    connection.isBusy = false
    this.count(Number(head.slice(9, 12)), head, performance.now() - connection.sentAt)
    if (this.isOver) return
    if (this.options.perSecond === null) this.send(connection)
    else this.idle.push(connection)
  }

  private count(status: number, head: string, latencyMs: number): void {
    if (this.isOver) return
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    if (status >= 200 && status < 300) this.latenciesMs.push(latencyMs)
    if (status === 503 && !head.includes('retry-after:')) this.withoutRetryAfter += 1
  }

  /** The service may close connections that are silent; another takes its place. */
  private closed(connection: Connection): void {
    this.all.delete(connection)
    if (this.isOver) return
    if (connection.isBusy) this.broken += 1
    const at = this.idle.indexOf(connection)
    if (at >= 0) this.idle.splice(at, 1)
    this.open().then(
      () => {
        const fresh = this.options.perSecond === null ? this.idle.pop() : undefined
        if (fresh !== undefined) this.send(fresh)
      },
      // The service is gone or full; the others go on.
      () => {},
    )
  }
}

/** The value below which `part` of the sorted values are. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}
