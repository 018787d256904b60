import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingPrograms } from './programs.js'
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

/** Why there is none here, for `skip`; false where there is. */
export const noSmallDisk: string | false = missingPrograms('mount', 'umount') || whyNotMounted()

export function smallDisk(bytes: number): SmallDisk {
  const place = temporaryDirectory()
  const path = join(place.path, 'mounted')
  mkdirSync(path)
  const { status, stderr } = mount(path, bytes)
  if (status !== 0) {
    place.remove()
    throw new Error(`no small disk can be mounted: ${stderr}`)
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

function mount(path: string, bytes: number): { readonly status: number | null; readonly stderr: string } {
  const options = `size=${bytes},mode=700`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'billhook-test', path], { encoding: 'utf8' })
}

function whyNotMounted(): string | false {
  const place = temporaryDirectory()
  const { status } = mount(place.path, 1 << 20)
  if (status === 0) execFileSync('umount', [place.path])
  place.remove()
  return status === 0 ? false : 'mounting a tmpfs is not permitted'
}
