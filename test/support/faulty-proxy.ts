import type { ServerResponse } from 'node:http'
import { LoopbackServer } from './loopback-server.js'

/** A call as it came in. */
export interface ProxiedCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

export interface ProxiedError {
  readonly code: number
  readonly message: string
}

/** The result of a call: the node's, or what the fault makes of it. */
export type ProxiedEnd = { readonly result: unknown } | { readonly error: ProxiedError }

/** Asks the node behind the proxy. */
export type Forward = (method: string, params: readonly unknown[]) => Promise<unknown>

/** How the proxy deviates from the node behind it. */
export interface Fault {
  /** Only requests with one of these methods are affected; all when absent. */
  readonly methods?: readonly string[]
  /** Answers in place of the node; returns false to leave this request alone. `text` is the node's answer. */
  readonly answer?: (response: ServerResponse, text: string, calls: readonly ProxiedCall[]) => boolean
  /** Changes the result of each call. */
  readonly alter?: (call: ProxiedCall, end: ProxiedEnd, forward: Forward) => ProxiedEnd | Promise<ProxiedEnd>
}

/** A proxy in front of an Ethereum node, with the faults of nodes, balancers and networks. */
export class FaultyProxy {
  /** Without a fault the proxy passes the node's answers on. */
  fault: Fault = {}
  /** Requests that came in. */
  requests = 0
  /** Calls that came in, by method. */
  readonly calls = new Map<string, number>()

  private constructor(
    private readonly nodeUrl: string,
    private readonly server: LoopbackServer,
  ) {
    server.answer = ({ body }, response) => this.serve(body, response)
  }

  static async start(nodeUrl: string): Promise<FaultyProxy> {
    return new FaultyProxy(nodeUrl, await LoopbackServer.open())
  }

  get url(): string {
    return this.server.url
  }

  close(): Promise<void> {
    return this.server.close()
  }

  private async serve(body: string, response: ServerResponse): Promise<void> {
    this.requests += 1
    const request = JSON.parse(body) as ProxiedCall | readonly ProxiedCall[]
    const calls = [request].flat() as readonly ProxiedCall[]
    for (const { method } of calls) this.calls.set(method, (this.calls.get(method) ?? 0) + 1)
    const { methods, answer, alter } = this.fault
    const isConcerned = methods === undefined || calls.some(({ method }) => methods.includes(method))
    const told = await this.ask(calls)
    const ends = await Promise.all(
      told.map((end, i) =>
        isConcerned && alter !== undefined ? alter(calls[i] as ProxiedCall, end, this.forward) : end,
      ),
    )
    const answers = calls.map(({ id }, i) => ({ ...ends[i], id }))
    const text = JSON.stringify(Array.isArray(request) ? answers : answers[0])
    if (isConcerned && answer?.(response, text, calls) === true) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }

  private readonly forward: Forward = async (method, params) => {
    const [end] = await this.ask([{ id: 0, method, params }])
    if (end === undefined || 'error' in end) throw new Error(end?.error.message)
    return end.result
  }

  /** The node's results, in the order of the calls. */
  private async ask(calls: readonly ProxiedCall[]): Promise<readonly ProxiedEnd[]> {
    const response = await fetch(this.nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls.map((call, id) => ({ ...call, jsonrpc: '2.0', id }))),
    })
    const answers = (await response.json()) as readonly (ProxiedEnd & { id: number })[]
    if (!answers.every(({ id }, i) => id === i)) throw new Error('the node answers in another order')
    return answers
  }
}
