import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The network between a browser and the service: it passes bytes on, until a part of it falls silent. */
export class Road {
  /** What browsers have sent. */
  sent = ''
  private readonly open = new Set<Socket>()
  private readonly silent = new Set<Socket>()

  private constructor(private readonly server: Server) {}

  static async start(servicePort: number): Promise<Road> {
    const server = createServer()
    const road = new Road(server)
    server.on('connection', (client) => road.join(client, connect(servicePort, '127.0.0.1')))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return road
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** From now on nothing passes on the connections that exist, and nobody is told. New ones work. */
  silence(): void {
    for (const socket of this.open) this.silent.add(socket)
  }

  close(): void {
    this.server.close()
    for (const socket of this.open) socket.destroy()
  }

  private join(client: Socket, service: Socket): void {
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      this.open.add(from)
      from.on('data', (bytes) => {
        if (this.silent.has(from)) return
        if (from === client) this.sent += bytes.toString('latin1')
        to.write(bytes)
      })
      from.on('error', () => from.destroy())
      from.on('close', () => {
        this.open.delete(from)
        if (!this.silent.has(from)) to.destroy()
      })
    }
  }
}
