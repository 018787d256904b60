import { constants, fstatSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

const STDERR = 2

/**
 * A descriptor of what standard output or standard error is, to which no write waits for a reader. A thread that waits in a
 * write would hold up the end of the process for ever. Pipes and terminals are opened once more for it, because whether writes
 * wait is otherwise a property that this process shares with others.
 */
export function unblocked(fd: 1 | 2): number {
  try {
    if (isatty(fd) || fstatSync(fd).isFIFO()) {
      return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    }
  } catch {
    // It belongs to another user, nobody has it open for reading, or the system has no such path.
  }
  // Node makes pipes and sockets non-blocking for streams of its own. A file needs nothing.
  void (fd === STDERR ? process.stderr : process.stdout)
  return fd
}
