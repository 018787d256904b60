/**
 * What an operator does with all data of an engine, beside a service that may be running on it. An engine whose data other
 * programs back up and check has none.
 */
export interface Upkeep {
  /** Writes the data of one moment to a file, while others write. */
  backup(request: BackupRequest): Promise<BackupMade>
  /** The moment that a file holds, Unix ms; null when it is no backup, or cut short. Its contents are not read. */
  madeAt(file: string): number | null
  /** Puts a backup into a place of its own, and verifies it first. */
  restore(request: RestoreRequest): Promise<Restored>
  /** Checks the data of one moment. Pauses at each report of progress. */
  check(onViolation: (violation: Violation) => void): AsyncGenerator<CheckProgress, CheckResult>
}

/** Where and how a backup is written. */
export interface BackupRequest {
  /** A file that does not exist yet. */
  readonly file: string
  /** Ends it; nothing is left behind then. */
  readonly stop: AbortSignal
  readonly onProgress: (bytes: number, totalBytes: number) => void
}

export interface BackupMade {
  readonly bytes: number
  /** The moment that it holds, Unix ms. */
  readonly madeAt: number
}

export interface RestoreRequest {
  readonly file: string
  /** An empty directory, or one that does not exist yet. */
  readonly directory: string
  readonly stop: AbortSignal
  readonly onProgress: (bytes: number, totalBytes: number) => void
}

export interface Restored {
  /** The moment that the backup holds, Unix ms. */
  readonly madeAt: number
  readonly bytes: number
  /** Whether the next start migrates the data. */
  readonly isOlderVersion: boolean
}

/** A contradiction that a check of the data has found. */
export interface Violation {
  /** The table that is wrong, as the check sees it. */
  readonly table: string
  /** The key of the row, as text or in hex; null when it is no single row. */
  readonly row: string | null
  readonly what: string
}

/** What a check has found so far. */
export class Findings {
  /** How many. */
  count = 0

  constructor(private readonly onViolation: (violation: Violation) => void) {}

  readonly report = (violation: Violation): void => {
    this.count += 1
    this.onViolation(violation)
  }
}

/** How far a check is. */
export interface CheckProgress {
  /** The second reading follows when the first one has found that rows are wrong. */
  readonly phase: 'reading' | 'looking for rows'
  readonly rows: number
  readonly total: number
}

export interface CheckResult {
  /** Rows that were read. */
  readonly rows: number
  readonly violations: number
}
