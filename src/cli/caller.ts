import { Billhook, BillhookError, type Reply, type Signer } from '@billhook/client'
import type { ApiCall } from './api-call.js'

/** The `fetch` has the limits of a request. */
const NO_LIMIT_MS = 2 ** 31 - 1

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

export interface CalledService {
  /** The base address. */
  readonly url: string
  /** How a failure names it. */
  readonly where: string
  readonly fetch: typeof fetch
  /** Undefined: requests are not signed. */
  readonly signer: Signer | undefined
  /** Ends the requests in flight. */
  readonly stop: AbortSignal
}

/** Calls a service by the client library. Each request is sent once, because the user sees what becomes of it. */
export function callerOf({ url, where, fetch, signer, stop }: CalledService): (call: ApiCall) => Promise<Reply> {
  const billhook = new Billhook({ url, fetch, signer, timeoutMs: NO_LIMIT_MS, attempts: 1 })
  return async (call) => {
    try {
      return await billhook.request({ ...call, signal: stop })
    } catch (error) {
      throw error instanceof BillhookError ? forTerminal(error, where) : error
    }
  }
}

/** A failure that is told in the middle of a line. */
function forTerminal(error: BillhookError, where: string): BillhookError {
  const { code, cause, message, status } = error
  if (code === 'unreachable') {
    return new BillhookError(`${where} cannot be reached: ${reasonOf(cause as Error)}`, code, { cause })
  }
  return code === 'unexpected_answer' ? new BillhookError(message.replace(/\.$/, ''), code, { status, cause }) : error
}

function reasonOf(error: Error): string {
  const { code = '', message } = (error.cause ?? error) as NodeJS.ErrnoException
  if (CERTIFICATE.test(code)) {
    return `its certificate is not accepted (${message}); NODE_EXTRA_CA_CERTS names a file of further authorities`
  }
  return REASONS[code] ?? message
}
