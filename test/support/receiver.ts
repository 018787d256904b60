import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** A request as it arrived, body complete. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Answers a request, now or later. */
export type AnswerScript = (request: ReceivedRequest, response: ServerResponse) => void

/** A scripted receiver of webhooks on loopback. */
export interface Receiver {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** All requests, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** Most requests that were open at once. */
  readonly peak: number
  /** Connections that were opened. */
  readonly connections: number
  /** Resolves when `count` requests have arrived since the receiver was opened. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** Opens a receiver that speaks HTTP; without a script it answers 200. */
export async function openReceiver(script: AnswerScript = (_request, response) => response.end()): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let open = 0
  let peak = 0
  let connections = 0
  const server = createServer((message, response) => {
    open += 1
    peak = Math.max(peak, open)
    response.on('close', () => {
      open -= 1
    })
    readAll(message).then(
      (body) => {
        const request = { method: message.method ?? '', path: message.url ?? '', headers: message.headers, body }
        requests.push(request)
        script(request, response)
        const done = waiting.filter(({ count }) => count <= requests.length)
        waiting = waiting.filter(({ count }) => count > requests.length)
        for (const { resolve } of done) resolve()
      },
      // The sender has gone away; the test asserts what the sender does then.
      () => {},
    )
  })
  server.on('connection', () => {
    connections += 1
  })
  const url = await listen(server)
  return {
    url,
    requests,
    get peak() {
      return peak
    },
    get connections() {
      return connections
    },
    received: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** A receiver below HTTP: the test uses the socket itself. */
export interface RawReceiver {
  readonly url: string
  readonly connections: number
  close(): Promise<void>
}

export async function openRawReceiver(onConnection: (socket: Socket) => void): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The sender may reset the connection; the tests check the sender's side.
    socket.on('error', () => {})
    onConnection(socket)
  })
  const url = await listen(server)
  return {
    url,
    get connections() {
      return connections
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
