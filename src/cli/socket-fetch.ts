import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'

/** A `fetch` whose requests all go to a Unix socket. The host in their address means nothing, and only a text can be their body. */
export function socketFetch(socketPath: string, headers: Readonly<Record<string, string>>): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const { method = 'GET', body, signal } = init
    const sent = request({
      socketPath,
      // A connection for each request: the socket takes few, and a command that waits must not hold one meanwhile.
      agent: false,
      method,
      path: pathname + search,
      headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      ...(signal ? { signal } : {}),
    })
    sent.end(typeof body === 'string' ? body : undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { statusCode = 0, rawHeaders } = response
    const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
    return new Response(Readable.toWeb(response) as ReadableStream, {
      status: statusCode,
      headers: pairs,
    })
  }
}
