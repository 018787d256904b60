import { type FileHandle, open, stat } from 'node:fs/promises'
import { readFailure } from '../base/read-failure.js'
import { RATE_SET_BYTES_MAX, type ReadSet } from '../domain/rate-set.js'
import { gaveNothing, type RateSource, rateSetIn } from './rate-source.js'

/** A file of rates, which its writer replaces by renaming another one. */
export class RateFile implements RateSource {
  readonly origin = 'file'
  /** What tells one state of the file from another; null before the first reading, and while there is none. */
  private seen: string | null = null

  constructor(private readonly path: string) {}

  async hasChanged(): Promise<boolean> {
    return (await this.state()) !== this.seen
  }

  async read(): Promise<ReadSet> {
    // Before the contents: a change while they are read is seen the next time.
    this.seen = await this.state()
    let file: FileHandle | undefined
    try {
      // A pipe has no end, and opening one waits for its writer.
      if (!(await stat(this.path)).isFile()) return gaveNothing('unreachable', 'it is not a file')
      file = await open(this.path, 'r')
      return rateSetIn(await readStart(file, RATE_SET_BYTES_MAX + 1))
    } catch (error) {
      return gaveNothing('unreachable', readFailure(error))
    } finally {
      await file?.close()
    }
  }

  private async state(): Promise<string | null> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true })
      return [dev, ino, size, mtimeNs, ctimeNs].join()
    } catch {
      return null
    }
  }
}

async function readStart(file: FileHandle, lengthMax: number): Promise<Buffer> {
  const bytes = Buffer.alloc(lengthMax)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, lengthMax - length, null)
    length += bytesRead
    if (bytesRead === 0 || length === lengthMax) return bytes.subarray(0, length)
  }
}
