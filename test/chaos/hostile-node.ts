import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** How a node replies; `hanging`: not at all. */
export type Reply =
  | {
      readonly text: string
      readonly status?: number
      readonly isGzipped?: boolean
      readonly headers?: Readonly<Record<string, string>>
    }
  | 'hanging'

const MS_PER_SECOND = 1000

/** A server on loopback that replies as it is told. */
export class HostileNode {
  requests = 0
  answer: (path: string, body: string) => Reply = () => 'hanging'
  private allowedFromMs = 0
  private readonly server = createServer((message, response) => {
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('error', () => {})
    message.on('end', () => {
      this.requests += 1
      send(response, this.answer(message.url ?? '', Buffer.concat(chunks).toString()))
    })
  })

  private constructor(private readonly nowMs: () => number) {}

  static async start(nowMs: () => number): Promise<HostileNode> {
    const node = new HostileNode(nowMs)
    node.server.listen(0, '127.0.0.1')
    await once(node.server, 'listening')
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Whether it may answer now, where it allows so many calls a second. */
  allows(callsPerSecond: number): boolean {
    const now = this.nowMs()
    if (now < this.allowedFromMs) return false
    this.allowedFromMs = now + MS_PER_SECOND / callsPerSecond
    return true
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }
}

function send(response: ServerResponse, reply: Reply): void {
  // The service hangs up when it has read enough.
  response.on('error', () => {})
  if (reply === 'hanging') return
  const { text, status = 200, isGzipped = false, headers = {} } = reply
  const coding = isGzipped ? { 'content-encoding': 'gzip' } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...coding, ...headers })
  response.end(isGzipped ? gzipSync(text) : text)
}
