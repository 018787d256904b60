import { createNodeServer } from './node.js'
import type { CreateServer } from './server.js'

export interface ChosenServer {
  readonly name: 'uws' | 'node'
  /** One line for the log: why this one. */
  readonly reason: string
  readonly create: CreateServer
}

/**
 * Chooses the engine of the HTTP front. uWebSockets.js ships binaries for some versions of Node only and throws when
 * imported elsewhere: `auto` then falls back to `node:http`, while asking for `uws` by name throws.
 */
export async function chooseServer(
  wanted: 'auto' | 'uws' | 'node',
  load: () => Promise<{ readonly createUwsServer: CreateServer }> = () => import('./uws.js'),
): Promise<ChosenServer> {
  if (wanted === 'node') return { name: 'node', reason: 'chosen by setting', create: createNodeServer }
  try {
    const { createUwsServer } = await load()
    const reason = wanted === 'uws' ? 'chosen by setting' : 'uWebSockets.js is available'
    return { name: 'uws', reason, create: createUwsServer }
  } catch (cause) {
    const problem = `uWebSockets.js has no binary for Node ${process.version} on ${process.platform} ${process.arch}`
    if (wanted === 'uws') throw new Error(problem, { cause })
    return { name: 'node', reason: problem, create: createNodeServer }
  }
}
