import { hostname, userInfo } from 'node:os'
import type { Environment } from '../config.js'
import type { Operator } from '../domain/audit.js'

/** Where programs that change the user leave the name of the one who called them. */
const CALLERS = ['SUDO_USER', 'DOAS_USER'] as const

/** Who runs a command, as the operating system and `sudo` say. */
export function commandLineOperator(environment: Environment): Operator {
  const uid = process.getuid?.()
  const known = [uid === undefined ? null : `uid ${uid}`, ...CALLERS.map((name) => callerText(environment[name]))]
  const about = known.filter((text) => text !== null).join(', ')
  return { who: `${nameOfUser()}${about === '' ? '' : ` (${about})`}`, from: `command line on ${hostname()}` }
}

function callerText(caller: string | undefined): string | null {
  return caller === undefined || caller === '' ? null : `called by ${caller}`
}

/** A user of a container need not have a name. */
function nameOfUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'a user without a name'
  }
}
