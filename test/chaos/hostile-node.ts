import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { LoopbackServer } from '../support/loopback-server.js'

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

  private constructor(
    private readonly nowMs: () => number,
    private readonly server: LoopbackServer,
  ) {
    server.answer = ({ path, body }, response) => {
      this.requests += 1
      send(response, this.answer(path, body))
    }
  }

  static async start(nowMs: () => number): Promise<HostileNode> {
    return new HostileNode(nowMs, await LoopbackServer.open())
  }

  get url(): string {
    return this.server.url
  }

  /** Whether it may answer now, where it allows so many calls a second. */
  allows(callsPerSecond: number): boolean {
    const now = this.nowMs()
    if (now < this.allowedFromMs) return false
    this.allowedFromMs = now + MS_PER_SECOND / callsPerSecond
    return true
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hanging') return
  const { text, status = 200, isGzipped = false, headers = {} } = reply
  const coding = isGzipped ? { 'content-encoding': 'gzip' } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...coding, ...headers })
  response.end(isGzipped ? gzipSync(text) : text)
}
