import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'node:util'
import type { LineStream } from '../base/line-stream.js'
import { openOwned } from '../base/owned-file.js'
import { flushLog, type Logger } from '../log.js'
import { LogThrottle } from '../log-throttle.js'
import type { Scheduler } from '../scheduler.js'
import { systemLibrary } from './system-calls.js'

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
  readonly stream: LineStream
  readonly scheduler: Scheduler
}

/**
 * Keeps every line on standard error JSON. The database's native code prints there when the disk refuses a write, and
 * libraries do through the console. From now on both go into the log. Native code writes into a file in place of
 * standard error, which is read once a second. What a dying process wrote there is logged at the next start. Without
 * koffi only the console goes into the log.
 */
export async function divertNativeErrors({ directory, log, stream, scheduler }: NativeErrorsOptions): Promise<void> {
  const throttle = new LogThrottle(LIBRARY_PAUSE_MS)
  for (const method of ['error', 'warn', 'log', 'info'] as const) {
    console[method] = (...values: unknown[]) => {
      const withheld = throttle.next()
      if (withheld !== null) log.warn({ text: shortened(format(...values)), withheld }, 'a library says')
    }
  }
  const descriptors = await systemDescriptors()
  if (descriptors === null) return
  const file = new ErrorsFile(join(directory, NATIVE_ERRORS_FILE), log)
  try {
    if (stream.descriptor === STDERR) {
      const logFd = descriptors.dup(STDERR)
      if (logFd < 0) throw new Error('no descriptor is free')
      await stream.moveTo(logFd)
    }
    const fileFd = openOwned(file.path)
    await file.take((text) => log.error({ text }, 'the last run ended with this on standard error'))
    descriptors.dup2(fileFd, STDERR)
    closeSync(fileFd)
  } catch (error) {
    log.warn({ err: error }, 'native code keeps writing to standard error, where its lines are not JSON')
    return
  }

  const read = async () => {
    try {
      await file.take((text) => log.warn({ text }, 'native code says'))
    } catch (error) {
      // The disk is broken, which others say.
      log.debug({ err: error }, 'what native code says cannot be read')
    }
    scheduler.after(READ_PAUSE_MS, read)
  }
  scheduler.after(READ_PAUSE_MS, read)
}

/** The file that native code writes to. */
class ErrorsFile {
  /** What was told but could not be removed from the file. */
  private toldBytes = 0

  constructor(
    readonly path: string,
    private readonly log: Logger,
  ) {}

  /**
   * Tells what the file says, if anything, and empties it when that is written to the log. If the process dies in between, it is
   * told again. Text written meanwhile is lost; it is one more line about the same trouble.
   */
  async take(tell: (text: string) => void): Promise<void> {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
    if (size === this.toldBytes) return
    tell(shortened(textAt(this.path, size < this.toldBytes ? 0 : this.toldBytes, size)))
    this.toldBytes = size
    if (!(await flushLog(this.log))) return
    truncateSync(this.path)
    this.toldBytes = 0
  }
}

/** As much of the text from `start` to `end` as is told. */
function textAt(path: string, start: number, end: number): string {
  const bytes = Buffer.alloc(Math.min(end - start, TEXT_LIMIT_BYTES))
  const fd = openSync(path, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, start))
  } finally {
    closeSync(fd)
  }
}

function shortened(text: string): string {
  return text.length > TEXT_LIMIT_CHARACTERS ? `${text.slice(0, TEXT_LIMIT_CHARACTERS)}…` : text.trimEnd()
}

/** Null where the package is not installed or does not load. */
async function systemDescriptors(): Promise<Descriptors | null> {
  try {
    const { system } = await systemLibrary()
    return { dup: system.func('int dup(int fd)'), dup2: system.func('int dup2(int from, int to)') }
  } catch {
    return null
  }
}
