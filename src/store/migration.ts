/** What has to be done to bring data to the version of this program. */
export interface MigrationPlan {
  /** Versions of the data; equal when nothing is to be done. */
  readonly from: number
  readonly to: number
  /** Rows to read, and how many of them an earlier run that was cut off has read. */
  readonly rows: number
  readonly done: number
}

/** Hears of a migration, and may stop it. */
export interface MigrationControl {
  begins(plan: MigrationPlan): void
  /** Rows that are read and migrated on disk; called after each step but the last. */
  stepped(done: number): void
  finished(): void
  /** Asked before each step. A migration that was stopped goes on at the next start. */
  isStopping(): boolean
}
