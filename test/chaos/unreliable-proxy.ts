import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.js'

/** Of 100 requests, how many meet each fault. */
const FAULTS = { error: 1, limit: 1, cut: 1, slow: 4 } as const
const SLOW_MS = 400
const RETRY_AFTER_SECONDS = 1

/** A proxy in front of a node: a part of the requests meets an error, a rate limit, a cut connection or a slow answer. */
export class UnreliableProxy {
  /** While true every connection is closed without an answer. */
  isStopped = false
  /** While false every request is passed on. */
  isFaulty = false
  /** Changes the body of a request before it is passed on. */
  rewrite: (body: string) => string = (body) => body
  /** How many requests met a fault. */
  readonly met = { error: 0, limit: 0, cut: 0, slow: 0 }
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch(() => response.destroy())
  })

  private constructor(
    /** The node that is asked now. */
    public target: string,
    private readonly random: Random,
  ) {}

  static async start(target: string, random: Random): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(target, random)
    proxy.server.listen(0, '127.0.0.1')
    await once(proxy.server, 'listening')
    return proxy
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

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (this.isStopped) {
      response.destroy()
      return
    }
    const fault = this.throwFault()
    if (fault === 'error') {
      response.writeHead(502).end('bad gateway')
      return
    }
    if (fault === 'limit') {
      response.writeHead(429, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end()
      return
    }
    if (fault === 'slow') await sleep(SLOW_MS)
    const answer = await fetch(`${this.target}${request.url === '/' ? '' : request.url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: this.rewrite(Buffer.concat(chunks).toString()),
    })
    const text = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': text.length })
    if (fault === 'cut') response.write(text.subarray(0, text.length / 2), () => response.destroy())
    else response.end(text)
  }

  private throwFault(): keyof typeof FAULTS | null {
    if (!this.isFaulty) return null
    let thrown = this.random.below(100)
    for (const fault of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) {
      thrown -= FAULTS[fault]
      if (thrown >= 0) continue
      this.met[fault] += 1
      return fault
    }
    return null
  }
}
