import { LoopbackServer } from '../../support/loopback-server.js'
import { forward } from './forward.js'

/** A proxy that has a service below a path of its own, and takes the path away on the way to it. */
export class PrefixProxy {
  /** The address of the service, which nobody asks for before it is set. */
  target = ''
  /** Paths that somebody asked for outside the prefix. A browser asks for the icon of a site by itself. */
  readonly strays: string[] = []

  private constructor(
    private readonly server: LoopbackServer,
    private readonly prefix: string,
  ) {
    server.answer = (request, response) => {
      const { path } = request
      if (path.startsWith(`${prefix}/`)) {
        forward(request, response, this.target, path.slice(prefix.length))
        return
      }
      if (path !== '/favicon.ico') this.strays.push(path)
      response.writeHead(404).end()
    }
  }

  static async open(prefix: string): Promise<PrefixProxy> {
    return new PrefixProxy(await LoopbackServer.open(), prefix)
  }

  /** Where the service is to everybody, without a slash at the end. */
  get url(): string {
    return `${this.server.url}${this.prefix}`
  }

  close(): Promise<void> {
    return this.server.close()
  }
}
