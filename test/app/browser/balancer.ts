import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What any process answers. The ledger of a sandbox is inside one process, so everything about it goes to the first. */
const OF_ALL = /^\/api\/(?:users|invoices|orders)(?:\/|$)/

/** A proxy before several processes on one database, which asks them in turn. */
export class Balancer {
  /** Addresses of the processes. Until there is one, nothing is passed on. */
  readonly targets: string[] = []
  private turn = 0
  private readonly server = createServer((incoming, response) => {
    const { method, headers, url: path = '' } = incoming
    const { hostname, port } = new URL(this.targetOf(path))
    const outgoing = request({ hostname, port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    // The other side may hang up at any time.
    response.on('error', () => {}).on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })

  private constructor() {}

  static async open(): Promise<Balancer> {
    const balancer = new Balancer()
    balancer.server.listen(0, '127.0.0.1')
    await once(balancer.server, 'listening')
    return balancer
  }

  /** Where the service is to everybody, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  private targetOf(path: string): string {
    if (OF_ALL.test(path)) this.turn += 1
    const at = OF_ALL.test(path) ? this.turn % this.targets.length : 0
    return this.targets[at] ?? ''
  }
}
