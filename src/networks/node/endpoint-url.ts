/** Where a node is reached, as an operator writes it. Both may hold credentials. */
export interface EndpointAddress {
  /** `http:` or `https:`; a path, a query, and a user with a password may be part of it. */
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Parts of a URL that are shorter hide nothing, and would spoil every message. */
const SECRET_LENGTH_MIN = 6
const MESSAGE_LENGTH_MAX = 200

/** An endpoint's address taken apart into what may be shown and what may not. */
export class EndpointUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** With the credentials of the URL, if it has any. */
  readonly headers: Readonly<Record<string, string>>
  private readonly path: string
  private readonly query: string
  private readonly secrets: readonly string[]

  constructor({ url, headers = {} }: EndpointAddress) {
    const { origin, pathname, search, searchParams, username, password } = new URL(url)
    const user = [username, password].map(decodeURIComponent)
    const credentials = Buffer.from(user.join(':')).toString('base64')
    this.origin = origin
    this.path = pathname.replace(/\/+$/, '')
    this.query = search
    this.headers = username === '' && password === '' ? headers : { authorization: `Basic ${credentials}`, ...headers }
    this.secrets = [...pathname.split('/'), ...searchParams.values(), ...user, credentials, ...Object.values(headers)]
      .filter((part) => part.length >= SECRET_LENGTH_MIN)
      .sort((a, b) => b.length - a.length)
  }

  /** What is requested for a path behind the endpoint's own. */
  pathOf(path: string): string {
    return `${`${this.path}${path}` || '/'}${this.query}`
  }

  /** A text of the node without the secrets, in case it repeats them, and short enough for a log. */
  presentable(text: string): string {
    const shown = this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
    return shown.length > MESSAGE_LENGTH_MAX ? `${shown.slice(0, MESSAGE_LENGTH_MAX)}…` : shown
  }
}
