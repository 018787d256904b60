import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NewFile } from '../../../base/new-file.js'
import type { Clock } from '../../../clock.js'
import { StartError } from '../../../start-error.js'
import type { BackupMade, BackupRequest } from '../../upkeep.js'
import { DATA_FILE, flawOfPages, type Metas, readMetas } from '../file/data-file.js'
import { aboutBytes, type Companion, endBytes } from './backup-file.js'

/** Bytes copied at once. */
const PIECE_BYTES = 1024 * 1024
/** Bytes that wait for the disk at most, so that commits do not wait for all of a backup. */
const UNSYNCED_BYTES_MAX = 8 * PIECE_BYTES
/** After each piece the copy rests so many times as long as the piece took, and others have the machine. */
const REST_FACTOR = 1
/** A commit writes its meta page in much less. */
const META_SETTLED_MS = 2
const META_READINGS_MAX = 1000

/** The data that is copied. The caller holds it (`holdData`) from before until after the copy, so that no page of it is reused. */
export interface BackupSource {
  readonly directory: string
  readonly version: number
  /** Files beside the data file that belong to the data and only grow. */
  readonly companions: readonly string[]
  readonly clock: Clock
}

/**
 * Writes a backup to a new file. It has its name only when it is complete and on disk; otherwise nothing is left behind.
 */
export async function writeBackup(
  { directory, version, companions, clock }: BackupSource,
  { file, stop, onProgress }: BackupRequest,
): Promise<BackupMade> {
  const target = await NewFile.create(file)
  let source: FileHandle | null = null
  try {
    source = await open(join(directory, DATA_FILE), 'r')
    const metas = await settledMetas(source)
    const madeAt = clock.now()
    const { size } = await source.stat()
    const dataBytes = Math.min(size, metas.usedBytes)
    const copy = new Copy(target, dataBytes, stop, onProgress)
    await copy.add(metas.bytes)
    await copy.addFrom(source, metas.bytes.length, dataBytes)
    const kept: Companion[] = []
    // Behind the data: what they say the data may rest on.
    for (const name of companions) kept.push({ name, bytes: await copy.addFile(join(directory, name)) })
    const about = aboutBytes({ dataVersion: version, madeAt, dataBytes, companions: kept })
    await copy.add(about)
    await target.write(endBytes(about, copy.digest()))
    await assertReadable(target, directory, stop)
    await target.finish()
    return { bytes: target.bytes, madeAt }
  } catch (error) {
    await target.discard()
    throw error
  } finally {
    await source?.close()
  }
}

/**
 * Reads the meta pages until they are the same for a while: a commit may be writing one of them. The state that they name
 * is the pinned one or a later one.
 */
async function settledMetas(source: FileHandle): Promise<Metas> {
  let metas = readMetas(source.fd)
  for (let reading = 0; reading < META_READINGS_MAX; reading += 1) {
    await pause(META_SETTLED_MS)
    const again = readMetas(source.fd)
    if (again.bytes.equals(metas.bytes)) return metas
    metas = again
  }
  throw new Error('commits follow one another without a pause')
}

/** Throws `StartError` when a page is damaged: what cannot be restored is no backup. */
async function assertReadable(target: NewFile, directory: string, stop: AbortSignal): Promise<void> {
  const steps = flawOfPages(target.descriptor)
  for (;;) {
    stop.throwIfAborted()
    const startedAt = performance.now()
    const step = steps.next()
    if (step.done !== true) await pause((performance.now() - startedAt) * REST_FACTOR)
    else if (step.value === null) return
    else throw new StartError(`the data directory ${directory} holds a damaged database: ${step.value}`)
  }
}

/** What has been copied so far. */
class Copy {
  private readonly hash: Hash = createHash('sha256')
  private readonly piece = Buffer.alloc(PIECE_BYTES)
  private unsynced = 0

  constructor(
    private readonly target: NewFile,
    private readonly totalBytes: number,
    private readonly stop: AbortSignal,
    private readonly onProgress: BackupRequest['onProgress'],
  ) {}

  async add(bytes: Buffer): Promise<void> {
    this.stop.throwIfAborted()
    this.hash.update(bytes)
    await this.target.write(bytes)
    this.unsynced += bytes.length
    if (this.unsynced >= UNSYNCED_BYTES_MAX) {
      await this.target.sync()
      this.unsynced = 0
    }
    this.onProgress(Math.min(this.target.bytes, this.totalBytes), this.totalBytes)
  }

  async addFrom(source: FileHandle, from: number, to: number): Promise<void> {
    for (let position = from; position < to; ) {
      const startedAt = performance.now()
      const wanted = Math.min(PIECE_BYTES, to - position)
      const { bytesRead } = await source.read(this.piece, 0, wanted, position)
      if (bytesRead === 0) throw new Error('the data file became shorter while it was copied')
      await this.add(this.piece.subarray(0, bytesRead))
      position += bytesRead
      await pause((performance.now() - startedAt) * REST_FACTOR)
    }
  }

  /** Copies a file that only grows, as it is now. */
  async addFile(path: string): Promise<number> {
    const source = await open(path, 'r')
    try {
      const { size } = await source.stat()
      await this.addFrom(source, 0, size)
      return size
    } finally {
      await source.close()
    }
  }

  digest(): Buffer {
    return this.hash.digest()
  }
}
