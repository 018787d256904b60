import { Fragment } from '../connection/sql.js'

/** Rows that must not be there. */
export interface Rule {
  /** The table that is wrong then. */
  readonly table: string
  /** What is wrong with a row that it selects. */
  readonly what: string
  /** Selects the rows that are wrong, by their keys: `name`, a text. */
  readonly select: Fragment
}

/** The rules of a table, each by what it tells of a row. */
export function rulesOf(table: string, rules: Readonly<Record<string, string>>): readonly Rule[] {
  return Object.entries(rules).map(([what, text]) => ({ table, what, select: new Fragment([text], []) }))
}

/** All rows of a table. */
export function rowsOf(table: string): Fragment {
  return new Fragment([`SELECT FROM ${table}`], [])
}

/** A list of texts of the program's own in SQL. */
export function listed(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ')
}

/** The form in which an address is compared, as `canonicalAddress` makes it. */
export function canonical(address: string): string {
  return `CASE WHEN ${address} LIKE '0x%' OR ${address} LIKE '0X%' THEN lower(${address}) ELSE ${address} END`
}

/** Joins what the log of an owner says: from when on it must have every event, and that it has not removed. */
export function isLogged(owner: string, time: string): string {
  return `${time} >= (SELECT coalesce(min(since), 9223372036854775807) FROM logged)
    AND ${time} > coalesce((SELECT h.removed_to / 65536 FROM event_heads AS h WHERE h.owner = ${owner}), -1)`
}

/** Whether a text is no id of a network. */
export function isNoNetwork(network: string): string {
  return `${network} !~ '^[A-Z0-9-]{2,16}$'`
}

/** Whether a text has not the form of a currency, as `isCurrency` tells it. */
export function isNoCurrency(currency: string): string {
  return `(${currency} !~ '^(native|[A-Z0-9]{2,12})$' OR ${currency} = 'NATIVE')`
}
