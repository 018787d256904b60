/** One database, which one of several servers has: `postgres://user:password@host:port,host:port/database?options`. */
export interface DatabaseAddress {
  /** A URL for each server, in the order given. */
  readonly servers: readonly string[]
  /** The servers and the database, without the password, for people. */
  readonly shown: string
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?([^/?]*)(\/[^?]*)?(\?.*)?$/

/** Undefined when the text is no URL of a database. */
export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const parts = FORM.exec(text)
  if (parts === null) return undefined
  const [, scheme = '', credentials, hosts = '', path = '', query = ''] = parts
  const login = credentials === undefined ? '' : `${credentials}@`
  if (hosts.split(',').includes('')) return undefined
  const servers = hosts.split(',').map((host) => `${scheme}${login}${host}${path}${query}`)
  if (!servers.every((server) => URL.canParse(server))) return undefined
  return { servers, shown: `${scheme}${hosts}${path}` }
}
