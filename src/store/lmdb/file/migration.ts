import { OperatorError, StartStopped } from '../../../operator-error.js'
import type { MigrationControl, MigrationPlan } from '../../migration.js'
import { StorageUnavailable } from '../../refusals.js'
import type { Commit, World } from '../commit/commit.js'
import { CommitLoop } from '../commit/commit-loop.js'
import { DataDisk } from '../commit/data-disk.js'
import { bytes, integer, orNull, recordCodec, storedAs, text } from '../tables/record-codec.js'
import {
  type Environment,
  openExisting,
  type ReadTable,
  rowCount,
  type TableName,
  type Tables,
} from '../tables/tables.js'

/** Brings the store from version `from` to `from + 1`. */
export interface Migration {
  readonly from: number
  /** In order. None where only records changed, which are rewritten one by one when they change. */
  readonly passes: readonly Pass[]
}

/** Goes through a table once, in the order of its keys. */
export interface Pass {
  /** Stands in the position on disk, so it stays as it is. No other pass of the migration has it. */
  readonly name: string
  readonly table: TableName
  /** A table of as many rows, where its own one is made by an earlier version's passes. */
  readonly asManyAs?: TableName
  /** Runs before the first row, in the same transaction. */
  begin?(commit: Commit): void
  /** Takes a row. It must not write to the table itself. */
  row(commit: Commit, key: Buffer, value: Buffer): void
}

/**
 * Rows of a pass in one transaction, so that a large store takes many small ones. Indexes are written all over the file:
 * with 1,000 rows the same pages are written so often that it takes twice as long.
 */
const STEP_ROWS = 10_000

/** A migration makes no ids, and nothing that it writes is of its own time. */
const NO_TIME: World = {
  clock: { now: () => 0 },
  newId: () => {
    throw new Error('a migration makes no ids')
  },
}

/** How far the data was migrated. While it is there, the data is between two versions, and only a migration may use it. */
interface Position {
  /** The version that is being left. */
  readonly from: number
  readonly pass: string
  /** The last key that was taken; null before the first. */
  readonly after: Buffer | null
  /** Rows taken, in all passes. */
  readonly done: number
}

const POSITION_KEY = Buffer.from('migration')

const positionCodec = recordCodec<Position>('meta/migration', 1, {
  from: integer,
  pass: text,
  after: storedAs(
    orNull(bytes),
    (key) => key,
    (key) => (key === null ? null : Buffer.from(key)),
  ),
  done: integer,
})

/** The position of a migration that has not come to its end; null when there is none. */
export function positionIn(root: Environment): Position | null {
  return readPosition(openExisting(root, 'meta'))
}

/** The same, for a reader of the table `meta`. */
export function readPosition(meta: Pick<ReadTable, 'get'> | undefined): Position | null {
  const stored = meta?.get(POSITION_KEY)
  return stored === undefined ? null : positionCodec.decode(stored)
}

/** How much work the migrations are. Writes nothing. Throws `OperatorError` when one of them was begun otherwise. */
export function workOf(root: Environment, directory: string, due: readonly Migration[]) {
  const position = positionIn(root)
  const passes = passesOf(due)
  if (position !== null && indexOf(passes, position) === -1) {
    throw new OperatorError(
      `${directory} is in the middle of a migration that this program does not know: ` +
        'start the version that began it, or restore a backup made before it',
    )
  }
  const counts = passes.map(({ pass }) => {
    const table = openExisting(root, pass.asManyAs ?? pass.table)
    return table === undefined ? 0 : rowCount(table)
  })
  const rows = counts.reduce((sum, count) => sum + count, 0)
  return { rows, done: position?.done ?? 0 } satisfies Partial<MigrationPlan>
}

interface DuePass {
  /** The version that its migration leaves. */
  readonly from: number
  readonly pass: Pass
}

function passesOf(due: readonly Migration[]): readonly DuePass[] {
  return due.flatMap(({ from, passes }) => passes.map((pass) => ({ from, pass })))
}

function indexOf(passes: readonly DuePass[], position: Pick<Position, 'from' | 'pass'>): number {
  return passes.findIndex(({ from, pass }) => from === position.from && pass.name === position.pass)
}

/**
 * Runs the migrations that are due, in bounded steps. Each step is a commit that also writes the position, so a migration
 * that was cut off goes on behind its last step, with the same result. `stamp` writes the version into the first commit:
 * from then on older programs refuse the data.
 */
export class MigrationRun {
  private readonly commits: CommitLoop
  private readonly passes: readonly DuePass[]

  constructor(
    private readonly tables: Tables,
    private readonly directory: string,
    due: readonly Migration[],
    private readonly stamp: () => void,
    private readonly stepRows = STEP_ROWS,
  ) {
    this.commits = new CommitLoop(tables, NO_TIME, new DataDisk(directory))
    this.passes = passesOf(due)
  }

  /** Throws `StartStopped` when it is to stop, and `OperatorError` when the disk refuses a step. */
  async run(control: MigrationControl): Promise<void> {
    const begun = positionIn(this.tables.root)
    let position = await this.commit((commit) => {
      this.stamp()
      return write(commit, begun ?? beginOf(this.passes[0], 0))
    })
    while (position !== null) {
      if (control.isStopping()) throw new StartStopped('the migration was stopped; the next one continues it')
      const at: Position = position
      position = await this.commit((commit) => this.step(commit, at))
      if (position !== null) control.stepped(position.done)
    }
  }

  /** Takes the next rows of a pass. Answers the position behind them, or null at the end of the last pass. */
  private step(commit: Commit, position: Position): Position | null {
    const index = indexOf(this.passes, position)
    const due = this.passes[index]
    if (due === undefined) throw new Error('a position names no pass')
    const { pass } = due
    const { after } = position
    if (after === null) pass.begin?.(commit)
    const start = after === null ? {} : { start: after, exclusiveStart: true }
    let taken = 0
    let last: Buffer | null = null
    for (const { key, value } of commit.tables[pass.table].getRange({ ...start, limit: this.stepRows })) {
      pass.row(commit, key, value)
      last = key
      taken += 1
    }
    const done = position.done + taken
    const isWithin = taken === this.stepRows
    return write(commit, isWithin ? { ...position, after: last, done } : beginOf(this.passes[index + 1], done))
  }

  private async commit<T>(unit: (commit: Commit) => T): Promise<T> {
    try {
      return await this.commits.run(unit)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      throw new OperatorError(
        `${this.directory} is not migrated to its end, because the disk refused a write; the next start continues it`,
      )
    }
  }
}

/** The position before the first row of a pass; null when there is no such pass. */
function beginOf(due: DuePass | undefined, done: number): Position | null {
  return due === undefined ? null : { from: due.from, pass: due.pass.name, after: null, done }
}

function write({ tables }: Commit, position: Position | null): Position | null {
  if (position === null) tables.meta.removeSync(POSITION_KEY)
  else tables.meta.putSync(POSITION_KEY, positionCodec.encode(position))
  return position
}
