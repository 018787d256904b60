import { BoundedHttp, HttpTimeout } from '../base/bounded-http.js'
import type { Clock } from '../clock.js'
import type { SigningKey } from '../crypto/signing-key.js'
import type { Scheduler } from '../scheduler.js'
import { Refused, type Reply, readAnswer, Unreachable } from './answer.js'
import { type Call, methodAndPath } from './call.js'
import { signedHeaders } from './signed-headers.js'

/** For a whole request: a webhook test takes up to 8 s, and a tarpit may hold an answer back. */
const TIMEOUT_MS = 30_000
/** A page of a thousand invoices takes less than a megabyte. */
const ANSWER_LIMIT_BYTES = 16_777_216
const MS_PER_SECOND = 1000

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  UND_ERR_SOCKET: 'the connection ended without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; perhaps its address begins with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; perhaps its address begins with http://',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP; perhaps its address begins with https://',
  EPROTO: 'it does not speak TLS; perhaps its address begins with http://',
}

/** Codes of certificates that are not accepted, as Node and OpenSSL name them. */
const CERTIFICATE = /CERT|SELF_SIGNED|SIGNATURE|CRL|ISSUER|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/

export interface ServiceClientOptions {
  /** The base address, without a slash at its end. */
  readonly url: string
  /** Null: requests are not signed. */
  readonly key: SigningKey | null
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Ends the requests in flight. */
  readonly stop: AbortSignal
}

/** A service on the network, called as a merchant's program does. */
export class ServiceClient {
  private readonly http: BoundedHttp
  private readonly stopped: Promise<never>

  constructor(private readonly options: ServiceClientOptions) {
    const { scheduler, stop } = options
    this.http = new BoundedHttp({ connectionsMax: 1, timeoutMs: TIMEOUT_MS, scheduler })
    this.stopped = new Promise((_, reject) => {
      stop.addEventListener('abort', () => reject(stop.reason), { once: true })
    })
    // Requests race with it; between them nobody listens.
    this.stopped.catch(() => {})
  }

  /** Throws `Refused`, or `Unreachable`. */
  async call(call: Call): Promise<Reply> {
    const { url, key, clock } = this.options
    const [method, path] = methodAndPath(call)
    const { origin, pathname } = new URL(url)
    const text = call.body === undefined ? '' : JSON.stringify(call.body)
    const request = this.http.request({
      origin,
      path: pathname.replace(/\/$/, '') + path,
      method: method as 'GET' | 'POST' | 'PUT',
      headers: {
        ...(text === '' ? {} : { 'Content-Type': 'application/json' }),
        ...(key === null ? {} : signedHeaders(key, call.tag, Buffer.from(text), clock.now())),
        ...call.headers,
      },
      ...(text === '' ? {} : { body: text }),
      limitBytes: () => ANSWER_LIMIT_BYTES,
    })
    const { status, headers, body } = await Promise.race([request, this.stopped]).catch((error: Error) => {
      throw this.options.stop.aborted ? error : new Unreachable(`${url} cannot be reached: ${reasonOf(error)}`)
    })
    if (body === null) throw new Unreachable(`${url} answered with more than ${ANSWER_LIMIT_BYTES} bytes`)
    try {
      return readAnswer({ status, headers, text: body.toString('utf8') }, url, clock.now())
    } catch (error) {
      throw error instanceof Refused && error.code === 'invalid_timestamp' ? this.untimely(error, headers) : error
    }
  }

  close(): Promise<void> {
    return this.http.close()
  }

  /** The refusal, with what is wrong about this machine's clock. */
  private untimely(
    { message, status, code }: Refused,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Refused {
    const serverMs = Date.parse(String(headers['date']))
    const offSeconds = Math.round((this.options.clock.now() - serverMs) / MS_PER_SECOND)
    if (Number.isNaN(offSeconds)) return new Refused(message, status, code, null)
    const direction = offSeconds < 0 ? 'behind' : 'ahead of'
    const told = `This machine's clock is ${Math.abs(offSeconds)} s ${direction} the service's.`
    return new Refused(`${message} ${told}`, status, code, null)
  }
}

function reasonOf(error: Error): string {
  if (error instanceof HttpTimeout) return error.message
  const { code = '', message } = (error.cause ?? error) as NodeJS.ErrnoException
  if (CERTIFICATE.test(code)) {
    return `its certificate is not accepted (${message}); NODE_EXTRA_CA_CERTS names a file of further authorities`
  }
  return REASONS[code] ?? message
}
