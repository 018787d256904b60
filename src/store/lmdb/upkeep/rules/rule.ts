import type { Reading } from '../reading.js'

/** What must hold for the rows of a table. Whatever it throws is told as a flaw of the row. */
export interface Rule {
  /** Takes each row, in the order of the keys. */
  row(key: Buffer, value: Buffer): void
  /** Called behind the last row. */
  end?(): void
  /** Called when all tables have been read. */
  finish?(): void
}

/** The rules have a state, so each reading makes its own. */
export type MakeRule = (reading: Reading) => Rule

/** An index whose rows all follow from records. */
export const index: MakeRule = (reading) => ({ row: (key, value) => reading.find(key, value) })
