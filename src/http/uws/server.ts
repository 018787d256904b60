// First: the engine reads its environment when it is loaded.
import './binary.js'
import * as uWS from 'uWebSockets.js'
import type { Certificate } from '../certificate.js'
import { Front } from '../front.js'
import type { Resolve, ServerSettings } from '../server.js'
import { connectionsTo, UwsConnectionShare } from './connection-share.js'
import { peerOf, UwsExchange } from './exchange.js'
import { TlsApps } from './tls-apps.js'

/** Exports of the engine that its typings omit. */
const { _cfg: configure, LIBUS_LISTEN_EXCLUSIVE_PORT: EXCLUSIVE_PORT } = uWS as unknown as {
  readonly _cfg: (setting: string) => void
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number
}

/** A form of `listen` that its typings omit. */
type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: uWS.us_listen_socket | false) => void,
) => void

// Answers do not name the engine. The switch applies to every server of the thread.
configure('silent')

/**
 * The HTTP front on uWebSockets.js. The engine does the following by itself, before any of our code runs:
 *
 * - It answers HTTP/1.0, request targets that do not begin with a slash (absolute-form, `*`, CONNECT's) and broken
 *   versions with its own 505, a head beyond `HEAD_LIMIT_BYTES` or 100 headers with its own 431, and a Content-Length
 *   that is no number, or one beside Transfer-Encoding, with its own 400: a line of HTML, and the connection closes. A
 *   reverse proxy must therefore use HTTP/1.1 (nginx: `proxy_http_version 1.1`). A request line whose end arrives in a
 *   later packet than its target is a broken version too; clients that write their head at once do not send that.
 * - A head that is not HTTP at all, has no Host, or does not arrive gets no answer; the connection closes after 10 s.
 * - It ignores headers after one without a name, and skips a PROXY protocol preamble (test/proxies/direct.test.ts).
 * - After 10 s (± 4) it closes silent connections, clients that read nothing of an answer, and clients that send less
 *   than 160 KiB of a body in that time: it ignores `idleTimeoutMs`, and a `requestTimeoutMs` above that.
 * - A client that pipelines a request while an answer is still being computed is disconnected, and so is one that
 *   closes its sending half before it has the answer. Answers given synchronously may be pipelined.
 * - With TLS it closes a connection whose handshake has not ended after 10 s (± 4), and one that sends anything but TLS.
 * - `100 Continue` is sent before the length of a body is looked at.
 */
export class UwsServer extends Front {
  /** Listens, and serves unless `tls` does. */
  private readonly app: uWS.TemplatedApp
  private readonly tls: TlsApps | undefined
  private socket: uWS.us_listen_socket | undefined
  private port = 0
  private connections = 0
  private closed = false

  constructor(resolve: Resolve, settings: ServerSettings, onError: (error: unknown) => void) {
    super(resolve, settings, onError)
    const filter = this.connectionFilter()
    const prepare = (app: uWS.TemplatedApp) => {
      this.routeEveryMethod(app)
      app.filter(filter)
    }
    if (settings.certificate === undefined) {
      this.app = uWS.App()
      prepare(this.app)
    } else {
      this.tls = new TlsApps(prepare)
      this.app = this.tls.listener
      this.renewCertificate()
    }
  }

  listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { host, port } = this.settings
    const listen = this.app.listen.bind(this.app) as unknown as Listen
    return new Promise((resolve, reject) => {
      // Without the option two services with a database each could share the port, and each would get some requests.
      listen(host, port, EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          reject(new Error(`the address ${host}, port ${port}, is in use, unknown or not permitted`))
          return
        }
        this.socket = socket
        this.port = uWS.us_socket_local_port(socket)
        resolve({ host, port: this.port })
      })
    })
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.draining = true
    this.socket = undefined
    // Also closes the listening socket.
    this.app.close()
    this.tls?.close()
  }

  protected use(certificate: Certificate): void {
    this.tls?.use(certificate.files)
  }

  protected stopListening(): undefined {
    if (this.socket !== undefined) uWS.us_listen_socket_close(this.socket)
    this.socket = undefined
  }

  /** One handler per method, so that the hot path need not ask for the method. The engine's `any` takes the rest. */
  private routeEveryMethod(app: uWS.TemplatedApp): void {
    for (const name of ['get', 'post', 'put', 'del', 'head', 'options', 'patch', 'trace', 'connect'] as const) {
      const method = name === 'del' ? 'DELETE' : name.toUpperCase()
      app[name]('/*', (res, req) => new UwsExchange(method, res, req, this).begin())
    }
    // The engine does not keep the case here, but `get`, which is not GET (RFC 9110, 9.1), does not become GET.
    app.any('/*', (res, req) => new UwsExchange(req.getMethod(), res, req, this).begin())
  }

  /** The engine's `filter` reports connections: opened (1) and closed (-1). A refused one is reported as both. */
  private connectionFilter(): (res: uWS.HttpResponse, change: number) => void {
    const { connectionLimit, share, onRefusedConnection } = this.settings
    const shares =
      share === undefined ? undefined : new UwsConnectionShare(share, () => connectionsTo(this.port), this.onError)
    return (res, change) => {
      this.connections += change
      if (change < 0) return
      if (this.closed) {
        // `TlsApps` hands connections over a moment after they were accepted.
        res.close()
      } else if (this.connections > connectionLimit) {
        res.close()
        onRefusedConnection?.('limit')
      } else if (shares?.opened(peerOf(res), this.connections) === false) {
        res.close()
        onRefusedConnection?.('share')
      }
    }
  }
}
