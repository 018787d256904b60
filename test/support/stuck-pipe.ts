import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary-directory.js'

/** A pipe that is full. A write to it waits for ever, unless the writer has said that it does not wait. */
export interface StuckPipe {
  /** Descriptors for programs that write. */
  open(): number
  /** From now on nobody has it open for reading. */
  leave(): void
  remove(): void
}

/** Why there is none here, for `skip`; false where there is. */
export const noStuckPipe = process.platform === 'linux' ? false : 'only Linux opens pipes so'

const PAGE_BYTES = 4096

export function stuckPipe(): StuckPipe {
  const place = temporaryDirectory()
  const path = join(place.path, 'pipe')
  execFileSync('mkfifo', [path])
  let reader: number | null = openSync(path, constants.O_RDWR)
  const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const page = Buffer.alloc(PAGE_BYTES, '\n')
  const fill = () => {
    for (;;) writeSync(filler, page)
  }
  assert.throws(fill, { code: 'EAGAIN' })
  closeSync(filler)
  const leave = () => {
    if (reader !== null) closeSync(reader)
    reader = null
  }
  return {
    open: () => openSync(path, constants.O_WRONLY),
    leave,
    remove: () => {
      leave()
      place.remove()
    },
  }
}
