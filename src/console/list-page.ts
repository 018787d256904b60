import type { Turns } from '../base/turns.js'
import { type Markup, markup } from '../page/markup.js'
import type { Awaitable, Page, PageOf } from '../store/reading.js'
import { filterForm } from './filter.js'
import { CONSOLE_PATH, type ConsolePage } from './layout.js'
import { links, type OwnerList } from './links.js'
import { ownerLinks } from './owner.js'
import { cursorOf, type Found, given, kept, moreLink, noneText, oneOf, search } from './paging.js'
import { type TableParts, table } from './table.js'

/** What narrows a list, by the name of its query parameter: a text, or one of some choices. */
export type Filters = Readonly<Record<string, { readonly label: string; readonly choices?: readonly string[] }>>

/** What a query asks for; null where it leaves a filter empty. */
export type Asked<F extends Filters> = {
  readonly [Name in keyof F]: (F[Name] extends { readonly choices: readonly (infer Choice)[] } ? Choice : string) | null
}

/** Which records are meant, where they are read, and what the table is called. */
export interface Chosen<Item> {
  readonly caption: string
  /** A few records that are known, or all of a list, page by page. */
  readonly from: readonly Item[] | ((page: Page) => Awaitable<PageOf<Item>>)
  /** A record is shown when it meets all of them; null stands for a filter that was left empty. */
  readonly conditions: readonly (((item: Item) => Awaitable<boolean>) | null)[]
  /** Whether ids are shown in full, to be copied. */
  readonly areIdsFull?: boolean
}

/** One list of the console, as data. */
export interface ConsoleList<Item, Names extends string, F extends Filters>
  extends Pick<TableParts<Item, Names>, 'columns' | 'links' | 'action'> {
  readonly title: string
  readonly section: OwnerList
  /** What one record is called. */
  readonly what: string
  readonly filters: F
  readonly choose: (asked: Asked<F>) => Awaitable<Chosen<Item>>
  /** Whether it can be had as CSV. */
  readonly hasCsv?: boolean
  /** What stands above the filters. */
  readonly above?: Markup
}

/** What is made of a list: a page, or a file. */
export type ListView<Shown> = <Item, Names extends string, const F extends Filters>(
  turns: Turns,
  query: URLSearchParams,
  list: ConsoleList<Item, Names, F>,
) => Promise<Shown>

/** The page of a list: its filters, the links to the other lists of an owner, the table, and the way to more. */
export async function listPage<Item, Names extends string, const F extends Filters>(
  turns: Turns,
  query: URLSearchParams,
  list: ConsoleList<Item, Names, F>,
): Promise<ConsolePage> {
  const { title, section, filters, above } = list
  const fields = fieldsOf(query, filters)
  const chosen = await list.choose(askedOf(query, filters) as Asked<F>)
  const content = markup`${above === undefined ? null : markup`${above}\n`}${filterForm(links[section], fields)}
${ownerLinks(given(query, 'owner'), section)}
${list.hasCsv === true ? csvLink(section, query) : null}
${listTable(list, chosen, await find(turns, chosen, query), query)}`
  return { title, section, content }
}

function fieldsOf(query: URLSearchParams, filters: Filters) {
  return Object.entries<Filters[string]>(filters).map(([name, { label, choices }]) =>
    choices === undefined
      ? { name, label, type: 'text' as const, value: given(query, name) }
      : { name, label, type: 'choice' as const, value: oneOf(query, name, choices), choices, any: 'any' },
  )
}

/** The same list, from its first record on, as a file. */
function csvLink(section: OwnerList, query: URLSearchParams): Markup {
  const wanted = new URLSearchParams([...query].filter(([name, value]) => value !== '' && name !== 'cursor'))
  const asked = wanted.size === 0 ? '' : `?${wanted}`
  return markup`<p class="quiet"><a href="${CONSOLE_PATH}/csv/${section}${asked}">CSV of this list</a></p>`
}

/** What a query asks for, of each filter. */
export function askedOf(query: URLSearchParams, filters: Filters): Readonly<Record<string, string | null>> {
  return Object.fromEntries(fieldsOf(query, filters).map(({ name, value }) => [name, value]))
}

/** A page of the records that are meant. */
export async function find<Item>(turns: Turns, chosen: Chosen<Item>, query: URLSearchParams): Promise<Found<Item>> {
  const { from } = chosen
  const conditions = chosen.conditions.filter((condition) => condition !== null)
  const meetsAll = async (item: Item) => {
    for (const condition of conditions) if (!(await condition(item))) return false
    return true
  }
  const isWanted = conditions.length === 0 ? null : meetsAll
  return typeof from === 'function' ? search(turns, from, isWanted, cursorOf(query)) : kept(from, isWanted)
}

/** The records that were found, and the way to more. */
export function listTable<Item, Names extends string, F extends Filters>(
  { columns, links: cells, action, what, section }: ConsoleList<Item, Names, F>,
  { caption, areIdsFull = false }: Chosen<Item>,
  found: Found<Item>,
  query: URLSearchParams,
): Markup {
  const parts = { caption, columns, items: found.items, links: cells, areIdsFull, none: noneText(found, query, what) }
  return markup`${table(action === undefined ? parts : { ...parts, action })}
${moreLink(found, links[section], query)}`
}
