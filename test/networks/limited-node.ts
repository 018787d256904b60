import type { ServerResponse } from 'node:http'
import { type LoopbackRequest, LoopbackServer, passOn } from '../support/loopback-server.js'
import type { VirtualTime } from './virtual-time.js'

/** How a node refuses a request. */
export interface Refusal {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Decides at a time about a request: null to serve it. */
export type Limiter = (nowMs: number) => Refusal | null

const TOO_MANY: Refusal = { status: 429, body: '{"error":"too many requests"}' }

/** A bucket that is filled at a rate up to a capacity, and is full at first. */
export function bucket(perSecond: number, capacity: number): Limiter {
  let tokens = capacity
  let lastMs: number | null = null
  return (nowMs) => {
    tokens = Math.min(capacity, tokens + ((nowMs - (lastMs ?? nowMs)) * perSecond) / 1000)
    lastMs = nowMs
    if (tokens < 1) return TOO_MANY
    tokens -= 1
    return null
  }
}

/** More requests in a second suspend the client, as TronGrid does; a request meanwhile begins the suspension anew. */
export function suspending(perSecond: number, forMs: number): Limiter {
  let servedMs: number[] = []
  let untilMs = Number.NEGATIVE_INFINITY
  const words = `The key exceeds the frequency limit(${perSecond}), and the query server is suspended for ${forMs / 1000}s`
  return (nowMs) => {
    servedMs = servedMs.filter((atMs) => nowMs - atMs < 1000)
    if (nowMs >= untilMs && servedMs.length < perSecond) {
      servedMs.push(nowMs)
      return null
    }
    untilMs = nowMs + forMs
    return { status: 403, body: JSON.stringify({ Success: false, Error: words, StatusCode: 403 }) }
  }
}

/** Nothing is limited before a time. */
export function from(beginMs: number, limiter: Limiter): Limiter {
  return (nowMs) => (nowMs < beginMs ? null : limiter(nowMs))
}

/** A server in front of a node, as far away as a hosted one, that limits the rate of requests. */
export class LimitedNode {
  /** Requests that wait for virtual time to pass. */
  held = 0
  served = 0
  refused = 0
  limiter: Limiter = () => null

  private constructor(
    private readonly target: string,
    private readonly time: VirtualTime,
    private readonly roundTripMs: number,
    private readonly server: LoopbackServer,
  ) {
    server.answer = (request, response) => this.answer(request, response)
  }

  static async open(target: string, time: VirtualTime, roundTripMs: number): Promise<LimitedNode> {
    return new LimitedNode(target, time, roundTripMs, await LoopbackServer.open())
  }

  get url(): string {
    return this.server.url
  }

  close(): Promise<void> {
    return this.server.close()
  }

  private async answer(request: LoopbackRequest, response: ServerResponse): Promise<void> {
    await this.travel()
    const refusal = this.limiter(this.time.now())
    const headers = { 'content-type': 'application/json' }
    if (refusal !== null) {
      this.refused += 1
      await this.travel()
      response.writeHead(refusal.status, { ...headers, ...refusal.headers }).end(refusal.body)
      return
    }
    this.served += 1
    const { status, body } = await passOn(this.target, request)
    await this.travel()
    response.writeHead(status, headers).end(body)
  }

  private async travel(): Promise<void> {
    this.held += 1
    await new Promise<void>((resolve) => this.time.after(this.roundTripMs / 2, resolve))
    this.held -= 1
  }
}
