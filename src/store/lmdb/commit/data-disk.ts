import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_FILE } from '../file/data-file.js'

const MIB = 1024 ** 2

/** What a commit must find free. It is more than a full batch writes, in new pages and in copies of old ones. */
export const RESERVED_BYTES = 16 * MIB

/** Whether the disk would keep a commit. Made when the database is open. */
export class DataDisk {
  private readonly file: string
  private readonly opened: string | null

  constructor(private readonly directory: string) {
    this.file = join(directory, DATA_FILE)
    this.opened = identityOf(this.file)
  }

  /** Why no commit may begin; null when one may. */
  obstacle(): Error | null {
    const { blocks, bavail, bsize } = statfsSync(this.directory)
    // File systems without a size of their own tell none.
    if (blocks > 0 && bavail * bsize < RESERVED_BYTES) {
      return new Error(`fewer than ${RESERVED_BYTES / MIB} MiB are free in ${this.directory}`)
    }
    // What is written to a file that no name leads to is lost when the process ends.
    if (identityOf(this.file) === this.opened) return null
    return new Error(`${this.file} is no longer the open database: it was removed, replaced, or mounted over`)
  }
}

/** Names a file as long as it exists; null where there is none. */
function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev} ${found.ino}`
}
