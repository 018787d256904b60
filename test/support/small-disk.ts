import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary-directory.js'

/** A file system of its own, so small that a test can fill it. */
export interface SmallDisk {
  readonly path: string
  /** Takes all space but so many bytes. */
  fill(leftBytes: number): void
  /** Gives the space back. */
  free(): void
  remove(): void
}

/** Null where this user may not mount one. */
export function smallDisk(bytes: number): SmallDisk | null {
  const place = temporaryDirectory()
  const path = join(place.path, 'mounted')
  mkdirSync(path)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'billhook-test', path]).status !== 0) {
    place.remove()
    return null
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill: (leftBytes) => {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(filler, Buffer.alloc(bavail * bsize - leftBytes))
    },
    free: () => rmSync(filler),
    remove: () => {
      execFileSync('umount', [path])
      place.remove()
    },
  }
}
