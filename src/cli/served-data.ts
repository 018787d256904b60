import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { Settings } from '../config.js'
import { OperatorError } from '../operator-error.js'
import { adminSocketPath } from '../service/admin-socket.js'

/** Why nothing answers at the socket: no service runs here, or one was killed and left its socket behind. */
const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR']

interface DataOf {
  readonly settings: Pick<Settings, 'store' | 'dataDirectory'>
}

/** The data directory, unless a service answers for it or the data are in a database. */
export const unservedData = async ({ settings: { store, dataDirectory } }: DataOf): Promise<string | null> =>
  store === 'lmdb' && !(await isServed(dataDirectory)) ? `the data directory ${dataDirectory}` : null

/** Whether a process serves the data directory. */
export async function isServed(dataDirectory: string): Promise<boolean> {
  if (!existsSync(dataDirectory)) return false
  const { path, release } = adminSocketPath(dataDirectory)
  try {
    return await answers(path)
  } finally {
    release()
  }
}

/** Whether a process answers at the socket. Throws `OperatorError` when this user may not open it. */
export async function answers(socketPath: string): Promise<boolean> {
  const probe = request({ socketPath, agent: false, method: 'HEAD', path: '/admin/status' })
  try {
    const answered = once(probe.end(), 'response')
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    return true
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (NOBODY_LISTENS.includes(code)) return false
    throw new OperatorError(`${socketPath} cannot be opened: ${message}`)
  }
}
