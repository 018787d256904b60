import { statSync } from 'node:fs'

/** Why a file or a directory could not be opened, in words: whose it is, where that is the reason. */
export function accessFailure(error: NodeJS.ErrnoException, path: string): string {
  const owner = ownerOf(path)
  const user = process.geteuid?.()
  const isDenied = error.code === 'EACCES' || error.code === 'EPERM'
  if (!isDenied || owner === undefined || owner === user) return error.message
  return `it belongs to user ${owner}, and this process runs as user ${user}: chown it (${error.code})`
}

/** Undefined where it is not there, or may not be looked at. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
