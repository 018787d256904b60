import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the last port that `fetch` refuses as a bad one (10080, https://fetch.spec.whatwg.org/#port-blocking), and below
 * the ports that systems give to connections, and to servers that ask for any: one of these may be taken at any time.
 */
const FIRST = 10_081
/** Test files run in processes beside each other, which have other numbers: each draws from ports of its own. */
const PORTS_OF_PROCESS = 500
const PROCESSES = 43
const TRIES = 100

const given = new Set<number>()

/** A port of the loopback address that nobody listens at, and that is free still when the caller listens, but for bad luck. */
export async function freePort(): Promise<number> {
  const first = FIRST + (process.pid % PROCESSES) * PORTS_OF_PROCESS
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(first, first + PORTS_OF_PROCESS)
    if (given.has(port)) continue
    // Before anything is waited for: of two that ask at once, one may have tried the port while the other has not noted it yet.
    given.add(port)
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
