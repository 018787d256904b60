import { fstatSync, openSync } from 'node:fs'

const STDOUT = 1
const STDERR = 2
const NOWHERE = '/dev/null'

/** The C library, through koffi. Rejects where koffi is not installed. */
export async function systemLibrary() {
  if (process.platform !== 'linux') throw new Error('only Linux has these system calls')
  const { default: koffi } = await import('koffi')
  const system = koffi.load(null)
  leaveNothingToFlush(system.func('int dup2(int from, int to)'))
  return { koffi, system }
}

let isAtExit = false

/**
 * When the process ends, koffi flushes standard output and standard error to the disk. Where the disk refuses, it waits for
 * itself for ever; where it hangs, it waits for the disk. So neither is a file any more by then.
 */
function leaveNothingToFlush(dup2: (from: number, to: number) => number): void {
  if (isAtExit) return
  isAtExit = true
  // Opened now: at the end there may be no free descriptor.
  const nowhere = openSync(NOWHERE, 'r+')
  process.on('exit', () => {
    for (const fd of [STDOUT, STDERR]) {
      if (fstatSync(fd).isFile()) dup2(nowhere, fd)
    }
  })
}
