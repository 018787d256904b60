import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the last port that `fetch` refuses as a bad one (10080, https://fetch.spec.whatwg.org/#port-blocking), and below
 * the ports that systems give to connections, and to servers that ask for any: one of these may be taken at any time.
 */
const FIRST = 10_081
const LAST = 32_000
const TRIES = 100

/** A port of the loopback address that nobody listens at, and that is free still when the caller listens, but for bad luck. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch {
      continue
    }
    await once(server.close(), 'close')
    return port
  }
  throw new Error(`none of ${TRIES} ports is free`)
}
