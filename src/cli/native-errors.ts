import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'node:util'
import { flushLog, type Logger, type LogStream } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import { Seldom } from '../seldom.js'

const STDERR = 2
/** The file in the data directory that collects what native code writes to standard error. */
const NATIVE_ERRORS_FILE = 'native-errors.log'
/** Pause between two reads of the file. */
const READ_PAUSE_MS = 1000
/** Shortest time between two lines of libraries: the database's says each write that a full disk refuses. */
const LIBRARY_PAUSE_MS = 1000
/** Characters of such a text in one log line. */
const TEXT_LIMIT_CHARACTERS = 4000
/** Read of the file at once: no character is longer than 4 bytes. */
const TEXT_LIMIT_BYTES = 4 * (TEXT_LIMIT_CHARACTERS + 1)

/** The system calls that Node does not offer. */
interface Descriptors {
  dup(fd: number): number
  dup2(from: number, to: number): number
}

export interface NativeErrorsOptions {
  readonly directory: string
  readonly log: Logger
  /** The stream below the log, which is moved to another descriptor. */
  readonly stream: LogStream
  readonly scheduler: Scheduler
}

/**
 * Keeps every line on standard error JSON. The database's native code prints there when the disk refuses a write, and
 * libraries do through the console. From now on both go into the log. Native code writes into a file in place of
 * standard error, which is read once a second. What a dying process wrote there is logged at the next start. Without
 * koffi only the console goes into the log.
 */
export async function divertNativeErrors({ directory, log, stream, scheduler }: NativeErrorsOptions): Promise<void> {
  const seldom = new Seldom(LIBRARY_PAUSE_MS)
  for (const method of ['error', 'warn', 'log', 'info'] as const) {
    console[method] = (...values: unknown[]) => {
      const withheld = seldom.next()
      if (withheld !== null) log.warn({ text: shortened(format(...values)), withheld }, 'a library says')
    }
  }
  const descriptors = await systemDescriptors()
  if (descriptors === null) return
  const file = join(directory, NATIVE_ERRORS_FILE)
  const logFd = descriptors.dup(STDERR)
  if (logFd < 0) return
  stream.fd = logFd
  // A write in progress still goes to the descriptor that is replaced below.
  await flushLog(log)
  try {
    await takeText(file, (text) => log.error({ text }, 'the last run ended with this on standard error'), log)
    const fileFd = openSync(file, 'a', 0o600)
    descriptors.dup2(fileFd, STDERR)
    closeSync(fileFd)
  } catch (error) {
    log.warn({ err: error }, 'native code goes on to write to standard error, where its lines are not JSON')
    return
  }

  const read = async () => {
    await takeText(file, (text) => log.warn({ text }, 'native code says'), log)
    scheduler.after(READ_PAUSE_MS, read)
  }
  scheduler.after(READ_PAUSE_MS, read)
}

/**
 * Tells what the file says, if anything, and empties it when that is written to the log. If the process dies in between, it is
 * told again. Text written meanwhile is lost; it is one more line about the same trouble.
 */
async function takeText(file: string, tell: (text: string) => void, log: Logger): Promise<void> {
  const text = beginningOf(file)
  if (text === '') return
  tell(shortened(text))
  if (await flushLog(log)) truncateSync(file)
}

/** As much of the file as is told; empty if there is none. */
function beginningOf(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return ''
  const bytes = Buffer.alloc(Math.min(size, TEXT_LIMIT_BYTES))
  const fd = openSync(file, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(fd)
  }
}

function shortened(text: string): string {
  return text.length > TEXT_LIMIT_CHARACTERS ? `${text.slice(0, TEXT_LIMIT_CHARACTERS)}…` : text.trimEnd()
}

/** Null where the package is not installed or does not load. */
async function systemDescriptors(): Promise<Descriptors | null> {
  if (process.platform !== 'linux') return null
  try {
    const { default: koffi } = await import('koffi')
    const system = koffi.load(null)
    return { dup: system.func('int dup(int fd)'), dup2: system.func('int dup2(int from, int to)') }
  } catch {
    return null
  }
}
