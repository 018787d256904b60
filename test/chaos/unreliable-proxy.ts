import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../simulation/random.js'
import { type LoopbackRequest, LoopbackServer, passOn } from '../support/loopback-server.js'

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

  private constructor(
    /** The node that is asked now. */
    public target: string,
    private readonly random: Random,
    private readonly server: LoopbackServer,
  ) {
    server.answer = (request, response) => this.serve(request, response)
  }

  static async start(target: string, random: Random): Promise<UnreliableProxy> {
    return new UnreliableProxy(target, random, await LoopbackServer.open())
  }

  get url(): string {
    return this.server.url
  }

  close(): Promise<void> {
    return this.server.close()
  }

  private async serve(request: LoopbackRequest, response: ServerResponse): Promise<void> {
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
    const { status, body } = await passOn(this.target, { ...request, body: this.rewrite(request.body) })
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
    if (fault === 'cut') response.write(body.subarray(0, body.length / 2), () => response.destroy())
    else response.end(body)
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
