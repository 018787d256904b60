import { NodeServer } from './node/server.js'
import type { HttpServerClass } from './server.js'
import { ForeignBinary, verifyUwsBinary } from './uws/binary.js'

export interface ChosenServer {
  readonly name: 'uws' | 'node'
  /** Why this engine was chosen; one line for the log. */
  readonly reason: string
  /** True if an operator should look into the reason. */
  readonly isSuspicious?: boolean
  readonly Server: HttpServerClass
}

/**
 * Chooses the HTTP engine. uWebSockets.js has binaries for some versions of Node only and throws when imported
 * elsewhere. `auto` then falls back to `node:http`, while `uws` throws. The same holds for a binary that is not the
 * expected one.
 */
export async function chooseServer(
  wanted: 'auto' | 'uws' | 'node',
  load: () => Promise<{ readonly UwsServer: HttpServerClass }> = loadVerified,
): Promise<ChosenServer> {
  if (wanted === 'node') return { name: 'node', reason: 'chosen by setting', Server: NodeServer }
  try {
    const { UwsServer } = await load()
    const reason = wanted === 'uws' ? 'chosen by setting' : 'uWebSockets.js is available'
    return { name: 'uws', reason, Server: UwsServer }
  } catch (cause) {
    const isSuspicious = cause instanceof ForeignBinary
    const place = `Node ${process.version} on ${process.platform} ${process.arch}`
    const problem = isSuspicious ? cause : new Error(`uWebSockets.js has no binary for ${place}`, { cause })
    if (wanted === 'uws') throw problem
    return { name: 'node', reason: problem.message, isSuspicious, Server: NodeServer }
  }
}

async function loadVerified(): Promise<{ readonly UwsServer: HttpServerClass }> {
  verifyUwsBinary()
  return await import('./uws/server.js')
}
