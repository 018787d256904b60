import { statfsSync } from 'node:fs'

const MIB = 1024 ** 2

/** What a commit must find free. It is more than a full batch writes, in new pages and in copies of old ones. */
export const RESERVED_BYTES = 16 * MIB

/** Whether there is space for a commit. */
export class DiskSpace {
  constructor(private readonly directory: string) {}

  /** Why no commit may begin; null when one may. */
  obstacle(): Error | null {
    const { blocks, bavail, bsize } = statfsSync(this.directory)
    // File systems without a size of their own tell none.
    if (blocks === 0 || bavail * bsize >= RESERVED_BYTES) return null
    return new Error(`fewer than ${RESERVED_BYTES / MIB} MiB are free in ${this.directory}`)
  }
}
