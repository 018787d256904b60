import { request, type ServerResponse } from 'node:http'
import type { LoopbackRequest } from '../../support/loopback-server.js'

/** Has a service answer a request, below another path when that is given. */
export function forward(
  { method, headers, path: asked, body }: LoopbackRequest,
  response: ServerResponse,
  target: string,
  path = asked,
): void {
  const { hostname, port } = new URL(target)
  const outgoing = request({ hostname, port, method, headers, path }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  // The other side may hang up at any time.
  response.on('close', () => outgoing.destroy())
  outgoing.end(body)
}
