import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { Upkeep } from '../store/upkeep.js'

/** Pause between two looks at whether a backup is due. A clock that is set, or a machine that slept, delays none by more. */
const LOOK_PAUSE_MS = 60_000
/** The first look comes when the service has started in peace. */
const FIRST_LOOK_MS = 10_000
/** Pause after a failure. */
const RETRY_PAUSE_MS = 600_000
const PRIVATE_MODE = 0o700

const NAME = /^billhook-\d{8}T\d{6}Z\.backup$/

export interface ScheduledBackupsOptions {
  readonly upkeep: Pick<Upkeep, 'backup' | 'madeAt'>
  /** Where they are kept. Nothing else writes files of such names there. */
  readonly directory: string
  readonly everyMs: number
  /** How many are kept. */
  readonly keep: number
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
  readonly onEnded?: (outcome: 'made' | 'failed') => void
}

interface Kept {
  readonly path: string
  /** Unix ms. */
  readonly madeAt: number
}

/** Makes a backup now and then, and removes its own old ones. What there is, it reads from the directory: a restart changes nothing. */
export class ScheduledBackups {
  private readonly startedAt: number
  private newestAt: number | null = null
  private retryAt = 0
  private cancel: Cancel | null = null
  private underWay: Promise<void> = Promise.resolve()
  private readonly stopping = new AbortController()

  constructor(private readonly options: ScheduledBackupsOptions) {
    this.startedAt = options.clock.now()
  }

  start(): void {
    this.newestAt = this.kept()[0]?.madeAt ?? null
    this.lookIn(FIRST_LOOK_MS)
  }

  /** Ends a backup that is being made. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.cancel?.()
    await this.underWay
  }

  get everyMs(): number {
    return this.options.everyMs
  }

  /** The age of the newest backup; without one, how long the service has waited for it. */
  get ageMs(): number {
    return Math.max(0, this.options.clock.now() - (this.newestAt ?? this.startedAt))
  }

  private lookIn(delayMs: number): void {
    if (this.stopping.signal.aborted) return
    this.cancel = this.options.scheduler.after(delayMs, () => {
      this.underWay = this.look()
    })
  }

  private async look(): Promise<void> {
    if (this.isDue(this.options.clock.now())) await this.make()
    this.lookIn(LOOK_PAUSE_MS)
  }

  private isDue(nowMs: number): boolean {
    if (nowMs < this.retryAt && this.retryAt - nowMs <= RETRY_PAUSE_MS) return false
    const { newestAt } = this
    // A clock that was set back may not stop the backups.
    return newestAt === null || newestAt > nowMs || nowMs - newestAt >= this.options.everyMs
  }

  private async make(): Promise<void> {
    const { clock, directory, log, onEnded, upkeep } = this.options
    const file = join(directory, nameAt(clock.now()))
    const stop = this.stopping.signal
    try {
      mkdirSync(directory, { recursive: true, mode: PRIVATE_MODE })
      const { bytes, madeAt } = await upkeep.backup({ file, stop, onProgress: () => {} })
      this.newestAt = madeAt
      log.info({ file, bytes }, 'backup made')
      onEnded?.('made')
      this.removeOld(file)
    } catch (error) {
      if (stop.aborted) return
      this.retryAt = clock.now() + RETRY_PAUSE_MS
      log.error({ err: error, file }, 'backup failed')
      onEnded?.('failed')
    }
  }

  /** Removes those beyond the newest ones, and never the latest made. Only complete backups count, and only they are removed. */
  private removeOld(latest: string): void {
    for (const { path } of this.kept().slice(this.options.keep)) if (path !== latest) rmSync(path, { force: true })
  }

  /** The backups that a schedule has made, newest first. */
  private kept(): readonly Kept[] {
    const { directory, upkeep } = this.options
    const kept: Kept[] = []
    for (const name of namesIn(directory)) {
      const path = join(directory, name)
      const madeAt = NAME.test(name) ? upkeep.madeAt(path) : null
      if (madeAt !== null) kept.push({ path, madeAt })
    }
    return kept.sort((a, b) => b.madeAt - a.madeAt)
  }
}

/** None when the directory cannot be read: a backup fails then, and is tried again. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function nameAt(unixMs: number): string {
  return `billhook-${new Date(unixMs).toISOString().replace(/\.\d+|[-:]/g, '')}.backup`
}
