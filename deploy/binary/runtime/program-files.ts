/** Replaces `src/program-files.ts` in the single binary: the files are assets of the executable. */

import { getRawAsset } from 'node:sea'

export function readProgramFile(path: string): Buffer {
  return Buffer.from(getRawAsset(path) as ArrayBuffer)
}

export function uwsBinaries(): null {
  return null
}
