import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A node of the ledger on loopback for the time of a test; its base address. */
export async function serveNode(context: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers with the same thing to everybody. */
export function always(status: number, body: string, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
  }
}

/** What a node answers for what it does not have. */
export const MISSING = JSON.stringify({
  name: 'ActiveError',
  message: 'URL Request Failed : http://localhost:5259/activeledger/i1 - 404',
  stack: 'Error',
})

/** What a read API answers whose database is gone. */
export const NO_DATABASE = JSON.stringify({
  name: 'ActiveError',
  message: 'URL Request Failed : http://localhost:5259/activeledger/i1 - connect ECONNREFUSED 127.0.0.1:5259',
  stack: 'Error',
})
