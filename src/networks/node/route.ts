/** Where requests go, from a URL of an operator. */
export class Route {
  /** Scheme, host and port. */
  readonly origin: string
  /** Includes the credentials of the URL, if it has any. */
  readonly headers: Readonly<Record<string, string>>
  /** Everything that may be a credential. */
  readonly secrets: readonly string[]
  private readonly path: string
  private readonly query: string

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const { origin, pathname, search, searchParams, username, password } = new URL(url)
    const user = [username, password].map(decodeURIComponent)
    const credentials = Buffer.from(user.join(':')).toString('base64')
    this.origin = origin
    this.path = pathname.replace(/\/+$/, '')
    this.query = search
    this.headers = username === '' && password === '' ? headers : { authorization: `Basic ${credentials}`, ...headers }
    this.secrets = [...pathname.split('/'), ...searchParams.values(), ...user, credentials, ...Object.values(headers)]
  }

  /** The path of a request, below the path of the URL. */
  pathOf(path: string): string {
    return `${`${this.path}${path}` || '/'}${this.query}`
  }
}
