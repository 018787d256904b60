/** One database, which one of several servers has: `postgres://user:password@host:port,host:port/database?options`. */
export interface DatabaseAddress {
  /** A URL for each server, in the order given. */
  readonly servers: readonly string[]
  /** The servers and the database, without the password, for people. */
  readonly shown: string
  /** Whether a pooler gives each transaction a session (`pooler=transaction`). */
  readonly isPooled: boolean
}

/** A password may hold an `@`. One that holds a `/`, `?` or `#` must escape it: its rest would be taken for something else. */
const FORM = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^@?#\n]*)?(\?[^@#\n]*)?$/

/** Undefined when the text is no URL of a database. */
export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const parts = FORM.exec(text)
  if (parts === null) return undefined
  const [, scheme = '', credentials, list = '', path = '', query = ''] = parts
  const hosts = list.split(',')
  if (hosts.includes('')) return undefined
  const login = credentials === undefined ? '' : `${credentials}@`
  const servers = hosts.map((host) => `${scheme}${login}${host}${path}${query}`)
  if (!servers.every((server) => URL.canParse(server))) return undefined
  const options = new URLSearchParams(query)
  if (!OPTIONS.every(([name, values]) => options.getAll(name).every((value) => values.includes(value))))
    return undefined
  return { servers, shown: `${scheme}${list}${path}`, isPooled: options.get('pooler') === 'transaction' }
}

/** Options whose values are not the driver's. Billhook always turns to the server that takes writes. */
const OPTIONS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['pooler', ['transaction', 'session']],
  ['target_session_attrs', ['primary', 'read-write']],
]
