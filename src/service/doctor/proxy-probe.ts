import { randomBytes } from 'node:crypto'
import type { ClientOf } from '../../http/guards/client-address.js'
import type { HeadGuard, RequestHead } from '../../http/server.js'

/** How a request of our own arrived. */
export interface Arrival {
  /** The address that the connection came from. */
  readonly peer: string
  readonly forwardedFor: string
  /** The client that limits count it for. */
  readonly client: string
}

/** Recognises a request that the service sends to itself through the proxy, to see how it arrives. */
export class ProxyProbe {
  private readonly awaited = new Map<string, (arrival: Arrival) => void>()

  constructor(private readonly clientOf: ClientOf) {}

  /** Looks at every request. It refuses none, and costs a comparison while nothing is awaited. */
  readonly guard: HeadGuard = (head) => {
    if (this.awaited.size > 0) this.arrived(head)
    return null
  }

  /** The id that the request must carry as `X-Request-Id`, and the promise of its arrival; `cancel` gives up. */
  expect(): { readonly requestId: string; readonly arrival: Promise<Arrival>; cancel(): void } {
    const requestId = `doctor-${randomBytes(16).toString('hex')}`
    const arrival = new Promise<Arrival>((resolve) => this.awaited.set(requestId, resolve))
    return { requestId, arrival, cancel: () => this.awaited.delete(requestId) }
  }

  private arrived(head: RequestHead): void {
    const resolve = this.awaited.get(head.requestId)
    if (resolve === undefined) return
    this.awaited.delete(head.requestId)
    resolve({
      peer: head.remoteAddress(),
      forwardedFor: head.header('x-forwarded-for') ?? '',
      client: this.clientOf(head).key,
    })
  }
}
