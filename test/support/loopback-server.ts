import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request whose body is complete. */
export interface LoopbackRequest {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Path and query. */
  readonly path: string
  readonly body: string
}

/** Answers a request. When it rejects, the connection is closed. */
export type Answerer = (request: LoopbackRequest, response: ServerResponse) => void | Promise<void>

/** An HTTP server on loopback that answers as it is told. */
export class LoopbackServer {
  /** Until it is set, requests are not answered. */
  answer: Answerer = () => {}
  private readonly server = createServer((message, response) => {
    // The client may hang up at any time.
    response.on('error', () => {})
    this.serve(message, response).catch(() => response.destroy())
  })

  private constructor() {}

  static async open(): Promise<LoopbackServer> {
    const opened = new LoopbackServer()
    opened.server.listen(0, '127.0.0.1')
    await once(opened.server, 'listening')
    return opened
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const { method = '', headers, url = '' } = message
    await this.answer({ method, headers, path: url, body: Buffer.concat(chunks).toString() }, response)
  }
}

/** Passes a request on to a node, and returns what it answers. */
export async function passOn(
  target: string,
  { path, body }: Pick<LoopbackRequest, 'path' | 'body'>,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${target}${path === '/' ? '' : path}`, { method: 'POST', headers, body })
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
}
