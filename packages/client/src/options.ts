import type {
  CreatedInvoice,
  CreatedOrder,
  CreateInvoiceRequest,
  CreateOrderRequest,
  Currency,
  RegisterApiKeyRequest,
} from './api-types.js'
import type { PrivateKey, Signer } from './signer.js'
import type { Fetch } from './transport.js'

/** What every method takes. */
export interface CallOptions {
  /** Ends the request with the reason of the signal. One that has an effect may then have had it. */
  readonly signal?: AbortSignal | undefined
}

export interface BillhookOptions {
  /** The address of the service, with its path prefix if it has one. It begins with `https://` or `http://`. */
  readonly url: string
  /** The identity that the client acts for. Needed for everything but signed creation, reading and voiding of invoices. */
  readonly owner?: string | undefined
  /** The API key: see `PrivateKey`. Without it and `signer`, requests are not signed. */
  readonly privateKey?: PrivateKey | undefined
  /** What signs instead of a private key. */
  readonly signer?: Signer | undefined
  /** Instead of the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined
  /** The time for each attempt of a request. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** The pause before the first repetition, which doubles with each further one. Default: 1000. */
  readonly retryDelayMs?: number | undefined
  /**
   * How often a request that may be repeated is sent at most. With 1 every request is sent once, and a wrong clock of this machine is not
   * corrected either. Default: 4.
   */
  readonly attempts?: number | undefined
}

export type InvoiceDraft = Omit<CreateInvoiceRequest, 'owner'>

export interface CreateInvoiceOptions extends CallOptions {
  /** Names the creation: the same key and draft create nothing again for 24 hours. Default: a random one. */
  readonly idempotencyKey?: string | undefined
}

/** A created invoice. */
export interface NewInvoice extends CreatedInvoice {
  /** The whole address of the payment page. */
  readonly pageUrl: string
  /** When it expires unless it is paid or being paid, Unix milliseconds; null for never. */
  readonly expiresAt: number | null
  /** Whether it had been created before, by a request with the same idempotency key. */
  readonly isReplay: boolean
  /** Names the request in the operator's log. */
  readonly requestId: string | null
}

export type OrderDraft = Omit<CreateOrderRequest, 'owner'>

/** A created order. */
export interface NewOrder extends CreatedOrder {
  /** The whole address of its page. */
  readonly pageUrl: string
  /** Whether it had been created before, by a request with the same idempotency key. */
  readonly isReplay: boolean
  /** Names the request in the operator's log. */
  readonly requestId: string | null
}

/** Which orders to list. */
export interface OrderFilter extends ListOptions {
  readonly reference?: string | undefined
  /** Exactly as it was given. */
  readonly orderNumber?: string | undefined
  readonly status?: 'unpaid' | 'partly' | 'paid' | 'expired' | 'void' | undefined
}

/** `publicKey` is by default that of the client. */
export type ApiKeyDraft = Omit<RegisterApiKeyRequest, 'owner' | 'publicKey' | 'permissions'> & {
  readonly publicKey?: string | undefined
  /** Default: `invoices:create`. */
  readonly permissions?: readonly string[] | undefined
}

export interface RegisterApiKeyOptions extends CallOptions {
  /** What signs the registration where the service is in strict mode: what `identityFromPhrase` answers. */
  readonly identity?: Signer | undefined
}

export interface ListOptions extends CallOptions {
  /** How many records each request asks for, at most 1000. Default: 100. */
  readonly pageSize?: number | undefined
}

export interface EventOptions extends ListOptions {
  /** The `id` of the last event that you have dealt with. Without it, from the oldest that is kept. */
  readonly after?: string | undefined
}

/** Which invoices to list. */
export interface InvoiceFilter extends ListOptions {
  readonly reference?: string | undefined
  /** Exactly as it was given. */
  readonly orderNumber?: string | undefined
  readonly status?: 'unpaid' | 'paid' | undefined
  readonly currency?: Currency | undefined
  /** Unix milliseconds, exclusive. */
  readonly createdAfter?: number | undefined
  /** Unix milliseconds, exclusive. */
  readonly createdBefore?: number | undefined
}
