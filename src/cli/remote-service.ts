import { BillhookError, type Reply, type Signer } from '@billhook/client'
import type { ApiCall } from './api-call.js'
import type { ProcessIo } from './billhook-command.js'
import { BoundedFetch } from './bounded-fetch.js'
import { callerOf } from './caller.js'

const MS_PER_SECOND = 1000

export interface RemoteOptions {
  /** The base address, without a slash at its end. */
  readonly url: string
  /** Undefined: requests are not signed. */
  readonly signer: Signer | undefined
  readonly io: ProcessIo
  /** Ends the requests in flight. */
  readonly stop: AbortSignal
}

/** A service on the network, called as a merchant's program does. */
export class RemoteService {
  private readonly http: BoundedFetch
  private readonly send: (call: ApiCall) => Promise<Reply>

  constructor(private readonly options: RemoteOptions) {
    const { url, signer, io, stop } = options
    this.http = new BoundedFetch(io.scheduler)
    this.send = callerOf({ url, where: url, fetch: this.http.fetch, signer, stop })
  }

  /** Throws `BillhookError`. */
  async call(call: ApiCall): Promise<Reply> {
    try {
      return await this.send(call)
    } catch (error) {
      const isUntimely = error instanceof BillhookError && error.code === 'invalid_timestamp'
      throw isUntimely ? this.untimely(error) : error
    }
  }

  close(): Promise<void> {
    return this.http.close()
  }

  /** The refusal, with what is wrong about this machine's clock. */
  private untimely({ message, status, code }: BillhookError): BillhookError {
    const offSeconds = Math.round((this.options.io.clock.now() - this.http.serverMs) / MS_PER_SECOND)
    if (Number.isNaN(offSeconds)) return new BillhookError(message, code, { status })
    const direction = offSeconds < 0 ? 'behind' : 'ahead of'
    const told = `This machine's clock is ${Math.abs(offSeconds)} s ${direction} the service's.`
    return new BillhookError(`${message} ${told}`, code, { status })
  }
}
