/** The address of a node, as an operator writes it. Both parts may hold credentials. */
export interface EndpointAddress {
  /** `http:` or `https:`; it may have a path, a query, and a user with a password. */
  readonly url: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Shorter parts of a URL are no secrets, and replacing them would garble every message. */
const SECRET_LENGTH_MIN = 6
const MESSAGE_LENGTH_MAX = 200

/** An endpoint's address, divided into the public part and the secrets. */
export class EndpointUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Includes the credentials of the URL, if it has any. */
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

  /** The request target for a path below the endpoint's own. */
  pathOf(path: string): string {
    return `${`${this.path}${path}` || '/'}${this.query}`
  }

  /** A node's text without the secrets, in case the node repeats them, and short enough for a log. */
  presentable(text: string): string {
    const shown = this.secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
    return shown.length > MESSAGE_LENGTH_MAX ? `${shown.slice(0, MESSAGE_LENGTH_MAX)}…` : shown
  }
}
