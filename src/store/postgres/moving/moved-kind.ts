import type { Placed } from '../../moving/ports.js'
import type { MovedKind, MovedRecords } from '../../moving/records.js'
import { Fragment, sql, type Value } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** How the records of a kind are read from the tables, and written into them. `Columns` is what the statement answers. */
export interface PostgresMovedKind<K extends MovedKind, Columns = never> {
  /** Selects all records behind a place, in the order of the kind. */
  select(behind: readonly Value[] | null): Fragment
  /** A record, and the values of its place. */
  toRecord(columns: Columns): { readonly record: MovedRecords[K]; readonly place: readonly Value[] }
  write(work: Work, records: readonly MovedRecords[K][]): void
}

export function placed<T>({ record, place }: { record: T; place: readonly Value[] }): Placed<T> {
  return { record, place: JSON.stringify(place) }
}

/** Engines compare texts as bytes; a database has an order of its own. */
export function bytesOf(column: Fragment): Fragment {
  return sql`${column} COLLATE "C"`
}

/** A text by which networks come in the order in which the other engine has them: by its numbers, then by length and id. */
export function networkOrder(column: Fragment): Fragment {
  return bytesOf(sql`(CASE ${column} WHEN 'SEP' THEN '00' WHEN 'TRX-NILE' THEN '01'
    ELSE lpad(length(${column})::text, 2, '0') || ${column} END)`)
}

/** Selects what is behind a place, and orders by it. `columns` are those of the place, `types` theirs. */
export function behindPlace(
  columns: readonly Fragment[],
  types: readonly string[],
  place: readonly Value[] | null,
): Fragment {
  const order = sql`ORDER BY ${joined(columns)}`
  if (place === null) return order
  const values = place.map((value, i) => new Fragment(['', `::${types[i]}`], [value]))
  return sql`WHERE (${joined(columns)}) > (${joined(values)}) ${order}`
}

function joined(pieces: readonly Fragment[]): Fragment {
  return new Fragment(['', ...pieces.slice(1).map(() => ', '), ''], pieces)
}

/** A column to write: its name, its type, its value in a record, and what is written where that is not the value itself. */
export interface Column<R> {
  readonly name: string
  readonly type: string
  of(record: R): Value
  /** SQL, in which `m` is the row of values. */
  readonly as?: string
}

/** Inserts a row for each record, in the order given; `m.ordinality` is its position from 1 on. */
export function insertInto<R>(
  table: string,
  columns: readonly Column<R>[],
  records: readonly R[],
  computed: Readonly<Record<string, string>> = {},
): Fragment {
  const names = columns.map(({ name }) => name)
  const values = columns.map(({ name, as }) => as ?? `m.${name}`)
  const into = [...names, ...Object.keys(computed)].join(', ')
  const selected = [...values, ...Object.values(computed)].join(', ')
  const strings = columns.map(({ type }, i) => (i === columns.length - 1 ? `::${type}[]` : `::${type}[], `))
  const head = `INSERT INTO ${table} (${into}) SELECT ${selected} FROM unnest(`
  const tail = `) WITH ORDINALITY AS m (${names.join(', ')}, ordinality) ORDER BY m.ordinality`
  return new Fragment(
    [head, ...strings.slice(0, -1), `${strings.at(-1)}${tail}`],
    columns.map(({ of }) => records.map(of)),
  )
}
