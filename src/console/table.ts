import { type Column, type Columns, timeText } from '../listing/column.js'
import { type Markup, markup } from '../page/markup.js'

/** Longer ids are shown with their middle left out in lists; the page of a record has them in full. */
const ID_LENGTH_MAX = 20
const ID_HEAD = 10
const ID_TAIL = 6

export interface TableParts<Item, Names extends string> {
  readonly caption: string
  readonly columns: Readonly<Record<Names, Column<Item>>>
  readonly items: readonly Item[]
  /** Where the cells of a column lead; null for nowhere. */
  readonly links: Partial<Readonly<Record<Names, (item: Item) => string | null>>>
  /** Shown when the list is empty. */
  readonly none: string
  /** Whether ids are shown in full, to be copied. */
  readonly areIdsFull?: boolean
  /** A last column with what can be done. */
  readonly action?: { readonly title: string; readonly of: (item: Item) => Markup | null }
}

/**
 * A table of records. On a narrow screen the style shows each row as a list; the roles keep it a table for screen readers,
 * which would else lose it with the style.
 */
export function table<Item, Names extends string>(parts: TableParts<Item, Names>): Markup {
  const { caption, items, none, action, areIdsFull = false } = parts
  if (items.length === 0) return markup`<p class="quiet">${none}</p>`
  const columns = Object.entries<Column<Item>>(parts.columns satisfies Columns<Item>)
  const links: Partial<Readonly<Record<string, (item: Item) => string | null>>> = parts.links
  const heads = columns.map(
    ([, column]) => markup`<th role="columnheader" scope="col"${classOf(column.kind)}>${column.title}</th>`,
  )
  const rows = items.map((item) => {
    const cells = columns.map(([name, column]) => cell(column, item, links[name]?.(item) ?? null, areIdsFull))
    const last =
      action === undefined ? null : markup`<td role="cell" data-title="${action.title}">${action.of(item)}</td>`
    return markup`<tr role="row">${cells}${last}</tr>
`
  })
  const lastHead = action === undefined ? null : markup`<th role="columnheader" scope="col">${action.title}</th>`
  return markup`<table class="table" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}${lastHead}</tr></thead>
<tbody role="rowgroup">
${rows}</tbody>
</table>`
}

function cell<Item>(column: Column<Item>, item: Item, href: string | null, isIdFull: boolean): Markup {
  const text = column.of(item)
  const shown = text === null ? markup`<span class="quiet">–</span>` : shownAs(text, column.kind, isIdFull)
  const linked = text === null || href === null ? shown : markup`<a href="${href}">${shown}</a>`
  return markup`<td role="cell" data-title="${column.title}"${classOf(column.kind)}><span>${linked}</span></td>`
}

function classOf(kind: Column<never>['kind']): Markup | null {
  if (kind === 'figure') return markup` class="figure"`
  if (kind === 'lines') return markup` class="lines"`
  return kind === 'word' ? markup` class="whole"` : null
}

/** A value as it is shown in a table. */
function shownAs(text: string, kind: Column<never>['kind'], isIdFull: boolean): Markup {
  if (kind === 'time') return time(text)
  if (kind !== 'id') return markup`<bdi>${text}</bdi>`
  if (isIdFull) return idText(text)
  const short = text.length > ID_LENGTH_MAX ? `${text.slice(0, ID_HEAD)}…${text.slice(-ID_TAIL)}` : text
  return markup`<bdi class="id whole" title="${text}">${short.toWellFormed()}</bdi>`
}

/** A time that a column would show so, for people; null for none. */
export function moment(unixMs: number | null): Markup | null {
  return unixMs === null ? null : time(timeText(unixMs))
}

function time(text: string): Markup {
  return markup`<time datetime="${text}">${text.replace('T', ' ').replace('Z', '')}</time>`
}

/** Labelled values, those that are null left out. */
export function facts(fields: readonly (readonly [label: string, value: Markup | string | null])[]): Markup {
  const shown = fields.map(([label, value]) => {
    if (value === null) return markup``
    return markup`<dt>${label}</dt> <dd>${typeof value === 'string' ? markup`<bdi>${value}</bdi>` : value}</dd>
`
  })
  return markup`<dl class="facts">
${shown}</dl>`
}

/** An id in full, to be copied. */
export function idText(id: string, href: string | null = null): Markup {
  const text = markup`<bdi class="id">${id}</bdi>`
  return href === null ? text : markup`<a href="${href}">${text}</a>`
}
