import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { writeFailure } from './write-failure.js'

const PRIVATE_MODE = 0o600
const RANDOM_BYTES = 4
/** What a file system answers that knows no links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Ends the names of files that are not complete. */
const PARTIAL_END = '.partial'

/** A file that gets its name when it is complete and on disk, and never replaces another. Only this user may read it. */
export class NewFile {
  private written = 0

  private constructor(
    private readonly path: string,
    private readonly partial: string,
    private readonly handle: FileHandle,
  ) {}

  /** Throws when there is a file of that name. */
  static async create(path: string): Promise<NewFile> {
    if (existsSync(path)) throw taken(path)
    const partial = `${path}.${randomBytes(RANDOM_BYTES).toString('hex')}${PARTIAL_END}`
    return new NewFile(path, partial, await writing(path, open(partial, 'wx+', PRIVATE_MODE)))
  }

  get bytes(): number {
    return this.written
  }

  /** For reading what was written. */
  get descriptor(): number {
    return this.handle.fd
  }

  async write(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await writing(this.path, this.handle.write(bytes, from))
      from += bytesWritten
    }
    this.written += bytes.length
  }

  async sync(): Promise<void> {
    await writing(this.path, this.handle.datasync())
  }

  /** Gives it its name. Throws when a file of that name has appeared meanwhile. */
  async finish(): Promise<void> {
    await writing(this.path, this.handle.sync())
    await this.handle.close()
    await writing(this.path, moveToNew(this.partial, this.path))
    await writing(this.path, syncDirectory(dirname(resolve(this.path))))
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => {})
    await rm(this.partial, { force: true })
  }
}

/** Says which file the system does not write, by the name that it was to get. */
async function writing<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    if ((error as NodeJS.ErrnoException).errno === undefined) throw error
    throw new Error(`${path} cannot be written: ${writeFailure(error)}`, { cause: error })
  }
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function moveToNew(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path)
    if (!NO_LINKS.includes(code) || existsSync(path)) throw error
    return await rename(partial, path)
  }
  await rm(partial)
}

function taken(path: string): Error {
  return new Error(`${path} is there already`)
}
