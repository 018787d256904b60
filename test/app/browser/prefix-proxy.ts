import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that has a service below a path of its own, and takes the path away on the way to it. */
export class PrefixProxy {
  /** The address of the service. Until it is set, nothing is passed on. */
  target = ''
  /** Paths that somebody asked for outside the prefix. A browser asks for the icon of a site by itself. */
  readonly strays: string[] = []
  private readonly server = createServer((incoming, response) => {
    const path = incoming.url ?? ''
    if (!path.startsWith(`${this.prefix}/`)) {
      if (path !== '/favicon.ico') this.strays.push(path)
      response.writeHead(404).end()
      return
    }
    const { hostname, port } = new URL(this.target)
    const { method, headers } = incoming
    const outgoing = request({ hostname, port, method, headers, path: path.slice(this.prefix.length) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    // The other side may hang up at any time.
    response.on('error', () => {}).on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })

  private constructor(private readonly prefix: string) {}

  static async open(prefix: string): Promise<PrefixProxy> {
    const proxy = new PrefixProxy(prefix)
    proxy.server.listen(0, '127.0.0.1')
    await once(proxy.server, 'listening')
    return proxy
  }

  /** Where the service is to everybody, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.prefix}`
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }
}
