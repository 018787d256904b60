/** Replaces `src/program-files.ts` in the single binary: the files are assets of the executable. */

import { getRawAsset } from 'node:sea'
import { pathToFileURL } from 'node:url'
import type { ProgramFile } from '../../../src/program-files.js'

/** Piscina asks for a file; the executable has the script inside (`bundle.ts`). */
export const VERIFY_WORKER = pathToFileURL(process.execPath)

export function readProgramFile(path: ProgramFile): Buffer {
  return Buffer.from(getRawAsset(path) as ArrayBuffer)
}

export function uwsBinaries(): null {
  return null
}
