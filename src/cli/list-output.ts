import { scan } from '../base/scan.js'
import type { Column, Columns } from '../listing/column.js'
import type { ProcessIo } from './billhook-command.js'
import { jsonLine, printable } from './output.js'
import { TextTable } from './text-table.js'

/** Where the records of a list go. */
interface ListOutput<Item> {
  add(item: Item): Promise<void>
  /** Prints what waits; called at the end of each page. */
  flush(): Promise<void>
}

/** Lines of JSON; a table on a terminal; in a pipe lines with tabs between the fields, below their names. */
export function listOutput<Item>(io: ProcessIo, isJson: boolean, columns: Columns<Item>): ListOutput<Item> {
  if (isJson) return { add: (item) => io.print(`${jsonLine(item)}\n`), flush: async () => {} }
  return io.isOutputTerminal ? new TextTable(Object.values(columns), io.print) : new TabbedLines(io, columns)
}

/** What a service answered of a list, and the cursor of what is behind it. */
interface Answered {
  readonly body: unknown
  readonly next: string | null
}

/** Prints the records of a list, at most `most`, page by page as the service answers them. */
export async function printList<Item>(
  output: ListOutput<Item>,
  read: (after: string | null, left: number) => Promise<Answered>,
  most: number,
  from: string | null = null,
): Promise<void> {
  let left = most
  for await (const { body } of scan((after) => read(after, left), from)) {
    const items = body as readonly Item[]
    for (const item of items) await output.add(item)
    await output.flush()
    left -= items.length
    if (left <= 0) break
  }
}

class TabbedLines<Item> implements ListOutput<Item> {
  private readonly cells: readonly Column<Item>['of'][]
  private head: string

  constructor(
    private readonly io: Pick<ProcessIo, 'print'>,
    columns: Columns<Item>,
  ) {
    this.cells = Object.values(columns).map(({ of }) => of)
    this.head = `${Object.keys(columns).join('\t')}\n`
  }

  async add(item: Item): Promise<void> {
    await this.flush()
    await this.io.print(`${this.cells.map((of) => printable(of(item) ?? '-')).join('\t')}\n`)
  }

  async flush(): Promise<void> {
    const { head } = this
    this.head = ''
    if (head !== '') await this.io.print(head)
  }
}
