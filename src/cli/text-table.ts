import type { Column } from '../listing/column.js'
import { onOneLine, printable } from './output.js'

/** Rows whose widths are known before they are printed. */
const ROWS_AT_ONCE = 100
const BETWEEN = '  '
/** What stands for nothing, as in the console. */
const NOTHING = '–'

/**
 * A table on a terminal, of any length: rows are printed some at a time, and a column is as wide as its widest cell so far, so
 * memory is bounded and the first rows are seen at once.
 */
export class TextTable<Item> {
  private readonly widths: number[]
  private waiting: string[][] = []

  constructor(
    private readonly columns: readonly Column<Item>[],
    private readonly print: (text: string) => Promise<void>,
  ) {
    this.widths = columns.map(() => 0)
    this.waiting.push(columns.map(({ title }) => title))
  }

  async add(item: Item): Promise<void> {
    const cells = this.columns.map((column) => {
      const text = column.of(item) ?? NOTHING
      return column.kind === 'lines' ? onOneLine(text) : printable(text)
    })
    this.waiting.push(cells)
    if (this.waiting.length === ROWS_AT_ONCE) await this.flush()
  }

  /** Prints what waits. */
  async flush(): Promise<void> {
    const rows = this.waiting
    this.waiting = []
    for (const row of rows) {
      for (const [at, cell] of row.entries()) this.widths[at] = Math.max(this.widths[at] ?? 0, cell.length)
    }
    await this.print(rows.map((row) => `${this.line(row)}\n`).join(''))
  }

  private line(row: readonly string[]): string {
    const cells = row.map((cell, at) => {
      const width = this.widths[at] ?? 0
      return this.columns[at]?.kind === 'figure' ? cell.padStart(width) : cell.padEnd(width)
    })
    return cells.join(BETWEEN).trimEnd()
  }
}
