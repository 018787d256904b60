import { RATE_SET_BYTES_MAX, type ReadSet } from '../domain/rate-set.js'
import type { Scheduler } from '../scheduler.js'
import { VERSION } from '../version.js'
import type { AddressGuard } from '../webhooks/address-guard.js'
import { AddressRefused, Connection } from '../webhooks/connection.js'
import { createHostResolver, HostNotFound, type ResolveHost } from '../webhooks/host-resolver.js'
import { gaveNothing, type RateSource, rateSetIn, TOO_LONG } from './rate-source.js'

/** Time for everything: resolving, connecting, TLS, and the whole answer. */
const READ_TIMEOUT_MS = 10_000
/** What an answer may take beside its body: its head, and the lengths of chunks. */
const OVERHEAD_BYTES_MAX = 65_536
const OK_STATUS = 200
const REDIRECT_STATUSES = [300, 399] as const

export interface RateUrlOptions {
  readonly guard: Pick<AddressGuard, 'isAllowed'>
  readonly scheduler: Scheduler
  readonly timeoutMs?: number
  readonly resolve?: ResolveHost
  /** PEM certificates to trust instead of the bundled authorities. */
  readonly trust?: string
}

/**
 * A server of rates. It is asked over a connection of its own each time, at an address that the guard allows; no redirect is followed.
 * Its URL may hold a key, so nothing that it reports quotes it.
 */
export class RateUrl implements RateSource {
  readonly origin = 'https'
  private underWay: Connection | null = null

  constructor(
    private readonly url: URL,
    private readonly options: RateUrlOptions,
  ) {}

  async read(): Promise<ReadSet> {
    const { guard, scheduler, timeoutMs = READ_TIMEOUT_MS, resolve = createHostResolver(), trust } = this.options
    const answerLimitBytes = RATE_SET_BYTES_MAX + OVERHEAD_BYTES_MAX
    const settings = { guard, resolve, answerLimitBytes, ...(trust === undefined ? {} : { trust }) }
    const connection = new Connection(this.url.origin, settings, () => {})
    this.underWay = connection
    let isLate = false
    const cancel = scheduler.after(timeoutMs, () => {
      isLate = true
      connection.destroy()
    })
    try {
      return await this.ask(connection)
    } catch (error) {
      if (isLate) return gaveNothing('unreachable', `there was no complete answer within ${timeoutMs} ms`)
      if (connection.isAnswerTooLong) return gaveNothing('too_long', TOO_LONG)
      return gaveNothing('unreachable', reasonOf(error))
    } finally {
      cancel()
      connection.destroy()
    }
  }

  close(): void {
    this.underWay?.destroy()
  }

  private async ask(connection: Connection): Promise<ReadSet> {
    connection.beginAnswer()
    const { pathname, search } = this.url
    const { statusCode, body } = await connection.client.request({
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': `Billhook/${VERSION}` },
    })
    // It fails when the connection is destroyed, in which nobody is interested any more.
    body.on('error', () => {})
    if (statusCode !== OK_STATUS) {
      const [first, last] = REDIRECT_STATUSES
      const isRedirect = statusCode >= first && statusCode <= last
      return gaveNothing('status', `it answered ${statusCode}${isRedirect ? ', and redirects are not followed' : ''}`)
    }
    const chunks: Buffer[] = []
    // The connection ends what is longer than it may be.
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
    return rateSetIn(Buffer.concat(chunks))
  }
}

/** Never a message: it could quote the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'its address is not public'
  if (error instanceof HostNotFound) return `its name cannot be resolved (${error.code})`
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  return code === null ? 'the connection failed' : `the connection failed (${code})`
}
