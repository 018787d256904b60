import { readFileSync } from 'node:fs'

/*
 * What lies beside the code on the disk. The build of the single binary replaces this module (`deploy/binary/runtime`),
 * because there everything is inside the executable.
 */

/** Reads a file that the build puts beside the code; `path` is relative to `src`. */
export function readProgramFile(path: string): Buffer {
  return readFileSync(new URL(path, import.meta.url))
}

/** The directory of the binaries of uWebSockets.js; null when the build has verified the only one. */
export function uwsBinaries(): URL | null {
  return new URL('./bin/', import.meta.resolve('uWebSockets.js'))
}
