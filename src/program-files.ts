import { readFileSync } from 'node:fs'

/*
 * What lies beside the code on the disk. No other module may ask where it lies itself, because the build moves modules into
 * bundles. The build of the single binary replaces this module (`deploy/binary/runtime`): there everything is inside the executable.
 */

/** The files of `swagger-ui-dist` that the reference page consists of, and its licence. The build compresses them (gzip). */
export const REFERENCE_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'] as const

export type ReferenceFile = (typeof REFERENCE_FILES)[number]

/** The files that the build puts beside the code, by their path below `src`. The single binary contains exactly these. */
export const PROGRAM_FILES = [
  'verify/key-tables.wasm',
  'verify/key-tables.sha256',
  'app/files.json',
  ...REFERENCE_FILES.map((name) => `reference/${name}.gz` as const),
] as const

export type ProgramFile = (typeof PROGRAM_FILES)[number]

/** The script of the verification threads. */
export const VERIFY_WORKER = new URL('verify/worker.js', import.meta.url)

export function readProgramFile(path: ProgramFile): Buffer {
  return readFileSync(new URL(path, import.meta.url))
}

/** The directory of the binaries of uWebSockets.js; null when the build has verified the only one. */
export function uwsBinaries(): URL | null {
  return new URL('./bin/', import.meta.resolve('uWebSockets.js'))
}
