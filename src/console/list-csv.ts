import { stringify } from 'csv-stringify/sync'
import { csvText } from '../base/csv-text.js'
import type { Turns } from '../base/turns.js'
import type { Column } from '../listing/column.js'
import type { Download } from './answer.js'
import type { Asked, Chosen, ConsoleList, Filters } from './list-page.js'
import { askedOf, find } from './list-page.js'

/** Records of one download. What follows is in the next one, by a narrower filter. */
const CSV_ROWS_MAX = 5000

/**
 * A list as CSV: the columns of its table with every text in full. What a spreadsheet would take for a formula has an apostrophe before
 * it. A filter without an index looks at as many records as some pages of the list do.
 */
export async function listCsv<Item, Names extends string, const F extends Filters>(
  turns: Turns,
  query: URLSearchParams,
  list: ConsoleList<Item, Names, F>,
): Promise<Download> {
  const chosen = await list.choose(askedOf(query, list.filters) as Asked<F>)
  const columns = Object.entries<Column<Item>>(list.columns)
  const rows = (await recordsOf(turns, chosen, query)).map((item) =>
    columns.map(([, column]) => csvText(column.of(item) ?? '')),
  )
  return { name: `${list.section}.csv`, text: stringify([columns.map(([, { title }]) => title), ...rows]) }
}

/** Page after page of the records that are meant, from where the query stands. */
async function recordsOf<Item>(turns: Turns, chosen: Chosen<Item>, query: URLSearchParams): Promise<readonly Item[]> {
  const items: Item[] = []
  const asked = new URLSearchParams(query)
  let looked = 0
  for (;;) {
    const found = await find(turns, chosen, asked)
    items.push(...found.items)
    looked += found.searched ?? found.items.length
    if (found.next === null || looked >= CSV_ROWS_MAX) return items.slice(0, CSV_ROWS_MAX)
    asked.set('cursor', found.next)
  }
}
