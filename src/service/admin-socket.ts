import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'

/** The socket in the data directory through which commands reach the process that holds it. */
const ADMIN_SOCKET = 'admin.sock'

/** What the kernel takes as the path of a socket, less the zero at its end (`sun_path`, unix(7)). */
const PATH_LIMIT_BYTES = 107

/** A path that the kernel takes, however deep the directory is; `release` it when nobody uses the path any more. */
export interface SocketPath {
  readonly path: string
  release(): void
}

/** The path of the socket in a data directory; one that is too long goes through a descriptor of the directory. */
export function adminSocketPath(dataDirectory: string): SocketPath {
  const path = join(dataDirectory, ADMIN_SOCKET)
  if (Buffer.byteLength(path) <= PATH_LIMIT_BYTES) return { path, release: () => {} }
  const fd = openSync(dataDirectory, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${fd}/${ADMIN_SOCKET}`, release: () => closeSync(fd) }
}
