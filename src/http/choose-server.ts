import { createNodeServer } from './node/server.js'
import type { CreateServer } from './server.js'
import { ForeignBinary, verifyUwsBinary } from './uws/binary.js'

export interface ChosenServer {
  readonly name: 'uws' | 'node'
  /** One line for the log: why this one. */
  readonly reason: string
  /** True when somebody should look into the reason. */
  readonly isSuspicious?: boolean
  readonly create: CreateServer
}

/**
 * Chooses the engine of the HTTP front. uWebSockets.js ships binaries for some versions of Node only and throws when
 * imported elsewhere: `auto` then falls back to `node:http`, while asking for `uws` by name throws. So it is when the binary
 * is not the one that is known.
 */
export async function chooseServer(
  wanted: 'auto' | 'uws' | 'node',
  load: () => Promise<{ readonly createUwsServer: CreateServer }> = loadVerified,
): Promise<ChosenServer> {
  if (wanted === 'node') return { name: 'node', reason: 'chosen by setting', create: createNodeServer }
  try {
    const { createUwsServer } = await load()
    const reason = wanted === 'uws' ? 'chosen by setting' : 'uWebSockets.js is available'
    return { name: 'uws', reason, create: createUwsServer }
  } catch (cause) {
    if (cause instanceof ForeignBinary) {
      if (wanted === 'uws') throw cause
      return { name: 'node', reason: cause.message, isSuspicious: true, create: createNodeServer }
    }
    const problem = `uWebSockets.js has no binary for Node ${process.version} on ${process.platform} ${process.arch}`
    if (wanted === 'uws') throw new Error(problem, { cause })
    return { name: 'node', reason: problem, create: createNodeServer }
  }
}

async function loadVerified(): Promise<{ readonly createUwsServer: CreateServer }> {
  verifyUwsBinary()
  return await import('./uws/server.js')
}
