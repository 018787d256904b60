import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NewFile } from '../../../base/new-file.js'
import type { Clock } from '../../../clock.js'
import type { BackupMade, BackupRequest } from '../../upkeep.js'
import { DATA_FILE } from '../file/data-file.js'
import { aboutBytes, type Companion, endBytes } from './backup-file.js'
import { assertUndamaged, settledMetas } from './held-data.js'

/** Bytes copied at once. */
const PIECE_BYTES = 1024 * 1024
/** Bytes that wait for the disk at most, so that commits do not wait for all of a backup. */
const UNSYNCED_BYTES_MAX = 8 * PIECE_BYTES
/** After each piece the copy rests so many times as long as the piece took, and others have the machine. */
const REST_FACTOR = 1
/** Between pages that are read again, so that others have the machine. */
const REST_MS = 1

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
    const metas = await settledMetas(source.fd)
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
    stop.throwIfAborted()
    // In the cache of the system, where the copy has just been written to, no page is waited for. What cannot be restored is no backup.
    await assertUndamaged(target.descriptor, metas, directory, async () => {
      stop.throwIfAborted()
      await pause(REST_MS)
    })
    await target.finish()
    return { bytes: target.bytes, madeAt }
  } catch (error) {
    await target.discard()
    throw error
  } finally {
    await source?.close()
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
